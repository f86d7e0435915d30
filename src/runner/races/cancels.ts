import fc from "fast-check";
import { prepare } from "../laws/check.js";
import type { Found, Property, Scene } from "../property/property.js";
import type { AnswerText, Step } from "../scenario/format.js";
import type { WireResponse } from "../wire/exchange.js";
import { explain, type Specification } from "./linearizable.js";
import { type Allowed, outcomes } from "./outcomes.js";
import { type Contender, isOk, race, raceStep, statusesOf, unexplained, valueAt } from "./race.js";

/** What is done with one pending job at once. */
type Op = "cancel" | "retry" | "look";

/** Whether a cancel was accepted, whether the job has been seen to be cancelled, and its retry. A job may take a while to end. */
type State = { cancelling: boolean; ended: boolean; child: string | null };

const CLAUSES = ["JOB-CANCEL-PENDING", "JOB-RETRY-NEW", "JOB-RETRY-INFLIGHT", "JOB-RETRY-INELIGIBLE"];
const IN_FLIGHT = ["pending", "running"];
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
        if (IN_FLIGHT.includes(status)) return ended ? [] : [state];
        return status === "cancelled" && cancelling ? [{ ...state, ended: true }] : [];
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
  play: cancelAtOnce,
};

async function cancelAtOnce(scene: Scene, { ops }: { ops: Op[] }): Promise<Found> {
  const setUp: Step[] = [
    {
      rest: "POST /api/repos/{repo}/jobs",
      query: { force: "true" },
      json: { workflow: "audit", params: {} },
      save: { job: "/id" },
      given: { status: 201 },
    },
  ];
  const unready = await prepare(scene, setUp);
  if (unready) return unready;
  const contenders = ops.map((op): Contender<Op> => ({ op, step: REQUESTS[op] }));
  const raced = await race(scene, contenders);
  if (!raced.ok) return raced.found;
  if (explain(raced.history, rulesOf(String(scene.look("job")))).ok) return { verdict: "passed", subjects: ops.length };
  const oneOf = outcomes<State, Op, AnswerText>(ops, START, allowed).map((answers) => ({ answers }));
  const why = `${ops.join(", ")} of one job at once: ${statusesOf(raced.history)}`;
  return unexplained(scene, CLAUSES, why, [...setUp, raceStep(contenders, { oneOf })]);
}

const START: State = { cancelling: false, ended: false, child: null };

/** What may be answered, as far as it shows in one answer; which of a cancelled job's answers a server gives that takes a while is open. */
function allowed(state: State, op: Op): Allowed<State, AnswerText>[] {
  switch (op) {
    case "cancel":
      return [{ expect: { status: state.cancelling ? ["2xx", "4xx"] : "2xx" }, next: { ...state, cancelling: true } }];
    case "look": {
      const still = { expect: { status: 200, json: { status: { in: IN_FLIGHT } } }, next: state };
      const over = { expect: { status: 200, json: { status: "cancelled" } }, next: { ...state, ended: true } };
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
