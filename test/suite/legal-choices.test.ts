import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { verify } from "../../src/engine/run/verify.js";
import { startMock } from "../../src/mock/server.js";
import { findChoice } from "../../src/suite/legal-choices.js";
import { suite } from "../../src/suite/suite.js";

const SUBMISSION = "POST /api/repos/{owner}/{repo}/{branch}/jobs";

/** Returns a response that prepares a check. */
const response = (operation: string, status: number, error: object) => ({
  ...{ operation, status, body: { error }, text: "", clauses: [], wanted: "2xx", hasSession: false, served: [], hasClock: false },
});

test.each<[string, string, number, object, RegExp]>([
  [
    "a plan without the workflow",
    SUBMISSION,
    402,
    { details: { allowed_workflows: [] } },
    /^the plan .* whose plan includes it$/,
  ],
  ["no credit", SUBMISSION, 402, { type: "billing_error", code: "no_credit" }, /^the workspace has no credit .* more credit$/],
  ["no credit for a tool", "tool submit_job", 200, { type: "billing_error", code: "no_credit" }, /more credit$/],
  ["no room for a repository", "POST /api/repos", 403, { code: "plan_repo_cap_exceeded" }, /^the plan .* has no room/],
  ["params of its own", SUBMISSION, 422, { code: "invalid_payload" }, /bindings\.job_params$/],
  ["no room for a key", "POST /api/keys", 409, { code: "conflict" }, /another key/],
  ["a forecast in another form", "tool forecast", 200, {}, /structured content/],
  ["an overview in words", "tool repository_overview", 200, {}, /structured content/],
  ["no such observation", "GET /api/observations", 200, {}, /drive\.find/],
])("an answer that shows %s names the choice and the offer", (_, operation, status, error, sentence) => {
  expect(findChoice(response(operation, status, error))).toMatch(sentence);
});

test("a limit that is not reached shows a choice only without a clock, and a tool that costs nothing has no credit to lack", () => {
  const served = { ...response("GET /api/jobs", 200, {}), clauses: ["BUCKET-CODE"], wanted: 429 };
  expect(findChoice(served)).toMatch(/raise --max-wait$/);
  expect(findChoice({ ...served, hasClock: true })).toBeUndefined();
  expect(findChoice({ ...served, wanted: 404 })).not.toMatch(/limit/);
  expect(findChoice(response("tool list_observations", 200, { type: "billing_error" }))).toBeUndefined();
});

const RETRY = "POST /api/jobs/{job_id}/retry";
const REGISTRATION = "POST /api/repos";
const RESET = "POST /api/repos/{owner}/{repo}/{branch}/reset";

test.each<[string, number, Record<string, unknown>, operation: string, status: number]>([
  [SUBMISSION, 402, { details: { allowed_workflows: [] } }, SUBMISSION, 400],
  [SUBMISSION, 402, { code: "plan_restricted" }, SUBMISSION, 403],
  [REGISTRATION, 400, { code: "repo_cap_exceeded" }, REGISTRATION, 201],
  [REGISTRATION, 403, { code: "plan_repo_cap_exceeded" }, REGISTRATION, 500],
  [REGISTRATION, 403, { code: "plan_repo_size_exceeded" }, REGISTRATION, 413],
  [RETRY, 429, { code: "rate_limit_budget" }, "POST /api/jobs/{job_id}/cancel", 429],
  [SUBMISSION, 429, { code: "rate_limit_budget" }, SUBMISSION, 403],
  [RETRY, 402, { type: "billing_error" }, "GET /api/repos", 402],
  [SUBMISSION, 402, { type: "billing_error" }, SUBMISSION, 403],
  [SUBMISSION, 403, { code: "feature_not_enabled" }, SUBMISSION, 402],
  [REGISTRATION, 409, { code: "repo_already_registered" }, REGISTRATION, 422],
  ["tool create_ticket", 200, { code: "no_ticket_integration" }, "POST /api/observations/{ref}/publish-ticket", 404],
  ["GET /api/jobs", 403, { type: "permission_error" }, "GET /api/jobs", 404],
  ["GET /api/jobs", 403, { type: "permission_error" }, "GET /api/repos", 402],
  [RESET, 422, { code: "invalid_payload" }, RESET, 409],
  [RETRY, 409, { type: "conflict" }, RETRY, 404],
])("%s refused with %i %o names a choice; %s with %i names none", (operation, status, error, other, otherStatus) => {
  expect(findChoice(response(operation, status, error))).toBeDefined();
  expect(findChoice(response(other, otherStatus, error))).toBeUndefined();
});

test("a repository that is not found shows a choice only where no clause is judged", () => {
  const gone = response("GET /api/repos/{owner}/{repo}/{branch}", 404, { type: "not_found" });
  expect(findChoice(gone)).toMatch(/did not register/);
  expect(findChoice({ ...gone, clauses: ["REPO-GET-ROUTE"] })).toBeUndefined();
});

test("a tool may name a used-up resource in its text alone", () => {
  const refusal = (text: string) => findChoice({ ...response("tool retry_job", 200, {}), body: undefined, text });
  expect(refusal("**Refused**: The dollars of the hour are spent (rate_limit_budget)")).toMatch(/raise the ceiling/);
  expect(refusal("**Refused**: Too many requests (rate_limit_qps)")).toBeUndefined();
});

