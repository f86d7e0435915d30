import fc from "fast-check";
import type { WireResponse } from "../../engine/http/exchange.js";
import type { CaseOutcome, Property, SystemUnderTest } from "../../engine/property/property.js";
import type { ResponseText, Step } from "../../engine/scenario/format.js";
import { createInconclusive } from "../laws/outcome.js";
import { prepare } from "../laws/steps.js";
import { triageActions } from "../statements/observations.js";
import { VIEW_SCOPES } from "../statements/roles.js";
import { createKeyStep, KEY_CREATION_NEEDS, openFinding, patchScopesStep } from "../statements/setup-steps.js";
import { explain, listOutcomes, type Operation, type PossibleResponse, type Specification } from "./linearizability.js";
import { createNotSerializable, createRaceStep, formatStatuses, isOk, type RaceRequest, runRace, sendAfterRace } from "./race.js";

/** A request with the key, or the request that restricts the key. */
type Op = "use" | "restrict";

/** Whether the server accepts requests with the key. */
type State = { may: boolean };

/**
 * Returns the specification of a key that is restricted during use: accepted before, refused with one status after. `neutral` lists statuses that
 * show neither.
 */
function createRestrictedKey(refusal: number, neutral: readonly number[] = []): Specification<State, Op, WireResponse> {
  return {
    initial: [{ may: true }],
    apply({ may }, op, response) {
      if (op === "restrict") return isOk(response) ? [{ may: false }] : [];
      if (neutral.includes(response.status)) return [{ may }];
      return may ? (isOk(response) ? [{ may }] : []) : response.status === refusal ? [{ may }] : [];
    },
  };
}

const needs = ["worlds", ...KEY_CREATION_NEEDS];
const makeKey = createKeyStep([...VIEW_SCOPES, "triage_observations"]);
const narrowScopesStep = patchScopesStep(VIEW_SCOPES);
const triage: Step = { rest: triageActions.acknowledge.route, as: "mine" };
const readStep: Step = { rest: "GET /api/jobs", query: { limit: 1 }, as: "mine" };

/** The status of a request that lacks the scope. */
const FORBIDDEN_STATUS = 403;
/** OBS-ACK-AGAIN: statuses with which the server may refuse a repeated acknowledgement, with or without the scope. */
const REPEATED_STATUSES: readonly number[] = [400, 404, 409, 422];

/** SCOPE-NARROW-EFFECT: a request that starts after the response to the PATCH is refused, and none succeeds after a refusal. */
export const keyNarrowingRace: Property<{ before: number; after: number }> = {
  id: "race-key-narrowing",
  title: "A key whose scopes are narrowed during use is accepted until the PATCH and refused afterwards",
  proves: ["SCOPE-NARROW-EFFECT", "KEY-PATCH-SCOPES"],
  needs,
  effects: ["read", "write"],
  runs: 8,
  cases: () => fc.record({ before: fc.integer({ min: 1, max: 5 }), after: fc.integer({ min: 0, max: 5 }) }),
  run: runNarrowing,
};

async function runNarrowing(sut: SystemUnderTest, { before, after }: { before: number; after: number }): Promise<CaseOutcome> {
  const setup = [openFinding, makeKey];
  const setupFailure = await prepare(sut, setup);
  if (setupFailure) return setupFailure;
  const use: RaceRequest<Op> = { op: "use", step: triage };
  const contenders = [
    ...Array<RaceRequest<Op>>(before).fill(use),
    { op: "restrict" as const, step: narrowScopesStep },
    ...Array<RaceRequest<Op>>(after).fill(use),
  ];
  const result = await runRace(sut, contenders, [FORBIDDEN_STATUS]);
  if (!result.ok) return result.found;
  if (!isOk((result.history[before] as Operation<Op, WireResponse>).answer)) return createInconclusive("the PATCH was refused");
  const then = await sendAfterRace(sut, use, result.history, [FORBIDDEN_STATUS]);
  if (!then.ok) return then.found;
  const rules = createRestrictedKey(FORBIDDEN_STATUS, REPEATED_STATUSES);
  if (explain(then.history, rules).ok) {
    const isRefused = then.history.at(-1)?.answer.status === FORBIDDEN_STATUS;
    return isRefused
      ? { verdict: "passed", subjects: then.history.length }
      : createInconclusive("the server refuses a repeated acknowledgement, with or without the scope");
  }
  const possible = listOutcomes(
    contenders.map(({ op }) => op),
    { may: true },
    listPossibleResponses,
  );
  const explainFailure = !explain(result.history, rules).ok;
  const refused = { ...triage, expect: { status: FORBIDDEN_STATUS, error: { type: "permission_error" } } };
  const needed = explainFailure
    ? [...setup, createRaceStep(contenders, { oneOf: possible.map((responses) => ({ answers: responses })) })]
    : [...setup, createRaceStep(contenders), refused];
  return createNotSerializable(
    sut,
    ["SCOPE-NARROW-EFFECT"],
    `requests with a key that was narrowed got ${formatStatuses(then.history)}`,
    needed,
  );
}

/** KEY-STATE-REVOKED: the same for a revocation, which an event of the target file causes. */
export const keyRevocationRace: Property<{ uses: number }> = {
  id: "race-key-revoking",
  title: "A key that is revoked during use is accepted until the revocation and refused afterwards",
  proves: ["KEY-STATE-REVOKED"],
  needs: [...needs, "drive.revoke-key"],
  effects: ["read", "write"],
  runs: 8,
  cases: () => fc.record({ uses: fc.integer({ min: 1, max: 10 }) }),
  run: runRevocation,
};

async function runRevocation(sut: SystemUnderTest, { uses }: { uses: number }): Promise<CaseOutcome> {
  const setupFailure = await prepare(sut, [makeKey]);
  if (setupFailure) return setupFailure;
  const use: RaceRequest<Op> = { op: "use", step: readStep };
  const [result, revoked] = await Promise.all([
    runRace(sut, Array<RaceRequest<Op>>(uses).fill(use)),
    sut.drive("revoke-key", { key_id: sut.lookup("key_id") }),
  ]);
  if (!result.ok) return result.found;
  if (!revoked.ok) return createInconclusive(`the key could not be revoked: ${revoked.why}`);
  const then = await sendAfterRace(sut, use, result.history);
  if (!then.ok) return then.found;
  const end = Math.max(...result.history.map(({ returnedAt }) => returnedAt));
  const interval = { calledAt: Number.NEGATIVE_INFINITY, returnedAt: end }; // the exact time is unknown
  const restriction: Operation<Op, WireResponse> = {
    op: "restrict",
    answer: { status: 200, headers: {}, body: new Uint8Array() },
    ...interval,
  };
  if (explain([restriction, ...then.history], createRestrictedKey(401)).ok) return { verdict: "passed", subjects: uses + 1 };
  const revoking: Step = { drive: "revoke-key", with: { key_id: "{key_id}" } };
  const why = `requests with a key that was revoked got ${formatStatuses(then.history)}`;
  return createNotSerializable(sut, ["KEY-STATE-REVOKED"], why, [makeKey, revoking, { ...readStep, expect: { status: 401 } }]);
}

function listPossibleResponses({ may }: State, op: Op): PossibleResponse<State, ResponseText>[] {
  if (op === "restrict") return [{ expect: { status: "2xx" }, next: { may: false } }];
  return [{ expect: { status: [may ? "2xx" : FORBIDDEN_STATUS, ...REPEATED_STATUSES] }, next: { may } }];
}
