import type { Check } from "../../execute/check.js";
import type { Mismatch } from "../../execute/expect/match.js";

/** One way in which the responses of an operation differ from the expectation. */
export interface Symptom {
  /** Operation and place. If the place is not a field, also the clauses. Findings with the same key have the same cause. */
  key: string;
  /** Operation and place. A setup with the same mismatch is blocked by the same cause. */
  place: string;
  /** Place and difference without the operation. The same rule may be broken for several operations. */
  rule: string;
  operation: string;
  mismatch: Mismatch;
  /** The place is a header or one field. */
  isField: boolean;
}

/** Statuses of a server that does not know a route. */
export const unknownRoute: ReadonlySet<number> = new Set([404, 405, 501]);

const KEY_SEPARATOR = "\n";

/** Returns the symptoms of a check. If the status mismatches, it is the only symptom: the other mismatches follow from it. */
export function listSymptoms(check: Check): Symptom[] {
  return listRelevantMismatches(check).map((mismatch) => {
    const { tool, status, header, absent, expected } = mismatch;
    const operation = tool === undefined ? (check.operation ?? "the server") : `tool ${tool}`;
    const isField = header !== undefined || isFieldPlace(mismatch);
    const place = describePlace(mismatch);
    const wrongValue = absent ? "absent" : expected;
    const rule = (status === undefined ? [namePlace(mismatch), "", wrongValue] : [place]).join(KEY_SEPARATOR); // operations may allow other statuses beside
    const circumstance = isField ? [] : [status === undefined ? "" : expected, ...check.clauses];
    return {
      ...{ operation, rule, mismatch, isField, place: [operation, place].join(KEY_SEPARATOR) },
      key: [operation, status === undefined ? place : "status", ...circumstance].join(KEY_SEPARATOR),
    };
  });
}

function listRelevantMismatches({ mismatches = [] }: Check): readonly Mismatch[] {
  const ofStatus = mismatches.filter(({ status }) => status !== undefined);
  return ofStatus.length > 0 ? ofStatus : mismatches;
}

/** Returns the place of a mismatch with `*` for the numbers of list items. The place of a status includes its value, or `2xx`. */
export function describePlace({ status, at }: Mismatch): string {
  if (status === undefined) return at.replace(/\/\d+(?=\/|$)/g, "/*");
  return status >= 200 && status < 300 ? "status 2xx" : `status ${status}`;
}

/** Returns the name of the field at a place in quotation marks. A place outside the body keeps its name. */
export function namePlace({ pointer, at }: Mismatch): string {
  return pointer === undefined || pointer === "" ? at : JSON.stringify(pointer.slice(pointer.lastIndexOf("/") + 1));
}

/** Returns whether a place is one field. A list, a whole body or a text can mismatch for many reasons. */
function isFieldPlace({ pointer = "", at, list }: Mismatch): boolean {
  const name = pointer.slice(pointer.lastIndexOf("/"));
  return !list && name !== "" && at.endsWith(name);
}

/** Most values of a dimension that say in which circumstance a check fails. */
const MAX_VALUES = 2;

/** Returns the values that a check covers in the dimensions of its clauses: `status: failed`. Leaves out what the names of operations tell. */
export function listCoveredValues({ covers = {} }: Check, operations: readonly string[]): string[] {
  const all = Object.values(covers).flatMap((dimensions) => Object.entries(dimensions));
  return all.flatMap(([dimension, values]) => {
    const otherValues = values.filter((value) => !operations.some((operation) => operation.endsWith(value)));
    return otherValues.length === 0 || otherValues.length > MAX_VALUES ? [] : [`${dimension}: ${otherValues.join(", ")}`];
  });
}
