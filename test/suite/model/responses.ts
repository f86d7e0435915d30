import type { WireResponse } from "../../../src/engine/http/exchange.js";
import { listBranches } from "../../../src/suite/model/rules/branches.js";
import { judge } from "../../../src/suite/model/rules/judge.js";
import type { ModelRequest } from "../../../src/suite/model/rules/request.js";
import { createInitialStates, type Job, type Observation, type States } from "../../../src/suite/model/rules/states.js";

/** A response of REST. */
export function rest(status: number, body: unknown = {}): WireResponse {
  return { status, headers: {}, body: new TextEncoder().encode(JSON.stringify(body)) };
}

/** A refusal of REST. */
export function refusal(status: number, type: string, code = "some_code"): WireResponse {
  return rest(status, { error: { type, code, message: "No.", request_id: "r1" } });
}

/** Returns the response of a tool. */
export function toolResponse(text: string, isError = false): WireResponse {
  const result = { content: [{ type: "text", text }], isError };
  return rest(200, { jsonrpc: "2.0", id: 1, result });
}

/** One request and its response. */
export type Exchange = readonly [request: ModelRequest, answer: WireResponse];

/** Each variable holds its name, and each slug equals its name. */
export const lookup = (name: string): unknown => (name === "unique" ? "u1" : name);

/** A fresh world with one repository, at the beginning of its clock. */
export const freshStates: States = createInitialStates({
  fresh: true,
  now: 0,
  repos: {
    repo: { registered: [true], head: 0, ours: true, tickets: false, of: "full" },
    spare1: { registered: [true, false], head: 0, ours: true, tickets: null, of: "full" },
  },
});

/** A job of the repository. */
export function job(possible: Job["possible"], more: Partial<Job> = {}): Job {
  return { repo: "repo", workflow: "audit", work: '["repo","audit",{},0]', possible, because: ["JOB-STATE-FORWARD"], ...more };
}

/** An observation of the repository. */
export function observation(possibleObservationStates: Observation["possible"], more: Partial<Observation> = {}): Observation {
  const known = { repo: "repo", kind: "finding", inWorkflowFile: false, fields: {}, because: ["OBS-GET-ROUTE"] };
  return { ...known, possible: possibleObservationStates, attempted: false, exhausted: false, ...more };
}

/** Judges one exchange after another; the states at the end, or the number of the one that contradicts what went before and the clauses it breaks. */
export function judgeExchanges(
  states: States,
  exchanges: readonly Exchange[],
): { states: States } | { at: number; clauses: string[] } {
  let knownStates = states;
  for (const [at, [request, response]] of exchanges.entries()) {
    const judgement = judge(listBranches(knownStates, request), request, response, lookup);
    if (!judgement.ok) return { at, clauses: judgement.clauses };
    knownStates = judgement.states;
  }
  return { states: knownStates };
}
