import type { ErrorObject, ValidateFunction } from "ajv";
import { compileSchema, readSpec } from "../../contract/load.js";
import type { Snapshot } from "../../service/fixture/snapshot.js";
import { findWorldErrors } from "../../service/fixture/world-validation.js";
import type { Problem } from "../input/problems.js";

/** How many mistakes a message names beside the first. */
const mostShown = 2;

let validator: ValidateFunction | undefined;

/** Returns the problem with a snapshot, validated completely: schema, values and references. Null when it is valid. */
export function snapshotProblem(given: object): Problem | null {
  const form = formProblem(given);
  if (form) return form;
  const faults = findWorldErrors((given as Snapshot).world);
  const [first] = faults;
  if (!first) return null;
  const shown = faults.slice(0, mostShown + 1).map(({ path, problem }) => `${pointerOf(["world", ...path])}: ${problem}`);
  return about(["world", ...first.path], sentence(shown, faults.length));
}

function formProblem(given: object): Problem | null {
  if ((given as Partial<Snapshot>).snapshot !== 1)
    return {
      ...about(["snapshot"], "This is no snapshot of this version; send what GET …/snapshot answered."),
      allowed: ["1"],
    };
  const lender = readSpec("schema/fixture.json") as object;
  validator ??= compileSchema(readSpec("schema/snapshot.json") as object, { schemas: [lender], allErrors: false });
  if (validator(given)) return null;
  const [first] = validator.errors ?? [];
  const path = first ? pathOf(first) : [];
  return about(path, `${pointerOf(path)} ${first ? wordsOf(first) : "is wrong"}.`);
}

/** Another copy of a world would say what is missing; a value says what it must be. */
function wordsOf({ keyword, message, params }: ErrorObject): string {
  if (keyword === "required") return "is missing";
  if (keyword === "additionalProperties") return "is not known";
  const values = (params.allowedValues as unknown[] | undefined)?.join(", ");
  return `${message}${values ? `: ${values}` : ""}`;
}

function pathOf({ instancePath, params }: ErrorObject): string[] {
  const names = instancePath.split("/").slice(1);
  const name = params.missingProperty ?? params.additionalProperty;
  const parts = names.map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
  return typeof name === "string" ? [...parts, name] : parts;
}

function about(path: readonly (string | number)[], problem: string): Problem {
  return { problem, field: path.join("."), pointer: pointerOf(path) };
}

/** RFC 6901. */
function pointerOf(path: readonly (string | number)[]): string {
  return path.map((part) => `/${String(part).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}

function sentence(shown: string[], all: number): string {
  return `${shown.join(" ")}${all > shown.length ? ` And ${all - shown.length} more.` : ""}`;
}
