import { expect, test } from "vitest";
import { findStatesAfterNoResponse } from "../../../../src/suite/model/rules/branches.js";
import type { ModelRequest } from "../../../../src/suite/model/rules/request.js";
import { createInitialStates } from "../../../../src/suite/model/rules/states.js";
import { freshStates, judgeExchanges, refusal, rest } from "../responses.js";

const register: ModelRequest = { by: "rest", as: "full", what: "POST /api/repos", repo: "spare1" };
const remove: ModelRequest = { by: "rest", as: "full", what: "DELETE /api/repos/{owner}/{repo}/{branch}", repo: "spare1" };
const { spare1: _, ...others } = freshStates.repos;
/** A world without a known state of the spare repository. */
const initialState = createInitialStates({ fresh: true, now: 0, repos: others });

test.each([
  ["is there", rest(204)],
  ["is not there", refusal(404, "not_found")],
])("after a registration without an answer a deletion may find a repository that %s", (_, response) => {
  expect(judgeExchanges(findStatesAfterNoResponse(initialState, register), [[remove, response]])).toHaveProperty("states");
});

test("a key without the permission to delete may also get a refusal for a repository that may be missing", () => {
  const forbiddenWireResponses = [refusal(403, "permission_error"), refusal(404, "not_found")];
  const outcomes = forbiddenWireResponses.map((response) =>
    judgeExchanges(findStatesAfterNoResponse(initialState, register), [[{ ...remove, as: "no_delete" }, response]]),
  );
  for (const outcome of outcomes) expect(outcome).toHaveProperty("states");
});

test("a key without the permission to delete gets a refusal for an existing repository", () => {
  const there = { ...freshStates, repos: { ...others, spare1: { ...freshStates.repos.spare1!, registered: [true] } } };
  expect(judgeExchanges(there, [[{ ...remove, as: "no_delete" }, refusal(404, "not_found")]])).toMatchObject({
    clauses: expect.arrayContaining(["REPO-DELETE-PERMISSION"]),
  });
});

test("an outage of the verification may affect one workspace and not another", () => {
  const outage = { ...initialState, unverified: true };
  const wireResponse = rest(201, { discover_job_id: null });
  const elsewhere = judgeExchanges(outage, [[{ ...register, as: "free" }, wireResponse]]);
  expect(elsewhere).toHaveProperty("states");
  expect(judgeExchanges(outage, [[register, wireResponse]])).toMatchObject({
    clauses: expect.arrayContaining(["REPO-REGISTER-UNVERIFIED"]),
  });
});

test("a registration during an outage may be refused for a limit first", () => {
  const outage = { ...initialState, unverified: true };
  for (const response of [refusal(429, "rate_limit_error", "rate_limit_qps"), refusal(402, "billing_error")])
    expect(judgeExchanges(outage, [[register, response]])).toHaveProperty("states");
  expect(judgeExchanges(outage, [[register, refusal(400, "invalid_request_error")]])).toMatchObject({
    clauses: expect.arrayContaining(["REPO-REGISTER-UNVERIFIED"]),
  });
});
