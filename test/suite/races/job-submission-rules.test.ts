import { describe, expect, test } from "vitest";
import type { WireResponse } from "../../../src/engine/http/exchange.js";
import { createDedupe, type Submission } from "../../../src/suite/races/job-submission-rules.js";
import { explain, listOutcomes } from "../../../src/suite/races/linearizability.js";
import {
  createObservationRules,
  listPossibleResponses,
  listReachable,
  type Op,
  type State,
} from "../../../src/suite/races/observation-triage-rules.js";

function makeResponse(status: number, body: unknown = {}): WireResponse {
  return { status, headers: {}, body: new TextEncoder().encode(JSON.stringify(body)) };
}

/** Operations that all overlap. */
function atOnce<Op>(pairs: readonly (readonly [Op, WireResponse])[]) {
  return pairs.map(([op, response]) => ({ op, answer: response, calledAt: 0, returnedAt: 1 }));
}

describe("concurrent submissions", () => {
  const plainSubmission: Submission = { body: "audit", force: false, keyed: false };
  const forcedSubmission: Submission = { ...plainSubmission, force: true };
  const submission: Submission = { ...plainSubmission, keyed: true };
  const otherKeyed: Submission = { ...submission, body: "standard_audit" };
  const wireResponse = makeResponse(201, { id: "a" });
  const same = makeResponse(200, { id: "a" });
  const cases: { name: string; allowed: boolean; pairs: [Submission, WireResponse][] }[] = [
    {
      name: "start one run",
      allowed: true,
      pairs: [
        [plainSubmission, same],
        [plainSubmission, wireResponse],
        [plainSubmission, same],
      ],
    },
    {
      name: "do not start two",
      allowed: false,
      pairs: [
        [plainSubmission, wireResponse],
        [plainSubmission, makeResponse(201, { id: "b" })],
      ],
    },
    {
      name: "do not answer with two jobs",
      allowed: false,
      pairs: [
        [plainSubmission, wireResponse],
        [submission, same],
        [forcedSubmission, makeResponse(200, { id: "b" })],
      ],
    },
    {
      name: "may all meet a job from before",
      allowed: true,
      pairs: [
        [plainSubmission, same],
        [plainSubmission, same],
      ],
    },
    {
      name: "do not start a run beside a job from before",
      allowed: false,
      pairs: [
        [plainSubmission, same],
        [plainSubmission, makeResponse(201, { id: "b" })],
        [plainSubmission, same],
      ],
    },
    {
      name: "by force start one beside an ended job from before",
      allowed: true,
      pairs: [
        [plainSubmission, same],
        [forcedSubmission, makeResponse(201, { id: "b" })],
      ],
    },
    {
      name: "by force start no second one",
      allowed: false,
      pairs: [
        [forcedSubmission, wireResponse],
        [forcedSubmission, makeResponse(201, { id: "b" })],
      ],
    },
    {
      name: "are not refused",
      allowed: false,
      pairs: [
        [plainSubmission, wireResponse],
        [plainSubmission, makeResponse(409)],
      ],
    },
    {
      name: "with a key are not refused for the same body",
      allowed: false,
      pairs: [
        [submission, wireResponse],
        [submission, makeResponse(409)],
      ],
    },
    {
      name: "with a key may be refused for another body",
      allowed: true,
      pairs: [
        [submission, wireResponse],
        [otherKeyed, makeResponse(409)],
      ],
    },
    {
      name: "with a key may start a run of their own for another body",
      allowed: true,
      pairs: [
        [submission, wireResponse],
        [otherKeyed, makeResponse(201, { id: "b" })],
      ],
    },
    {
      name: "of two workflows start a run each",
      allowed: true,
      pairs: [
        [plainSubmission, wireResponse],
        [{ ...plainSubmission, body: "standard_audit" }, makeResponse(201, { id: "b" })],
      ],
    },
  ];

  test.each(cases)("$name", ({ pairs, allowed }) => {
    expect(explain(atOnce(pairs), createDedupe(1)).ok).toBe(allowed);
  });

  test.each([
    [1, false],
    [Number.POSITIVE_INFINITY, true],
  ])("get two earlier jobs only where others have used the repository: at most %d", (maxEarlier, isAllowed) => {
    const pairs: [Submission, WireResponse][] = [
      [plainSubmission, makeResponse(200, { id: "old" })],
      [plainSubmission, makeResponse(200, { id: "older" })],
      [{ ...plainSubmission, force: true }, makeResponse(201, { id: "new" })],
    ];
    expect(explain(atOnce(pairs), createDedupe(maxEarlier)).ok).toBe(isAllowed);
  });
});

describe("concurrent changes of an observation", () => {
  const openState: State = { status: "new", closeReason: null };
  const shown = (status: string, close_reason: string | null) => makeResponse(200, { status, close_reason });
  const cases: { name: string; allowed: boolean; pairs: [Op, WireResponse][] }[] = [
    {
      name: "close it once and for one reason",
      allowed: true,
      pairs: [
        ["dismiss", makeResponse(200)],
        ["complete", makeResponse(409)],
        ["look", shown("closed", "dismissed")],
      ],
    },
    {
      name: "may both be accepted, the second changing nothing",
      allowed: true,
      pairs: [
        ["dismiss", makeResponse(204)],
        ["complete", makeResponse(204)],
        ["look", shown("closed", "completed")],
      ],
    },
    {
      name: "are not both refused",
      allowed: false,
      pairs: [
        ["dismiss", makeResponse(409)],
        ["complete", makeResponse(409)],
      ],
    },
    {
      name: "are not refused because of a refused submission",
      allowed: false,
      pairs: [
        ["acknowledge", makeResponse(409)],
        ["dismiss", makeResponse(409)],
      ],
    },
    {
      name: "may be refused where they may have been done before",
      allowed: true,
      pairs: [
        ["acknowledge", makeResponse(200)],
        ["acknowledge", makeResponse(409)],
        ["look", shown("new", null)],
      ],
    },
    {
      name: "show no reason while it is open",
      allowed: false,
      pairs: [
        ["acknowledge", makeResponse(200)],
        ["look", shown("new", "dismissed")],
      ],
    },
    {
      name: "may be opened again between two closings",
      allowed: true,
      pairs: [
        ["dismiss", makeResponse(200)],
        ["reopen", makeResponse(200)],
        ["complete", makeResponse(200)],
        ["look", shown("closed", "dismissed")],
      ],
    },
  ];

  test.each(cases)("$name", ({ pairs, allowed }) => {
    expect(explain(atOnce(pairs), createObservationRules(openState)).ok).toBe(allowed);
  });

  test("may have only the outcomes of a serial order", () => {
    const either = { status: ["2xx", "4xx"] };
    expect(listOutcomes<State, Op, unknown>(["dismiss", "acknowledge"], openState, listPossibleResponses)).toEqual([
      [{ status: "2xx" }, either],
    ]);
    expect(listOutcomes<State, Op, unknown>(["dismiss", "complete"], openState, listPossibleResponses)).toEqual([
      [{ status: "2xx" }, either],
      [either, { status: "2xx" }],
    ]);
  });

  test("lead to a state of a serial order", () => {
    expect(listReachable(openState, ["acknowledge", "look"])).toEqual([openState]);
    expect(listReachable(openState, ["complete", "reopen"])).toEqual([openState, { status: "closed", closeReason: "completed" }]);
  });
});
