import fc from "fast-check";
import type { WireResponse } from "../../engine/http/exchange.js";
import type { CaseOutcome, Property, SystemUnderTest } from "../../engine/property/property.js";
import type { AnswerText, Step } from "../../engine/scenario/format.js";
import { prepare } from "../laws/prepare.js";
import { triageActNames, triageActs, triaged, triageText } from "../statements/observations.js";
import { openFinding } from "../statements/set-ups.js";
import { explain } from "./linearizable.js";
import { outcomes } from "./outcomes.js";
import { afterwards, type Contender, race, raceStep, statusesOf, unexplained } from "./race.js";
import { answersOf, type Op, observationRules, reachable, type State, shownAs } from "./triage-rules.js";

/** What is done to one observation at once, and whether it is closed before. */
interface Case {
  closed: boolean;
  ops: Op[];
}

const CLAUSES = [
  ...[triageActs.dismiss.clause, triageActs.complete.clause, triageActs.reopen.clause],
  triageActs.dismiss.outOfPlace,
];
const NOTE = "Done at once by the examiner.";

function requestOf(op: Op): Step {
  if (op === "look") return { rest: "GET /api/observations/{ref}" };
  const { route, body } = triageText(op);
  return { rest: route, ...(body && { json: body(NOTE) }) };
}

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
      ops: fc.array(fc.constantFrom<Op>(...triageActNames, "look"), {
        minLength: 2,
        maxLength: 5,
      }),
    }),
  run: triageAtOnce,
};

async function triageAtOnce(sut: SystemUnderTest, { closed, ops }: Case): Promise<CaseOutcome> {
  const setUp = [openFinding, ...(closed ? [requestOf("dismiss")] : [])];
  const unready = await prepare(sut, setUp);
  if (unready) return unready;
  const open: State = { status: "new", closeReason: null };
  const initial = closed ? (triaged(open.status, "dismiss") ?? open) : open;
  const rules = observationRules(initial);
  const contenders = ops.map((op): Contender<Op> => ({ op, step: requestOf(op) }));
  const raced = await race(sut, contenders);
  if (!raced.ok) return raced.found;
  const first = explain<State, Op, WireResponse>(raced.history, rules);
  const why = `${ops.join(", ")} at once: ${statusesOf(raced.history)}`;
  if (!first.ok) {
    const oneOf = outcomes<State, Op, AnswerText>(ops, initial, answersOf).map((answers) => ({ answers }));
    return unexplained(sut, CLAUSES, why, [...setUp, raceStep(contenders, { oneOf })]);
  }
  const then = await afterwards<Op>(sut, { op: "look", step: requestOf("look") }, raced.history);
  if (!then.ok) return then.found;
  if (explain<State, Op, WireResponse>(then.history, rules).ok) return { verdict: "passed", subjects: ops.length + 1 };
  const ends = reachable(initial, ops).map(shownAs);
  const shown = `${why}, and then it is shown as no order of them leaves it`;
  const last = { ...requestOf("look"), expect: { status: 200, json: { in: ends } } };
  return unexplained(sut, CLAUSES, shown, [...setUp, raceStep(contenders), last]);
}
