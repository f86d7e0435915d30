import fc from "fast-check";
import { prepare } from "../laws/check.js";
import { openFinding } from "../laws/set-up.js";
import type { Found, Property, Scene } from "../property/property.js";
import type { AnswerText, Step } from "../scenario/format.js";
import type { WireResponse } from "../wire/exchange.js";
import { explain } from "./linearizable.js";
import { outcomes } from "./outcomes.js";
import { afterwards, type Contender, race, raceStep, statusesOf, unexplained } from "./race.js";
import { type Act, allowedTriage, observationRules, reachable, type Shown, shownAs } from "./triage-rules.js";

/** What is done to one observation at once, and whether it is closed before. */
interface Case {
  closed: boolean;
  acts: Act[];
}

const CLAUSES = ["OBS-DISMISS-CLOSES", "OBS-COMPLETE-CLOSES", "OBS-REOPEN-OPENS", "OBS-ACTION-CLOSED"];
const NOTE = "Done at once by the examiner.";
const REQUESTS: Record<Act, Step> = {
  dismiss: { rest: "POST /api/observations/{ref}/dismiss", json: { dismissal_category: "other", dismissal_note: NOTE } },
  complete: { rest: "POST /api/observations/{ref}/complete", json: { note: NOTE } },
  acknowledge: { rest: "POST /api/observations/{ref}/acknowledge" },
  reopen: { rest: "POST /api/observations/{ref}/reopen", json: { reopen_reason: NOTE } },
  look: { rest: "GET /api/observations/{ref}" },
};

/** OBS-*: changes of one observation at once end as one after another would. */
export const triageIsSerial: Property<Case> = {
  id: "race-triage",
  title: "Dismissing, completing, acknowledging and reopening one observation at once is as if they came one after another",
  proves: CLAUSES,
  needs: ["worlds"],
  effects: ["read", "write"],
  runs: 25,
  cases: () =>
    fc.record({
      closed: fc.boolean(),
      acts: fc.array(fc.constantFrom<Act>("dismiss", "complete", "acknowledge", "reopen", "look"), {
        minLength: 2,
        maxLength: 5,
      }),
    }),
  play: triageAtOnce,
};

async function triageAtOnce(scene: Scene, { closed, acts }: Case): Promise<Found> {
  const setUp = [openFinding, ...(closed ? [REQUESTS.dismiss] : [])];
  const unready = await prepare(scene, setUp);
  if (unready) return unready;
  const initial: Shown = closed ? { status: "closed", reason: "dismissed" } : { status: "new", reason: null };
  const rules = observationRules(initial);
  const contenders = acts.map((act): Contender<Act> => ({ op: act, step: REQUESTS[act] }));
  const raced = await race(scene, contenders);
  if (!raced.ok) return raced.found;
  const first = explain<Shown, Act, WireResponse>(raced.history, rules);
  const why = `${acts.join(", ")} at once: ${statusesOf(raced.history)}`;
  if (!first.ok) {
    const oneOf = outcomes<Shown, Act, AnswerText>(acts, initial, allowedTriage).map((answers) => ({ answers }));
    return unexplained(scene, CLAUSES, why, [...setUp, raceStep(contenders, { oneOf })]);
  }
  const then = await afterwards<Act>(scene, { op: "look", step: REQUESTS.look }, raced.history);
  if (!then.ok) return then.found;
  if (explain<Shown, Act, WireResponse>(then.history, rules).ok) return { verdict: "passed", subjects: acts.length + 1 };
  const ends = reachable(initial, acts).map(shownAs);
  const shown = `${why}, and then it is shown as no order of them leaves it`;
  const last = { ...REQUESTS.look, expect: { status: 200, json: { in: ends } } };
  return unexplained(scene, CLAUSES, shown, [...setUp, raceStep(contenders), last]);
}
