import fc from "fast-check";
import type { WireResponse } from "../../engine/http/exchange.js";
import type { CaseOutcome, Property, SystemUnderTest } from "../../engine/property/property.js";
import type { AnswerText, Step } from "../../engine/scenario/format.js";
import { prepare } from "../laws/prepare.js";
import { isInFlight, jobOutOfPlace, jobRetriedBefore, jobsInFlight, jobTransition } from "../statements/jobs.js";
import { startedJob } from "../statements/set-ups.js";
import { explain, type Specification } from "./linearizable.js";
import { outcomes, type PossibleAnswer } from "./outcomes.js";
import { type Contender, isOk, race, raceStep, statusesOf, unexplained, valueAt } from "./race.js";

/** What is done with one pending job at once. */
type Op = "cancel" | "retry" | "look";

/** Whether a cancel was accepted, whether the job has been seen to be cancelled, and its retry. A job may take a while to end. */
type State = { cancelling: boolean; ended: boolean; child: string | null };

const CLAUSES = ["JOB-CANCEL-PENDING", "JOB-RETRY-NEW", jobRetriedBefore.inFlight.clause, jobOutOfPlace.retry];
/** What a pending job is after a cancel. */
const CANCELLED = jobTransition("pending", "cancel")?.to;
const REQUESTS: Record<Op, Step> = {
  cancel: { rest: "POST /api/jobs/{job}/cancel" },
  retry: { rest: "POST /api/jobs/{job}/retry", json: {} },
  look: { rest: "GET /api/jobs/{job}" },
};

/** The rules of one job whose id is known. */
function rulesOf(job: string): Specification<State, Op, WireResponse> {
  const apply = (state: State, op: Op, answer: WireResponse): State[] => {
    const { cancelling, ended, child } = state;
    switch (op) {
      case "cancel": // JOB-CANCEL-FINISHED: a second one may be refused or not
        return isOk(answer) ? [{ ...state, cancelling: true }] : cancelling ? [state] : [];
      case "look": {
        const status = String(valueAt(answer, "/status"));
        if (isInFlight(status)) return ended ? [] : [state];
        return status === CANCELLED && cancelling ? [{ ...state, ended: true }] : [];
      }
      case "retry": {
        const id = String(valueAt(answer, "/id"));
        if (answer.status === 201)
          return cancelling && child === null && id !== job ? [{ ...state, ended: true, child: id }] : [];
        if (!isOk(answer)) return ended ? [] : [state];
        return id === child || (id === job && !ended) ? [state] : [];
      }
      default:
        return op satisfies never;
    }
  };
  return { initial: [{ cancelling: false, ended: false, child: null }], apply };
}

/** Cancelling and retrying one job at once is as if one came after the other. */
export const cancelAndRetryAreSerial: Property<{ ops: Op[] }> = {
  id: "race-cancel-retry",
  title: "A job that is cancelled and retried at once is retried once, and only when it is cancelled",
  proves: CLAUSES,
  needs: ["worlds"],
  effects: ["read", "write", "paid"],
  runs: 15,
  cases: () =>
    fc.record({ ops: fc.array(fc.constantFrom<Op>("cancel", "retry", "retry", "look"), { minLength: 2, maxLength: 5 }) }),
  run: cancelAtOnce,
};

async function cancelAtOnce(sut: SystemUnderTest, { ops }: { ops: Op[] }): Promise<CaseOutcome> {
  const setUp: Step[] = [{ ...startedJob, given: { status: 201 } }];
  const unready = await prepare(sut, setUp);
  if (unready) return unready;
  const contenders = ops.map((op): Contender<Op> => ({ op, step: REQUESTS[op] }));
  const raced = await race(sut, contenders);
  if (!raced.ok) return raced.found;
  if (explain(raced.history, rulesOf(String(sut.lookup("job")))).ok) return { verdict: "passed", subjects: ops.length };
  const oneOf = outcomes<State, Op, AnswerText>(ops, START, answersOf).map((answers) => ({ answers }));
  const why = `${ops.join(", ")} of one job at once: ${statusesOf(raced.history)}`;
  return unexplained(sut, CLAUSES, why, [...setUp, raceStep(contenders, { oneOf })]);
}

const START: State = { cancelling: false, ended: false, child: null };

/** What may be answered, as far as it shows in one answer; which of a cancelled job's answers a server gives that takes a while is open. */
function answersOf(state: State, op: Op): PossibleAnswer<State, AnswerText>[] {
  switch (op) {
    case "cancel":
      return [{ expect: { status: state.cancelling ? ["2xx", "4xx"] : "2xx" }, next: { ...state, cancelling: true } }];
    case "look": {
      const still = { expect: { status: 200, json: { status: { in: jobsInFlight } } }, next: state };
      const over = { expect: { status: 200, json: { status: CANCELLED } }, next: { ...state, ended: true } };
      return [...(state.ended ? [] : [still]), ...(state.cancelling ? [over] : [])];
    }
    case "retry": {
      if (state.child !== null) return [{ expect: { status: 200, json: { id: { not: "{job}" } } }, next: state }];
      const not = { expect: { status: [200, "4xx"] }, next: state };
      const anew = { expect: { status: 201, json: { id: { not: "{job}" } } }, next: { ...state, ended: true, child: "child" } };
      return [...(state.ended ? [] : [not]), ...(state.cancelling ? [anew] : [])];
    }
    default:
      return op satisfies never;
  }
}
