import fc, { type Arbitrary } from "fast-check";
import type { RouteName } from "../../contract/types.js";
import type { Fault, Wrong } from "./fault.js";

/** Faults that the text names and no schema can: a word kept for the service, a time gone by, an address that is none, a ceiling raised. */
const special: { [R in RouteName]?: [name: string, how: Wrong, values: unknown[]][] } = {
  "POST /api/observations/{ref}/dismiss": [["dismissal_category", "service word", ["exhausted_fix_attempts"]]],
  "POST /api/keys": [
    ["expires_at", "past", ["{now-1h}", "{now-400d}", "1970-01-01T00:00:00Z"]],
    ["allowed_cidrs", "address", [["1.2.3.4/33"], ["300.1.1.1"], ["::g"], ["no address!"], ["203.0.113.0/24", "1.2.3"]]],
  ],
  "PATCH /api/keys/{key_id}": [
    ["requests_per_minute", "raised", [101, 5000]],
    ["dollars_per_hour", "raised", [5.01, 900]],
    ["requests_per_minute", "cleared", [null]],
    ["dollars_per_hour", "cleared", [null]],
  ],
};

/** Draws the faults of an operation that no schema can say. */
export function specialFaults(route: RouteName): Arbitrary<Fault>[] {
  return (special[route] ?? []).map(([name, how, values]) =>
    fc.constantFrom(...values).map((value): Fault => ({ kind: "wrong", in: "body", name, how, value })),
  );
}
