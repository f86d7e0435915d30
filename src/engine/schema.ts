import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { ErrorObject, Options, ValidateFunction } from "ajv";
import type { Ajv2020 } from "ajv/dist/2020.js";
import { makeDirectory } from "../common/directory.js";
import { library } from "./library.js";

/** A file format, by the name of its schema in `spec/schema`. */
export type FileFormat = keyof typeof formatUses;

/** The formats whose schemas each format refers to. */
const formatUses = {
  scenario: [],
  setup: ["scenario"],
  target: [],
  waivers: [],
  report: [],
  trace: [],
  baseline: [],
} as const satisfies Record<string, readonly string[]>;

const requireModule = createRequire(import.meta.url);
const compiledValidators = new Map<FileFormat, ValidateFunction>();

/** Returns the validator of a file format. It reports every error with the invalid value. It is compiled at its first use. */
export function findValidator(format: FileFormat): ValidateFunction {
  const validator = compiledValidators.get(format) ?? loadPrecompiled(format) ?? compile(format).validator;
  compiledValidators.set(format, validator);
  return validator;
}

/** Returns the first problem of a value that a validator has refused, such as `/seed must be integer`. */
export function formatFirstProblem({ errors }: ValidateFunction): string {
  const [{ keyword, instancePath = "", message = "is not valid", params = {} } = {} as Partial<ErrorObject>] = errors ?? [];
  if (keyword === "additionalProperties") return `${instancePath}/${params.additionalProperty} is unknown`;
  if (keyword === "discriminator") return `${instancePath}/${params.tag} is ${JSON.stringify(params.tagValue)}, which is unknown`;
  return `${instancePath || "the whole"} ${message}`;
}

/** Compiles all validators to files for later processes. Loading a file takes a tenth of the time of compiling. */
export function precompileValidators(): void {
  const standalone = library.ajvStandalone();
  for (const format of Object.keys(formatUses) as FileFormat[]) {
    const { ajv, validator } = compile(format, { code: { source: true } });
    const file = findPrecompiledFile(format);
    makeDirectory(dirname(file));
    writeFileSync(
      file,
      `${standalone(ajv, validator)}\nmodule.exports.digest = ${JSON.stringify(computeFormatDigest(format))};\n`,
    );
  }
}

/** Returns a precompiled validator; undefined without one, or if its schema has changed. */
function loadPrecompiled(format: FileFormat): ValidateFunction | undefined {
  const file = findPrecompiledFile(format);
  if (!existsSync(file)) return undefined;
  const validator = requireModule(file) as ValidateFunction & { digest: string };
  return validator.digest === computeFormatDigest(format) ? validator : undefined;
}

function findPrecompiledFile(format: FileFormat): string {
  return join(import.meta.dirname, "validators", `${format}.cjs`);
}

function compile(format: FileFormat, options: Options = {}): { ajv: Ajv2020; validator: ValidateFunction } {
  const { Ajv2020, addFormats } = library.ajv();
  // Tests validate the schemas. Validating them here would take as long as compiling them.
  const common = {
    allErrors: true,
    strict: false,
    logger: false,
    verbose: true,
    validateSchema: false,
    discriminator: true,
  } as const;
  const ajv = new Ajv2020({ ...common, ...options });
  addFormats(ajv);
  for (const used of formatUses[format]) ajv.addSchema(JSON.parse(read(used)));
  return { ajv, validator: ajv.compile(JSON.parse(read(format))) };
}

function computeFormatDigest(format: FileFormat): string {
  const hash = createHash("sha256");
  for (const one of [format, ...formatUses[format]]) hash.update(read(one));
  return hash.digest("hex");
}

function read(format: FileFormat): string {
  return readFileSync(join(readSchemas(), `${format}.json`), "utf8");
}

/** Returns the directory of the schemas, which is next to both `src` and `dist`. */
function readSchemas(): string {
  for (let here = dirname(fileURLToPath(import.meta.url)); here !== dirname(here); here = dirname(here)) {
    const found = join(here, "spec", "schema");
    if (existsSync(join(found, "scenario.json"))) return found;
  }
  throw new Error("this package is incomplete: spec/schema is missing. Install it again.");
}
