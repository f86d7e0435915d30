import fc, { type Arbitrary } from "fast-check";
import type { Coverage } from "../../../engine/property/coverage.js";
import { type Fault, nameFault } from "./fault.js";
import { drawFieldFaults, drawSpecialFaults } from "./field-faults.js";
import { drawContentFaults, drawCredentialFaults, drawHeaderFaults } from "./header-faults.js";
import type { Operation } from "./operation.js";
import { drawPathFaults } from "./path-faults.js";

/** One case: the seed of a valid request, and the fault that is applied to it. */
export interface FuzzCase {
  seed: number;
  fault: Fault;
}

/** Coverage kind of faults. */
export const FAULT_POINT_KIND = "faults";

/** Cases per kind of fault. It is above 1 because a batch may draw one kind twice and omit another. */
export const MAX_DRAWS_PER_FAULT = 1.4;

/** Largest seed of a valid request. Seed 0 has only required fields. */
const MAX_SEED = 50;

/** Returns an arbitrary for each fault of an operation. */
export function listFaults(operation: Operation): Arbitrary<Fault>[] {
  const { route, query, body } = operation;
  const repeatedParameters = Object.keys(query.properties).map((name) =>
    fc.constantFrom<[string, string]>(["a", "b"], ["1", "1"]).map((values): Fault => ({ kind: "twice", name, values })),
  );
  return [
    fc.constant<Fault>({ kind: "none" }),
    ...drawFieldFaults("query", query),
    ...repeatedParameters,
    fc.constant<Fault>({ kind: "method", value: "PUT" }), // no path of the document has PUT
    ...(body ? [...drawFieldFaults("body", body), ...drawSpecialFaults(route), ...drawContentFaults()] : []),
    ...drawPathFaults(operation),
    ...drawHeaderFaults(body !== undefined),
    ...drawCredentialFaults(),
  ];
}

/** Draws cases; uncovered kinds of faults come first. */
export function drawCases(faults: readonly Arbitrary<Fault>[], coverage: Coverage): Arbitrary<FuzzCase> {
  const named = faults.map((fault) => ({ fault, name: readKind(fault) }));
  coverage.expect(
    FAULT_POINT_KIND,
    named.map(({ name }) => name),
  );
  const unmet = new Set(coverage.unreached(FAULT_POINT_KIND));
  const next = named.filter(({ name }) => unmet.has(name));
  const drawn = (next.length > 0 ? next : named).map(({ fault }) => fault);
  return fc.record({ seed: fc.nat(MAX_SEED), fault: fc.oneof(...drawn) });
}

/** Returns the coverage name of an arbitrary's faults, derived from its first value. */
function readKind(fault: Arbitrary<Fault>): string {
  return nameForCoverage(fc.sample(fault, { numRuns: 1, seed: 1 })[0] as Fault);
}

/** Returns the name under which the coverage counts a fault. */
export function nameForCoverage(fault: Fault): string {
  if (fault.kind === "extra") return `extra ${fault.in}`;
  if (fault.kind === "edge" && isWord(fault.value)) return `edge ${fault.in}.${fault.name}`;
  return nameFault(fault);
}

/** Returns whether a value is an enum value instead of a length or a limit. */
function isWord(value: unknown): boolean {
  return typeof value === "boolean" || (typeof value === "string" && !/^(.)\1*$/u.test(value));
}
