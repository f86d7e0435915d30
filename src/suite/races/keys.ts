import fc from "fast-check";
import type { WireResponse } from "../../engine/http/exchange.js";
import type { CaseOutcome, Property, SystemUnderTest } from "../../engine/property/property.js";
import type { AnswerText, Step } from "../../engine/scenario/format.js";
import { inconclusive } from "../laws/blame.js";
import { prepare } from "../laws/prepare.js";
import { triageActs } from "../statements/observations.js";
import { VIEW_SCOPES } from "../statements/roles.js";
import { MAKES_KEYS, newKey, openFinding, patchScopes } from "../statements/set-ups.js";
import { explain, type Operation, type Specification } from "./linearizable.js";
import { outcomes, type PossibleAnswer } from "./outcomes.js";
import { afterwards, type Contender, isOk, race, raceStep, statusesOf, unexplained } from "./race.js";

/** What is done with one key at once. */
type Op = "use" | "take";

/** Whether the key may still. */
type State = { may: boolean };

/** A key is used while what it may is taken from it: let through before, refused with a status after. `aside` lists statuses that tell neither. */
function untilTaken(refusal: number, aside: readonly number[] = []): Specification<State, Op, WireResponse> {
  return {
    initial: [{ may: true }],
    apply({ may }, op, answer) {
      if (op === "take") return isOk(answer) ? [{ may: false }] : [];
      if (aside.includes(answer.status)) return [{ may }];
      return may ? (isOk(answer) ? [{ may }] : []) : answer.status === refusal ? [{ may }] : [];
    },
  };
}

const needs = ["worlds", ...MAKES_KEYS];
const makeKey = newKey([...VIEW_SCOPES, "triage_observations"]);
const narrow = patchScopes(VIEW_SCOPES);
const triage: Step = { rest: triageActs.acknowledge.route, as: "mine" };
const read: Step = { rest: "GET /api/jobs", query: { limit: 1 }, as: "mine" };

/** What a call lacking the matching scope gets. */
const NARROWED = 403;
/** OBS-ACK-AGAIN: what acknowledging another time may be refused with, whether the key may or not. */
const AGAIN: readonly number[] = [400, 404, 409, 422];

/** SCOPE-NARROW-EFFECT: a call that begins when the PATCH is answered is refused, and none passes after one was refused. */
export const narrowingIsSerial: Property<{ before: number; after: number }> = {
  id: "race-key-narrowing",
  title: "A key that is narrowed while it is used is let through until then and refused from then on",
  proves: ["SCOPE-NARROW-EFFECT", "KEY-PATCH-SCOPES"],
  needs,
  effects: ["read", "write"],
  runs: 8,
  cases: () => fc.record({ before: fc.integer({ min: 1, max: 5 }), after: fc.integer({ min: 0, max: 5 }) }),
  run: narrowAtOnce,
};

async function narrowAtOnce(sut: SystemUnderTest, { before, after }: { before: number; after: number }): Promise<CaseOutcome> {
  const setUp = [openFinding, makeKey];
  const unready = await prepare(sut, setUp);
  if (unready) return unready;
  const use: Contender<Op> = { op: "use", step: triage };
  const contenders = [
    ...Array<Contender<Op>>(before).fill(use),
    { op: "take" as const, step: narrow },
    ...Array<Contender<Op>>(after).fill(use),
  ];
  const raced = await race(sut, contenders, [NARROWED]);
  if (!raced.ok) return raced.found;
  if (!isOk((raced.history[before] as Operation<Op, WireResponse>).answer)) return inconclusive("the PATCH was refused");
  const then = await afterwards(sut, use, raced.history, [NARROWED]);
  if (!then.ok) return then.found;
  const rules = untilTaken(NARROWED, AGAIN);
  if (explain(then.history, rules).ok) {
    const told = then.history.at(-1)?.answer.status === NARROWED;
    return told ? { verdict: "passed", subjects: then.history.length } : inconclusive("what is done already is refused for that");
  }
  const some = outcomes(
    contenders.map(({ op }) => op),
    { may: true },
    answersOf,
  );
  const raceFails = !explain(raced.history, rules).ok;
  const refused = { ...triage, expect: { status: NARROWED, error: { type: "permission_error" } } };
  const needed = raceFails
    ? [...setUp, raceStep(contenders, { oneOf: some.map((answers) => ({ answers })) })]
    : [...setUp, raceStep(contenders), refused];
  return unexplained(sut, ["SCOPE-NARROW-EFFECT"], `a key narrowed in use: ${statusesOf(then.history)}`, needed);
}

/** KEY-STATE-REVOKED: the same for revoking, which is done behind the service. */
export const revokingIsSerial: Property<{ uses: number }> = {
  id: "race-key-revoking",
  title: "A key that is revoked while it is used is let through until then and refused from then on",
  proves: ["KEY-STATE-REVOKED"],
  needs: [...needs, "drive.revoke-key"],
  effects: ["read", "write"],
  runs: 8,
  cases: () => fc.record({ uses: fc.integer({ min: 1, max: 10 }) }),
  run: revokeAtOnce,
};

async function revokeAtOnce(sut: SystemUnderTest, { uses }: { uses: number }): Promise<CaseOutcome> {
  const unready = await prepare(sut, [makeKey]);
  if (unready) return unready;
  const use: Contender<Op> = { op: "use", step: read };
  const [raced, revoked] = await Promise.all([
    race(sut, Array<Contender<Op>>(uses).fill(use)),
    sut.drive("revoke-key", { key_id: sut.lookup("key_id") }),
  ]);
  if (!raced.ok) return raced.found;
  if (!revoked.ok) return inconclusive(`the key could not be revoked: ${revoked.why}`);
  const then = await afterwards(sut, use, raced.history);
  if (!then.ok) return then.found;
  const end = Math.max(...raced.history.map(({ returnedAt }) => returnedAt));
  const taking = { calledAt: Number.NEGATIVE_INFINITY, returnedAt: end }; // when exactly is not known
  const taken: Operation<Op, WireResponse> = {
    op: "take",
    answer: { status: 200, headers: {}, body: new Uint8Array() },
    ...taking,
  };
  if (explain([taken, ...then.history], untilTaken(401)).ok) return { verdict: "passed", subjects: uses + 1 };
  const revoking: Step = { drive: "revoke-key", with: { key_id: "{key_id}" } };
  const why = `a key revoked in use: ${statusesOf(then.history)}`;
  return unexplained(sut, ["KEY-STATE-REVOKED"], why, [makeKey, revoking, { ...read, expect: { status: 401 } }]);
}

function answersOf({ may }: State, op: Op): PossibleAnswer<State, AnswerText>[] {
  if (op === "take") return [{ expect: { status: "2xx" }, next: { may: false } }];
  return [{ expect: { status: [may ? "2xx" : NARROWED, ...AGAIN] }, next: { may } }];
}
