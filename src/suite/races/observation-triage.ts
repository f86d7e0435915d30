import fc from "fast-check";
import type { WireResponse } from "../../engine/http/exchange.js";
import type { CaseOutcome, Property, SystemUnderTest } from "../../engine/property/property.js";
import type { ResponseText, Step } from "../../engine/scenario/format.js";
import { prepare } from "../laws/steps.js";
import { findStateAfterTriage, findTriageStatement, triageActionNames, triageActions } from "../statements/observations.js";
import { openFinding } from "../statements/setup-steps.js";
import { explain, listOutcomes, type Operation } from "./linearizability.js";
import {
  createObservationRules,
  listExpectedFields,
  listPossibleResponses,
  listReachable,
  type Op,
  type State,
} from "./observation-triage-rules.js";
import { createNotSerializable, createRaceStep, formatStatuses, type RaceRequest, runRace, sendAfterRace } from "./race.js";

/** Concurrent requests about one observation, and whether it was closed before. */
interface Case {
  closed: boolean;
  ops: Op[];
}

const RACE_CLAUSES = [
  ...[triageActions.dismiss.clause, triageActions.complete.clause, triageActions.reopen.clause],
  triageActions.dismiss.wrongStatusClause,
];
const NOTE = "Sent concurrently by the runner.";

function createRequest(op: Op): Step {
  if (op === "look") return { rest: "GET /api/observations/{ref}" };
  const { route, body } = findTriageStatement(op);
  return { rest: route, ...(body && { json: body(NOTE) }) };
}

/** OBS-*: concurrent changes of one observation have a serial order. */
export const triageRace: Property<Case> = {
  id: "race-triage",
  title: "Concurrent dismiss, complete, acknowledge and reopen requests on one observation have a serial order",
  proves: RACE_CLAUSES,
  needs: ["worlds"],
  effects: ["read", "write"],
  runs: 25,
  cases: () =>
    fc.record({
      closed: fc.boolean(),
      ops: fc.array(fc.constantFrom<Op>(...triageActionNames, "look"), {
        minLength: 2,
        maxLength: 5,
      }),
    }),
  run: runCase,
};

async function runCase(sut: SystemUnderTest, { closed, ops }: Case): Promise<CaseOutcome> {
  const setup = [openFinding, ...(closed ? [createRequest("dismiss")] : [])];
  const setupFailure = await prepare(sut, setup);
  if (setupFailure) return setupFailure;
  const openState: State = { status: "new", closeReason: null };
  const initial = closed ? (findStateAfterTriage(openState.status, "dismiss") ?? openState) : openState;
  const rules = createObservationRules(initial);
  const contenders = ops.map((op): RaceRequest<Op> => ({ op, step: createRequest(op) }));
  const result = await runRace(sut, contenders);
  if (!result.ok) return result.found;
  const first = explain<State, Op, WireResponse>(result.history, rules);
  const why = `concurrent ${ops.join(", ")} got ${formatStatuses(result.history)}`;
  if (!first.ok) {
    const allowedLists = listOutcomes<State, Op, ResponseText>(ops, initial, listPossibleResponses).map((responses) => ({
      answers: responses,
    }));
    return createNotSerializable(sut, listClauses(result.history, initial), why, [
      ...setup,
      createRaceStep(contenders, { oneOf: allowedLists }),
    ]);
  }
  const then = await sendAfterRace<Op>(sut, { op: "look", step: createRequest("look") }, result.history);
  if (!then.ok) return then.found;
  if (explain<State, Op, WireResponse>(then.history, rules).ok) return { verdict: "passed", subjects: ops.length + 1 };
  const ends = listReachable(initial, ops).map(listExpectedFields);
  const shown = `${why}, and no serial order leads to the state that the server then shows`;
  const last = { ...createRequest("look"), expect: { status: 200, json: { in: ends } } };
  return createNotSerializable(sut, listClauses(then.history, initial), shown, [...setup, createRaceStep(contenders), last]);
}

/** Returns the clause that a second closing contradicts, if the history is possible without it; otherwise those of the actions in the history. */
function listClauses(history: readonly Operation<Op, WireResponse>[], initial: State): readonly string[] {
  if (explain<State, Op, WireResponse>(history, createObservationRules(initial, true)).ok)
    return [triageActions.dismiss.wrongStatusClause];
  const triageClauses = history.flatMap(({ op }) => (op === "look" ? [] : [findTriageStatement(op).clause]));
  const clauses = RACE_CLAUSES.filter((clause) => triageClauses.includes(clause));
  return clauses.length > 0 ? clauses : RACE_CLAUSES;
}