test("a forecast tool that refuses has shown no other form", () => {
  expect(findChoice(response("tool forecast", 200, { type: "not_found", code: "not_found" }))).toBeUndefined();
});

test("a job that is gone shows a choice only after a reset", () => {
  const gone = response("GET /api/jobs/{job_id}", 404, { type: "not_found_error" });
  expect(findChoice({ ...gone, served: [SUBMISSION, RESET] })).toMatch(/^a reset removes .* keep the jobs in flight$/);
  expect(findChoice({ ...gone, served: [SUBMISSION] })).toBeUndefined();
});

test.each([401, 429, 500, 503])("an answer with %i shows no choice", (status) => {
  for (const operation of [SUBMISSION, "POST /api/keys", "POST /api/repos", "POST /api/observations/{ref}/fix"])
    expect(findChoice(response(operation, status, { code: "rate_limit_qps" }))).toBeUndefined();
});

test.each([
  ["GET /api/forecasts/lookup", 404, "not_found", "not_found"],
  ["POST /api/keys", 404, "not_found", "not_found"],
  ["POST /api/keys", 415, "invalid_request_error", "unsupported"],
  ["POST /api/repos", 405, "invalid_request_error", "method"],
  ["POST /api/observations/{ref}/dismiss", 404, "not_found", "not_found"],
  ["POST /api/observations/{ref}/fix", 404, "not_found", "not_found"],
  ["POST /api/observations/{ref}/fix", 422, "validation_error", "invalid_payload"],
  ["POST /api/observations/{ref}/publish-ticket", 413, "invalid_request_error", "payload_too_large"],
  [SUBMISSION, 422, "invalid_request_error", "unheard_of"],
])("%s refused with %i %s names no choice", (operation, status, type, code) => {
  expect(findChoice(response(operation, status, { type, code }))).toBeUndefined();
});

const DELETION = "DELETE /api/repos/{owner}/{repo}/{branch}";
const METHOD = "PATCH /api/repos/{owner}/{repo}/{branch}/jobs";

test.each<[operation: string, clause: string, statuses: number[], choice: RegExp, others: number[]]>([
  ["PUT /api/jobs", "ERR-TYPE-FALLBACK-405", [400, 403, 404], /than 405/, [200, 204]],
  [SUBMISSION, "ERR-TYPE-FALLBACK-415", [201, 400, 422], /than 415/, [302, 404, 409]],
  [METHOD, "ERR-TYPE-FALLBACK", [403, 404, 422], /its own type/, [200, 400, 405]],
  ["GET /api/jobs", "ERR-TYPE-RATE", [200], /limit is not reached/, [404]],
  [SUBMISSION, "SPEND-SUBMIT", [201], /has not reached the ceiling/, [400, 409]],
  [SUBMISSION, "SPEND-SUBMIT", [200], /an existing job/, []],
  ["POST /api/observations/{ref}/fix", "SPEND-FIX", [200, 201], /has not reached the ceiling/, [404]],
  [DELETION, "SPEND-READS", [], /./, [200, 204]],
  ["POST /api/jobs/{job_id}/cancel", "SPEND-CODE-ONLY", [], /./, [200, 202]],
])("%s for %s names a choice only with the statuses %j", (operation, clause, statuses, choice, others) => {
  const choiceWith = (status: number) =>
    findChoice({ ...response(operation, status, {}), clauses: [clause], wanted: clause.includes("RATE") ? 429 : undefined });
  for (const status of statuses) expect(choiceWith(status)).toMatch(choice);
  expect(others.map(choiceWith)).toEqual(others.map(() => undefined));
});

test.each([
  [401, "authentication_error"],
  [404, "not_found"],
  [405, "invalid_request_error"],
])("a session refused with %i %s shows a choice, except where section 5 lets a user sign in", (status, type) => {
  const withSession = (operation: string, error: object = { type }) =>
    findChoice({ ...response(operation, status, error), hasSession: true });
  expect(withSession(DELETION)).toMatch(/takes no session/);
  expect(withSession(DELETION, {})).toMatch(/takes no session/);
  expect(withSession(DELETION, { type: "validation_error" })).toBeUndefined();
  expect(["POST /api/keys", "PATCH /api/keys/{key_id}"].map((operation) => withSession(operation))).toEqual([
    undefined,
    undefined,
  ]);
});

test("a check that cannot be prepared names the choice and what the server answered", async () => {
  const mock = await startMock({ clock: "frozen" });
  const directory = mkdtempSync(join(tmpdir(), "legal-choices-"));
  const path = join(directory, "target.yaml");
  const target = (await (await fetch(`${mock.api_url}/__mock/target`)).json()) as { bindings: object };
  const registered = { owner: "acme", repo: "web", branch: "main" };
  writeFileSync(path, JSON.stringify({ ...target, bindings: { ...target.bindings, spare: registered } }));
  const { report } = await verify(suite, { target: path, only: ["REPO-DELETE-GONE"], runs: 0, seed: 1, profile: "full" });
  await mock.close();
  rmSync(directory, { recursive: true });
  const reasons = report?.checks.flatMap(({ verdict, reason }) => (verdict === "inconclusive" ? [reason] : []));
  expect(reasons).toContainEqual(
    expect.stringMatching(/^the server does not register .*\. To judge this, name .* \(.*is 409.*\)$/),
  );
});
