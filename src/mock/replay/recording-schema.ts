import type { ValidateFunction } from "ajv";
import { compileSchema, readSpec } from "../../contract/load.js";
import { listSchemaProblems } from "../input/problems.js";

/** The kinds of lines after the first line, each by a field that only it has. */
const kinds = ["created", "call", "resume", "control", "refused", "answer_to", "rewound", "removed"];

const validators = new Map<string, ValidateFunction>();
let definitions: Record<string, object> | undefined;

/** Returns the mistake in a line of a recording; null for a valid line. */
export function findLineMistake(line: unknown, isFirst: boolean): string | null {
  const kind = isFirst ? "header" : findKind(line);
  if (!kind) return `This is not a line of a recording: it has no field of ${kinds.join(", ")}.`;
  definitions ??= (readSpec("schema/recording.json") as { $defs: Record<string, object> }).$defs;
  const own = definitions[kind] ?? {};
  const validate = validators.get(kind) ?? compileSchema({ ...own, $defs: definitions }, { verbose: true });
  validators.set(kind, validate);
  return validate(line) ? null : listSchemaProblems(validate.errors, own, "the line").problem;
}

function findKind(line: unknown): string | undefined {
  return typeof line === "object" && line !== null ? kinds.find((kind) => Object.hasOwn(line, kind)) : undefined;
}
