import fc from "fast-check";
import { inconclusive } from "../laws/blame.js";
import { prepare } from "../laws/check.js";
import { openFinding } from "../laws/set-up.js";
import type { Found, Property, Scene } from "../property/property.js";
import type { AnswerText, Step } from "../scenario/format.js";
import type { WireResponse } from "../wire/exchange.js";
import { explain, type Operation, type Specification } from "./linearizable.js";
import { type Allowed, outcomes } from "./outcomes.js";
import { afterwards, type Contender, isOk, race, raceStep, statusesOf, unexplained } from "./race.js";

/** What is done with one key at once. */
type Op = "use" | "take";

/** Whether the key may still. */
type State = { may: boolean };

/** A key is used while what it may is taken from it: let through before, refused with a status after. */
function untilTaken(refusal: number): Specification<State, Op, WireResponse> {
  return {
    initial: [{ may: true }],
    apply({ may }, op, answer) {
      if (op === "take") return isOk(answer) ? [{ may: false }] : [];
      return may ? (isOk(answer) ? [{ may }] : []) : answer.status === refusal ? [{ may }] : [];
    },
  };
}

const KEY_NEEDS = [
  "worlds",
  "session.admin",
  "surface.app",
  "binding.key_value_field",
  "binding.key_scopes_field",
  "binding.key_name_field",
];
const VIEWS = ["view_repositories", "view_jobs"];
const newKey: Step = {
  rest: "POST /api/keys",
  session: "admin",
  json: {
    "{binding.key_name_field}": "examiner {unique}",
    "{binding.key_scopes_field}": [...VIEWS, "triage_observations"],
    expires_at: "{now+1h}",
  },
  save: { key_id: "/key_id" },
  saveKey: { mine: "/{binding.key_value_field}" },
};
const narrow: Step = { rest: "PATCH /api/keys/{key_id}", session: "admin", json: { "{binding.key_scopes_field}": VIEWS } };
const triage: Step = { rest: "POST /api/observations/{ref}/acknowledge", as: "mine" };
const read: Step = { rest: "GET /api/jobs", query: { limit: 1 }, as: "mine" };

/** SCOPE-NARROW-EFFECT: a call that begins when the PATCH is answered is refused, and none passes after one was refused. */
export const narrowingIsSerial: Property<{ before: number; after: number }> = {
  id: "race-key-narrowing",
  title: "A key that is narrowed while it is used is let through until then and refused from then on",
  proves: ["SCOPE-NARROW-EFFECT", "KEY-PATCH-SCOPES"],
  needs: KEY_NEEDS,
  effects: ["read", "write"],
  runs: 8,
  cases: () => fc.record({ before: fc.integer({ min: 1, max: 5 }), after: fc.integer({ min: 0, max: 5 }) }),
  play: narrowAtOnce,
};

async function narrowAtOnce(scene: Scene, { before, after }: { before: number; after: number }): Promise<Found> {
  const setUp = [openFinding, newKey];
  const unready = await prepare(scene, setUp);
  if (unready) return unready;
  const use: Contender<Op> = { op: "use", step: triage };
  const contenders = [
    ...Array<Contender<Op>>(before).fill(use),
    { op: "take" as const, step: narrow },
    ...Array<Contender<Op>>(after).fill(use),
  ];
  const raced = await race(scene, contenders);
  if (!raced.ok) return raced.found;
  if (!isOk((raced.history[before] as Operation<Op, WireResponse>).answer)) return inconclusive("the PATCH was refused");
  const then = await afterwards(scene, use, raced.history);
  if (!then.ok) return then.found;
  const rules = untilTaken(403);
  if (explain(then.history, rules).ok) return { verdict: "passed", subjects: then.history.length };
  const some = outcomes(
    contenders.map(({ op }) => op),
    { may: true },
    allowed,
  );
  const raceFails = !explain(raced.history, rules).ok;
  const refused = { ...triage, expect: { status: 403, error: { type: "permission_error" } } };
  const needed = raceFails
    ? [...setUp, raceStep(contenders, { oneOf: some.map((answers) => ({ answers })) })]
    : [...setUp, raceStep(contenders), refused];
  return unexplained(scene, ["SCOPE-NARROW-EFFECT"], `a key narrowed in use: ${statusesOf(then.history)}`, needed);
}

/** KEY-STATE-REVOKED: the same for revoking, which is done behind the service. */
export const revokingIsSerial: Property<{ uses: number }> = {
  id: "race-key-revoking",
  title: "A key that is revoked while it is used is let through until then and refused from then on",
  proves: ["KEY-STATE-REVOKED"],
  needs: [...KEY_NEEDS, "drive.revoke-key"],
  effects: ["read", "write"],
  runs: 8,
  cases: () => fc.record({ uses: fc.integer({ min: 1, max: 10 }) }),
  play: revokeAtOnce,
};

async function revokeAtOnce(scene: Scene, { uses }: { uses: number }): Promise<Found> {
  const unready = await prepare(scene, [newKey]);
  if (unready) return unready;
  const use: Contender<Op> = { op: "use", step: read };
  const [raced, revoked] = await Promise.all([
    race(scene, Array<Contender<Op>>(uses).fill(use)),
    scene.drive("revoke-key", { key_id: scene.look("key_id") }),
  ]);
  if (!raced.ok) return raced.found;
  if (!revoked.ok) return inconclusive(`the key could not be revoked: ${revoked.why}`);
  const then = await afterwards(scene, use, raced.history);
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
  return unexplained(scene, ["KEY-STATE-REVOKED"], why, [newKey, revoking, { ...read, expect: { status: 401 } }]);
}

function allowed({ may }: State, op: Op): Allowed<State, AnswerText>[] {
  if (op === "take") return [{ expect: { status: "2xx" }, next: { may: false } }];
  return [{ expect: { status: may ? "2xx" : 403 }, next: { may } }];
}
