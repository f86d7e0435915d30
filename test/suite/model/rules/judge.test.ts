import { expect, test } from "vitest";
import type { ResponseText } from "../../../../src/engine/scenario/format.js";
import {
  type Branch,
  createAcceptance,
  createRefusalRules,
  createRequirement,
} from "../../../../src/suite/model/rules/branch.js";
import { judge } from "../../../../src/suite/model/rules/judge.js";
import { matchResponseTo } from "../../../../src/suite/response-rules.js";
import { freshStates, lookup, refusal, rest, toolResponse } from "../responses.js";

const branch: Branch = {
  requirements: [
    createAcceptance("JOB-RETRY-NEW", 201),
    createRequirement("JOB-RETRY-WORKFLOW", { json: { workflow: "audit" } }),
  ],
  next: freshStates,
};
const foundBranch: Branch = {
  requirements: [createAcceptance("JOB-RETRY-INFLIGHT", 200), createRequirement("JOB-RETRY-INFLIGHT", { json: { id: "k" } })],
  next: freshStates,
};
const unpaid: Branch = {
  requirements: createRefusalRules("JOB-SUBMIT-CREDIT", 402, { type: "billing_error" }),
  next: freshStates,
  unrelated: true,
};

function allowedResponse(branches: Branch[], response: Parameters<typeof judge>[2], by: "rest" | "tool" = "rest") {
  const judgement = judge(branches, { by }, response, lookup);
  if (judgement.ok) throw new Error("allowed");
  return judgement;
}

test("an answer with an allowed status must match the outcomes of that status", () => {
  const { clauses, allows } = allowedResponse([branch, foundBranch, unpaid], rest(201, { workflow: "fix" }));
  expect(clauses).toEqual(["JOB-RETRY-WORKFLOW"]);
  expect(allows).toEqual({
    expect: { status: 201, json: { workflow: "audit" } },
    inconclusiveIf: [{ status: 200 }, { status: 402 }],
  });
});

test("an answer with another status is compared with all outcomes, and unrelated refusals cause no failure", () => {
  const { clauses, allows } = allowedResponse([branch, foundBranch, unpaid], refusal(409, "conflict"));
  expect(allows).toEqual({ expect: { status: [201, 200, 402] } });
  expect(clauses).not.toContain("JOB-SUBMIT-CREDIT");
});

test("an accepted request that must be refused does not contradict the clause of the error envelope", () => {
  const refusedBranch: Branch = { requirements: createRefusalRules("KEY-LIVE-REFUSED", "4xx"), next: freshStates };
  expect(allowedResponse([refusedBranch], rest(201, { id: "k" })).clauses).toEqual(["KEY-LIVE-REFUSED"]);
  expect(allowedResponse([refusedBranch], rest(409, { detail: "no" })).clauses).toContain("ERR-ENVELOPE-ONE");
});

test("each of several outcomes with one status is accepted", () => {
  const otherBranch: Branch = {
    requirements: [createAcceptance("JOB-SUBMIT-CREATED", 200), createRequirement("JOB-SUBMIT-CREATED", { json: { id: "l" } })],
    next: freshStates,
  };
  const { allows } = allowedResponse([foundBranch, otherBranch], rest(200, { id: "m" }));
  const expectedResponseText = allows.expect as ResponseText;
  const broken = (id: string) => matchResponseTo(expectedResponseText, rest(200, { id })).mismatches.length;
  expect(["k", "l", "m"].map(broken)).toEqual([0, 0, 1]);
});

test("a tool may refuse in any form, and must refuse when required", () => {
  const scope: Branch = { requirements: createRefusalRules("MCP-SCOPE-RETRY", 403), next: freshStates };
  expect(judge([scope], { by: "tool" }, toolResponse("insufficient", true), lookup)).toMatchObject({ ok: true });
  const { allows, clauses } = allowedResponse([scope], toolResponse("done"), "tool");
  expect(clauses).toEqual(["MCP-SCOPE-RETRY"]);
  expect(allows).toEqual({ expect: { refused: true } });
});

test("the states after several possible outcomes are combined", () => {
  const first: Branch = {
    requirements: [],
    next: { ...freshStates, suspended: false, repos: { repo: { ...freshStates.repos.repo!, registered: [true] } } },
  };
  const second: Branch = {
    requirements: [],
    next: { ...freshStates, repos: { repo: { ...freshStates.repos.repo!, registered: [false] } } },
  };
  expect(judge([first, second], { by: "rest" }, rest(204), lookup)).toMatchObject({
    states: { repos: { repo: { registered: [true, false] } } },
  });
});
