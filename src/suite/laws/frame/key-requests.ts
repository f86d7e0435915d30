import type { CaseOutcome, SystemUnderTest } from "../../../engine/property/property.js";
import type { Step } from "../../../engine/scenario/format.js";
import { findEffectClause } from "../../statements/frames.js";
import { VIEW_SCOPES } from "../../statements/roles.js";
import { createKeyBody, KEY_CREATION_NEEDS } from "../../statements/setup-steps.js";
import { assertResponse, prepare } from "../steps.js";

/** A request about keys: no list shows them, so PATCHes of their ceilings show whether these have changed. */
export interface KeyRequest {
  name: string;
  step: Step;
  /** Whether the server must accept it. */
  accepted: boolean;
  /** The clause that a change of another ceiling contradicts. */
  clause: string;
  /** The ceiling of the named key that it may change. */
  changes?: Ceiling;
}

/** The ceilings of both keys, values just above and below them, and a lower one that the requests set. */
const ceilingFields = {
  requests_per_minute: { first: 100, above: 101, below: 99, lower: 50 },
  dollars_per_hour: { first: 5, above: 6, below: 4.5, lower: 2.5 },
} as const;
type Ceiling = keyof typeof ceilingFields;

const CEILING_NAMES = Object.keys(ceilingFields) as readonly Ceiling[];
const PATCH = "PATCH /api/keys/{key_id}";
const CHANGED_KEY = "key_id";
const OTHER_KEY = "other_key_id";

/** The needs of these requests. */
export const KEY_NEEDS = [...KEY_CREATION_NEEDS, "binding.room.keys"] as const;

/** Requests that change one ceiling of a key, and requests that must change no ceiling. */
export const keyRequests: readonly KeyRequest[] = [
  ...CEILING_NAMES.map((ceiling) => ({
    ...{ name: `${PATCH} lowers ${ceiling}`, accepted: true, clause: findEffectClause(PATCH, "rest"), changes: ceiling },
    step: { rest: PATCH, session: "admin", json: { [ceiling]: ceilingFields[ceiling].lower } },
  })),
  ...CEILING_NAMES.map((ceiling) => ({
    ...{ name: `${PATCH} raises ${ceiling}`, accepted: false, clause: "KEY-PATCH-UNCHANGED" },
    step: { rest: PATCH, session: "admin", json: { ...createLowerCeiling(ceiling), [ceiling]: ceilingFields[ceiling].above } },
  })),
  {
    ...{ name: `${PATCH} with a key`, accepted: false, clause: "KEY-MANAGE-PATCH" },
    step: { rest: PATCH, json: { requests_per_minute: ceilingFields.requests_per_minute.lower } },
  },
  {
    ...{ name: "POST /api/keys creates a key", accepted: true, clause: findEffectClause("POST /api/keys", "rest") },
    step: { rest: "POST /api/keys", session: "admin", json: createKeyBody(VIEW_SCOPES) },
  },
];

/** A refused PATCH must change neither ceiling: it also lowers the other. */
function createLowerCeiling(raised: Ceiling): Partial<Record<Ceiling, number>> {
  return Object.fromEntries(CEILING_NAMES.filter((one) => one !== raised).map((one) => [one, ceilingFields[one].lower]));
}

/** Sends a request, and compares the ceilings of both keys with those of their creation. Returns undefined if they are as they must be. */
export async function performKeyRequest(
  sut: SystemUnderTest,
  { name, step, accepted, clause, changes }: KeyRequest,
): Promise<CaseOutcome | undefined> {
  const judged = [CHANGED_KEY, OTHER_KEY].flatMap((key) =>
    CEILING_NAMES.filter((ceiling) => key === OTHER_KEY || ceiling !== changes).map((ceiling) => ({ key, ceiling })),
  );
  const steps: Step[] = [
    ...[CHANGED_KEY, OTHER_KEY].map(createKey),
    ...judged.map(({ key, ceiling }) => ({ ...patch(key, ceiling, "above"), given: { status: 400 } })),
    { ...step, given: accepted ? { status: "2xx" } : { status: "4xx" } },
  ];
  const setupFailure = await prepare(sut, steps);
  if (setupFailure) return setupFailure;
  for (const { key, ceiling } of judged)
    for (const value of ["above", "below"] as const) {
      const probe = { ...patch(key, ceiling, value), expect: { status: value === "above" ? 400 : "2xx" } };
      const which = key === CHANGED_KEY ? "the named key" : "another key";
      const direction = value === "above" ? "raised or removed" : "lowered";
      const why = `${name}: it has ${direction} ${ceiling} of ${which}, which was ${ceilingFields[ceiling].first}`;
      const caseOutcome = await assertResponse(sut, { step: probe, clauses: [clause], why }, { needed: steps });
      if (caseOutcome?.verdict === "failed") return caseOutcome;
      steps.push(probe);
    }
  return undefined;
}

function createKey(save: string): Step {
  const first = Object.fromEntries(CEILING_NAMES.map((one) => [one, ceilingFields[one].first]));
  return {
    rest: "POST /api/keys",
    session: "admin",
    json: { ...createKeyBody(VIEW_SCOPES), ...first },
    save: { [save]: "/key_id" },
  };
}

function patch(key: string, ceiling: Ceiling, value: "above" | "below"): Step {
  return { rest: PATCH.replace("key_id", key), session: "admin", json: { [ceiling]: ceilingFields[ceiling][value] } };
}
