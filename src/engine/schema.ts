import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Options, ValidateFunction } from "ajv";
import type { Ajv2020 } from "ajv/dist/2020.js";
import { library } from "./library.js";

/** A file that people write or read, by the name of its schema in `spec/schema`. */
export type FileFormat = keyof typeof uses;

/** Each format, and those whose parts it has. */
const uses = {
  scenario: [],
  arrangement: ["scenario"],
  target: [],
  waivers: [],
  report: [],
  trace: [],
} as const satisfies Record<string, readonly string[]>;

const load = createRequire(import.meta.url); // of what an earlier process has compiled
const compiled = new Map<FileFormat, ValidateFunction>();

/** The validator of a file format: it reports every error, each with the value it is about. Made when it is first asked for. */
export function validatorOf(format: FileFormat): ValidateFunction {
  const validator = compiled.get(format) ?? fromAhead(format) ?? compile(format).validator;
  compiled.set(format, validator);
  return validator;
}

/** Writes what compiling gives for later processes: to load it takes a tenth of the time. */
export function precompileValidators(): void {
  const standalone = library.ajvStandalone();
  for (const format of Object.keys(uses) as FileFormat[]) {
    const { ajv, validator } = compile(format, { code: { source: true } });
    const file = fileAhead(format);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, `${standalone(ajv, validator)}\nmodule.exports.digest = ${JSON.stringify(digestOf(format))};\n`);
  }
}

/** What an earlier process has compiled; undefined where there is nothing, or a schema has changed since. */
function fromAhead(format: FileFormat): ValidateFunction | undefined {
  const file = fileAhead(format);
  if (!existsSync(file)) return undefined;
  const ahead = load(file) as ValidateFunction & { digest: string };
  return ahead.digest === digestOf(format) ? ahead : undefined;
}

function fileAhead(format: FileFormat): string {
  return join(import.meta.dirname, "validators", `${format}.cjs`);
}

function compile(format: FileFormat, options: Options = {}): { ajv: Ajv2020; validator: ValidateFunction } {
  const { Ajv2020, addFormats } = library.ajv();
  // that the schemas are sound is tested; to find it out each time would take as long as to compile them
  const common = { allErrors: true, strict: false, logger: false, verbose: true, validateSchema: false } as const;
  const ajv = new Ajv2020({ ...common, ...options });
  addFormats(ajv);
  for (const used of uses[format]) ajv.addSchema(JSON.parse(read(used)));
  return { ajv, validator: ajv.compile(JSON.parse(read(format))) };
}

function digestOf(format: FileFormat): string {
  const hash = createHash("sha256");
  for (const one of [format, ...uses[format]]) hash.update(read(one));
  return hash.digest("hex");
}

function read(format: FileFormat): string {
  return readFileSync(join(schemas(), `${format}.json`), "utf8");
}

/** The directory of the schemas: it lies beside `src`, whether the code runs from there or from `dist`. */
function schemas(): string {
  for (let here = dirname(fileURLToPath(import.meta.url)); here !== dirname(here); here = dirname(here)) {
    const found = join(here, "spec", "schema");
    if (existsSync(join(found, "scenario.json"))) return found;
  }
  throw new Error("this package is damaged: it has no spec/schema");
}
