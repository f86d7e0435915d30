import type { ErrorObject, ValidateFunction } from "ajv";
import type { Problem } from "../../common/problem.js";
import { compileSchema, readSpec } from "../../contract/load.js";
import type { Snapshot } from "../../service/fixture/snapshot.js";
import { findWorldErrors } from "../../service/fixture/world-validation.js";

/** Maximum number of mistakes in a message besides the first. */
const maxShownFaults = 2;

let validator: ValidateFunction | undefined;

/** Returns the problem with a snapshot, validated completely: schema, values and references. Null when it is valid. */
export function findSnapshotProblem(given: object): Problem | null {
  const form = findFormProblem(given);
  if (form) return form;
  const faults = findWorldErrors((given as Snapshot).world);
  const [first] = faults;
  if (!first) return null;
  const shown = faults.slice(0, maxShownFaults + 1).map(({ path, problem }) => `${buildPointer(["world", ...path])}: ${problem}`);
  return describeProblem(["world", ...first.path], writeSentence(shown, faults.length));
}

function findFormProblem(given: object): Problem | null {
  if ((given as Partial<Snapshot>).snapshot !== 1)
    return {
      ...describeProblem(["snapshot"], "This is not a snapshot of this version. Send the answer of GET …/snapshot."),
      allowed: ["1"],
    };
  const fixtureSchema = readSpec("schema/fixture.json") as object;
  validator ??= compileSchema(readSpec("schema/snapshot.json") as object, { schemas: [fixtureSchema], allErrors: false });
  if (validator(given)) return null;
  const [first] = validator.errors ?? [];
  const path = first ? readPath(first) : [];
  return describeProblem(path, `${buildPointer(path)} ${first ? describeFault(first) : "is wrong"}.`);
}

/** Returns the problem of a schema error in words: a missing field, an unknown field, or the allowed values. */
function describeFault({ keyword, message, params }: ErrorObject): string {
  if (keyword === "required") return "is missing";
  if (keyword === "additionalProperties") return "is not known";
  const values = (params.allowedValues as unknown[] | undefined)?.join(", ");
  return `${message}${values ? `: ${values}` : ""}`;
}

function readPath({ instancePath, params }: ErrorObject): string[] {
  const names = instancePath.split("/").slice(1);
  const name = params.missingProperty ?? params.additionalProperty;
  const parts = names.map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
  return typeof name === "string" ? [...parts, name] : parts;
}

function describeProblem(path: readonly (string | number)[], problem: string): Problem {
  return { problem, field: path.join("."), pointer: buildPointer(path) };
}

/** Returns a JSON pointer (RFC 6901). */
function buildPointer(path: readonly (string | number)[]): string {
  return path.map((part) => `/${String(part).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}

function writeSentence(shown: string[], all: number): string {
  return `${shown.join(" ")}${all > shown.length ? ` And ${all - shown.length} more.` : ""}`;
}
