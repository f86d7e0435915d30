import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { ValidateFunction } from "ajv";
import { Ajv2020, addFormats } from "../ajv/ajv.js";

/** A file that people write or read, by the name of its schema in `spec/schema`. */
export type FileFormat = "scenario" | "arrangement" | "target" | "waivers" | "report" | "trace";

const compiled = new Map<FileFormat, ValidateFunction>();

/** The validator of a file format: it reports every error, each with the value it is about. Compiled when it is first asked for. */
export function validatorOf(format: FileFormat): ValidateFunction {
  const known = compiled.get(format);
  if (known) return known;
  // that the schemas are sound is tested; to find it out each time would take as long as to compile them
  const ajv = new Ajv2020({ allErrors: true, strict: false, logger: false, verbose: true, validateSchema: false });
  addFormats.default(ajv);
  if (format === "arrangement") ajv.addSchema(read("scenario")); // whose steps it has
  const validator = ajv.compile(read(format));
  compiled.set(format, validator);
  return validator;
}

function read(format: FileFormat): object {
  return JSON.parse(readFileSync(join(schemas(), `${format}.json`), "utf8")) as object;
}

/** The directory of the schemas: it lies beside `src`, whether the code runs from there or from `dist`. */
function schemas(): string {
  for (let here = dirname(fileURLToPath(import.meta.url)); here !== dirname(here); here = dirname(here)) {
    const found = join(here, "spec", "schema");
    if (existsSync(join(found, "scenario.json"))) return found;
  }
  throw new Error("this package is damaged: it has no spec/schema");
}
