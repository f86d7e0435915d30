import fc, { type Arbitrary } from "fast-check";
import type { Coverage } from "../../engine/property/coverage.js";
import { type Fault, nameOf } from "./fault.js";
import { fieldFaults } from "./field-faults.js";
import type { Operation } from "./operation.js";
import { pathFaults } from "./path-faults.js";
import { specialFaults } from "./special-faults.js";
import { contentFaults, credentialFaults, headerFaults } from "./wire-faults.js";

/** One case: a valid request by its seed, and the one fault that is put into it. */
export interface FuzzCase {
  seed: number;
  fault: Fault;
}

/** The kind of point that a fault is in coverage. */
export const FAULTS = "faults";

/** Cases for each kind of fault, so that chance leaves few of them out: a batch may draw one twice. */
export const TRIES_PER_FAULT = 1.4;

/** The seed of a fault's valid request is small: 0 is the barest, and any other is as good as the next. */
const SEEDS = 50;

/** Every way in which a request of an operation can be odd. */
export function faultsOf(operation: Operation): Arbitrary<Fault>[] {
  const { route, query, body } = operation;
  const twice = Object.keys(query.properties).map((name) =>
    fc.constantFrom<[string, string]>(["a", "b"], ["1", "1"]).map((values): Fault => ({ kind: "twice", name, values })),
  );
  return [
    fc.constant<Fault>({ kind: "none" }),
    ...fieldFaults("query", query),
    ...twice,
    fc.constant<Fault>({ kind: "method", value: "PUT" }), // no path of the document has it
    ...(body ? [...fieldFaults("body", body), ...specialFaults(route), ...contentFaults()] : []),
    ...pathFaults(operation),
    ...headerFaults(body !== undefined),
    ...credentialFaults(),
  ];
}

/** Draws cases, those first whose kind of fault was not met yet. */
export function casesOf(faults: readonly Arbitrary<Fault>[], coverage: Coverage): Arbitrary<FuzzCase> {
  const named = faults.map((fault) => ({ fault, name: kindOf(fault) }));
  coverage.expect(
    FAULTS,
    named.map(({ name }) => name),
  );
  const unmet = new Set(coverage.unreached(FAULTS));
  const next = named.filter(({ name }) => unmet.has(name));
  const drawn = (next.length > 0 ? next : named).map(({ fault }) => fault);
  return fc.record({ seed: fc.nat(SEEDS), fault: fc.oneof(...drawn) });
}

/** The name of what an arbitrary draws: that of its first value, less what differs from case to case. */
function kindOf(fault: Arbitrary<Fault>): string {
  return coverageName(fc.sample(fault, { numRuns: 1, seed: 1 })[0] as Fault);
}

/** The name under which a fault counts as met. */
export function coverageName(fault: Fault): string {
  if (fault.kind === "extra") return `extra ${fault.in}`;
  if (fault.kind === "edge" && isWord(fault.value)) return `edge ${fault.in}.${fault.name}`;
  return nameOf(fault);
}

/** A word of a list, not a length or a bound. */
function isWord(value: unknown): boolean {
  return typeof value === "boolean" || (typeof value === "string" && !/^(.)\1*$/u.test(value));
}
