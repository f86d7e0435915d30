import type { SystemUnderTest } from "../../engine/property/property.js";
import type { Row, Step } from "../../engine/scenario/format.js";
import type { Change } from "./probes.js";
import { ceilings } from "./valid-request.js";

/** What a patch of a key whose ceilings are still the first may do: raise neither (KEY-PATCH-RAISE), lower both (KEY-PATCH-LOWER). */
const probes: readonly { json: Row; accepted: boolean }[] = [
  { json: { requests_per_minute: ceilings.requests_per_minute + 1 }, accepted: false },
  { json: { dollars_per_hour: ceilings.dollars_per_hour + 1 }, accepted: false },
  {
    json: { requests_per_minute: ceilings.requests_per_minute - 1, dollars_per_hour: ceilings.dollars_per_hour - 0.5 },
    accepted: true,
  },
];

/** Whether the ceilings of the key that a refused patch was for are no longer those it was made with. No route shows a key, so it is told by what a patch may do. */
export async function keyChange(sut: SystemUnderTest): Promise<Change | undefined> {
  for (const { json, accepted } of probes) {
    const step: Step = { rest: "PATCH /api/keys/{key_id}", session: "admin", json };
    const sent = await sut.send(step);
    if (!sent.ok) return undefined;
    const { status } = sent.response;
    if (status < 300 === accepted) continue;
    return {
      step: { ...step, expect: { status: accepted ? "2xx" : 400 } },
      why: `the key's ceilings are others: a patch with ${JSON.stringify(json)} gets ${status}`,
    };
  }
  return undefined;
}
