import { expect, test } from "vitest";
import { statesAfterNoResponse } from "../../../../src/suite/model/rules/branches.js";
import type { ModelRequest } from "../../../../src/suite/model/rules/request.js";
import { initialStates } from "../../../../src/suite/model/rules/states.js";
import { fresh, refusal, rest, tellAll } from "../answers.js";

const register: ModelRequest = { by: "rest", as: "full", what: "POST /api/repos", repo: "spare1" };
const remove: ModelRequest = { by: "rest", as: "full", what: "DELETE /api/repos/{owner}/{repo}/{branch}", repo: "spare1" };
const { spare1: _, ...others } = fresh.repos;
/** A world in which nobody has spoken of the spare repository yet. */
const unspoken = initialStates({ fresh: true, now: 0, repos: others });

test.each([
  ["is there", rest(204)],
  ["is not there", refusal(404, "not_found")],
])("after a registration without an answer the repository may be deleted as one that %s", (_, answer) => {
  expect(tellAll(statesAfterNoResponse(unspoken, register), [[remove, answer]])).toHaveProperty("states");
});

test("a key that may not delete may hear that of a repository that may not be there, too", () => {
  const forbidden = [refusal(403, "permission_error"), refusal(404, "not_found")];
  const outcomes = forbidden.map((answer) =>
    tellAll(statesAfterNoResponse(unspoken, register), [[{ ...remove, as: "no_delete" }, answer]]),
  );
  for (const outcome of outcomes) expect(outcome).toHaveProperty("states");
});

test("of a repository that is there it hears that it may not", () => {
  const there = { ...fresh, repos: { ...others, spare1: { ...fresh.repos.spare1!, registered: [true] } } };
  expect(tellAll(there, [[{ ...remove, as: "no_delete" }, refusal(404, "not_found")]])).toMatchObject({
    clauses: expect.arrayContaining(["REPO-DELETE-PERMISSION"]),
  });
});

test("an outage of one workspace's verification may spare another's", () => {
  const outage = { ...unspoken, unverified: true };
  const registered = rest(201, { discover_job_id: null });
  const elsewhere = tellAll(outage, [[{ ...register, as: "free" }, registered]]);
  expect(elsewhere).toHaveProperty("states");
  expect(tellAll(outage, [[register, registered]])).toMatchObject({
    clauses: expect.arrayContaining(["REPO-REGISTER-UNVERIFIED"]),
  });
});

test("an outage hides no limit: a registration may meet that first", () => {
  const outage = { ...unspoken, unverified: true };
  for (const answer of [refusal(429, "rate_limit_error", "rate_limit_qps"), refusal(402, "billing_error")])
    expect(tellAll(outage, [[register, answer]])).toHaveProperty("states");
  expect(tellAll(outage, [[register, refusal(400, "invalid_request_error")]])).toMatchObject({
    clauses: expect.arrayContaining(["REPO-REGISTER-UNVERIFIED"]),
  });
});
