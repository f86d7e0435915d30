import fc from "fast-check";
import type { WireResponse } from "../../engine/http/exchange.js";
import type { CaseOutcome, Property, SystemUnderTest } from "../../engine/property/property.js";
import type { ResponseText, Step } from "../../engine/scenario/format.js";
import { prepare } from "../laws/steps.js";
import { findJobTransition, inFlightStatuses, isInFlight, repeatedRetry, wrongStatusClauses } from "../statements/jobs.js";
import { startedJob } from "../statements/setup-steps.js";
import { explain, listOutcomes, type Operation, type PossibleResponse, type Specification } from "./linearizability.js";
import { createNotSerializable, createRaceStep, formatStatuses, isOk, type RaceRequest, readValue, runRace } from "./race.js";

/** A request to one pending job. */
type Op = "cancel" | "retry" | "look";

/** Whether the server accepted a cancel, whether a response showed the job as cancelled, and the id of its retry. A cancel may take effect later. */
type State = { cancelling: boolean; ended: boolean; child: string | null };

const RACE_CLAUSES = ["JOB-CANCEL-PENDING", "JOB-RETRY-NEW", repeatedRetry.inFlight.clause, wrongStatusClauses.retry];
/** The status of a pending job after a cancel. */
const CANCELLED = findJobTransition("pending", "cancel")?.to;
const REQUESTS: Record<Op, Step> = {
  cancel: { rest: "POST /api/jobs/{job}/cancel" },
  retry: { rest: "POST /api/jobs/{job}/retry", json: {} },
  look: { rest: "GET /api/jobs/{job}" },
};

/** Returns the specification of one job. */
function createJobSpecification(job: string): Specification<State, Op, WireResponse> {
  const apply = (state: State, op: Op, response: WireResponse): State[] => {
    const { cancelling, ended, child } = state;
    switch (op) {
      case "cancel": // JOB-CANCEL-FINISHED: the server may refuse a second cancel
        return isOk(response) ? [{ ...state, cancelling: true }] : cancelling ? [state] : [];
      case "look": {
        const status = String(readValue(response, "/status"));
        if (isInFlight(status)) return ended ? [] : [state];
        return status === CANCELLED && cancelling ? [{ ...state, ended: true }] : [];
      }
      case "retry": {
        const id = String(readValue(response, "/id"));
        if (response.status === 201)
          return cancelling && child === null && id !== job ? [{ ...state, ended: true, child: id }] : [];
        if (!isOk(response)) return ended ? [] : [state];
        return id === child || (id === job && !ended) ? [state] : [];
      }
      default:
        return op satisfies never;
    }
  };
  return { initial: [{ cancelling: false, ended: false, child: null }], apply };
}

/** Checks that concurrent cancels and retries of one job have a serial order. */
export const cancelRetryRace: Property<{ ops: Op[] }> = {
  id: "race-cancel-retry",
  title: "Concurrent cancels and retries of a job retry it at most once, and only after it is cancelled",
  proves: RACE_CLAUSES,
  needs: ["worlds"],
  effects: ["read", "write", "paid"],
  runs: 15,
  cases: () =>
    fc.record({ ops: fc.array(fc.constantFrom<Op>("cancel", "retry", "retry", "look"), { minLength: 2, maxLength: 5 }) }),
  run: runCase,
};

async function runCase(sut: SystemUnderTest, { ops }: { ops: Op[] }): Promise<CaseOutcome> {
  const setup: Step[] = [{ ...startedJob, given: { status: 201 } }];
  const setupFailure = await prepare(sut, setup);
  if (setupFailure) return setupFailure;
  const contenders = ops.map((op): RaceRequest<Op> => ({ op, step: REQUESTS[op] }));
  const result = await runRace(sut, contenders);
  if (!result.ok) return result.found;
  if (explain(result.history, createJobSpecification(String(sut.lookup("job")))).ok)
    return { verdict: "passed", subjects: ops.length };
  const allowedLists = listOutcomes<State, Op, ResponseText>(ops, START, listPossibleResponses).map((responses) => ({
    answers: responses,
  }));
  const why = `concurrent ${ops.join(", ")} of one job got ${formatStatuses(result.history)}: no serial order explains it`;
  return createNotSerializable(sut, listClauses(result.history), why, [
    ...setup,
    createRaceStep(contenders, { oneOf: allowedLists }),
  ]);
}

/** Returns the clause that the new jobs of the history contradict by themselves; every clause of the race where they do not. */
function listClauses(history: readonly Operation<Op, WireResponse>[]): readonly string[] {
  const started = history.filter(({ op, answer: { status } }) => op === "retry" && status === 201).length;
  if (started > 0 && !history.some(({ op }) => op === "cancel")) return [wrongStatusClauses.retry];
  return started > 1 ? [repeatedRetry.inFlight.clause] : RACE_CLAUSES;
}

const START: State = { cancelling: false, ended: false, child: null };

/** Returns the possible responses of one request. How fast a cancel takes effect is open. */
function listPossibleResponses(state: State, op: Op): PossibleResponse<State, ResponseText>[] {
  switch (op) {
    case "cancel":
      return [{ expect: { status: state.cancelling ? ["2xx", "4xx"] : "2xx" }, next: { ...state, cancelling: true } }];
    case "look": {
      const inFlight = { expect: { status: 200, json: { status: { in: inFlightStatuses } } }, next: state };
      const cancelled = { expect: { status: 200, json: { status: CANCELLED } }, next: { ...state, ended: true } };
      return [...(state.ended ? [] : [inFlight]), ...(state.cancelling ? [cancelled] : [])];
    }
    case "retry": {
      if (state.child !== null) return [{ expect: { status: 200, json: { id: { not: "{job}" } } }, next: state }];
      const not = { expect: { status: [200, "4xx"] }, next: state };
      const newJob = { expect: { status: 201, json: { id: { not: "{job}" } } }, next: { ...state, ended: true, child: "child" } };
      return [...(state.ended ? [] : [not]), ...(state.cancelling ? [newJob] : [])];
    }
    default:
      return op satisfies never;
  }
}
