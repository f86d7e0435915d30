import { afterEach, describe, expect, test } from "vitest";
import { verify } from "../../../src/engine/run/verify.js";
import type { Profile } from "../../../src/engine/scenario/effects.js";
import { suite } from "../../../src/suite/suite.js";
import { serve } from "../../engine/server.js";
import { openWorkspace, type Workspace } from "./workspace.js";

const open: Pick<Workspace, "close">[] = [];
afterEach(async () => void (await Promise.all(open.splice(0).map((one) => one.close()))));

const HEAD = ["proves: [JOB-RETRY-NEW]", "continueAfterFailure: true", "steps:"];
const SPARE = `{ "{binding.register_body.owner}": "{binding.spare.owner}", "{binding.register_body.repo}": "{binding.spare.repo}", "{binding.register_body.branch}": "{binding.spare.branch}", access_mode: anonymous }`;
const REGISTER = `  - { rest: POST /api/repos, json: ${SPARE} }`;
const DELETE = `  - { rest: "DELETE /api/repos/{binding.spare.owner}/{binding.spare.repo}/{binding.spare.branch}" }`;
const OF_ANOTHER = (step: string) => step.replace("{ rest", "{ as: free, rest");
const SUBMIT = `  - { rest: "POST /api/repos/{repo}/jobs", query: { force: "true" }, json: { workflow: audit, params: {} }, save: { job: /id } }`;
const CREATE_KEY = `  - { rest: POST /api/keys, session: admin, json: { "{binding.key_name_field}": "left-{unique}", "{binding.key_scopes_field}": [view_jobs] } }`;
const FIND = (query: string) =>
  `  - { rest: GET /api/observations, query: { kind: finding, limit: 1, ${query} }, save: { ref: /data/0/ref } }`;
const ON = (verb: string, json: string) => `  - { rest: "POST /api/observations/{ref}/${verb}", json: ${json} }`;
const CHECK = "  - { rest: GET /api/jobs, expect: { status: 200 } }";
const DISMISS = ON("dismiss", `{ dismissal_category: wont_fix, dismissal_note: "Left by a test of ours." }`);

type Change = NonNullable<Parameters<typeof openWorkspace>[0]>;

/** Runs steps without a cleanup of their own. Returns what remains, and the state of the workspace before and after. */
async function leave(steps: readonly string[], { profile = "full" as Profile, change = (() => {}) as Change } = {}) {
  const workspace = await openWorkspace(change);
  open.push(workspace);
  const stateBefore = await workspace.state();
  const file = workspace.scenario(...HEAD, ...steps, CHECK);
  const { report, messages } = await verify(suite, { target: workspace.target, profile, only: [file] });
  if (!report) throw new Error(messages.join("\n"));
  const stateAfter = await workspace.state();
  return {
    before: stateBefore,
    after: stateAfter,
    report,
    left: (report.leftovers ?? []).map(({ what, why }) => `${what}: ${why}`),
  };
}

describe("side effects of a scenario are undone", () => {
  test.each([
    ["a job", [SUBMIT]],
    ["a retried job", [SUBMIT, `  - { rest: "POST /api/jobs/{job}/cancel" }`, `  - { rest: "POST /api/jobs/{job}/retry" }`]],
    ["a repository and the discovery that it starts", [REGISTER, "  - clock: { by: 2s }"]],
    ["a repository whose branch has a slash in its name", [REGISTER.replace("{binding.spare.branch}", "feature/{unique}")]],
    [
      "a repository that was reset after it was registered",
      [
        REGISTER,
        `  - { rest: "POST /api/repos/{binding.spare.owner}/{binding.spare.repo}/{binding.spare.branch}/reset", json: {} }`,
      ],
    ],
    ["a repository of two workspaces", [REGISTER, OF_ANOTHER(REGISTER)]],
    ["a repository of two workspaces, deleted in one", [REGISTER, OF_ANOTHER(REGISTER), OF_ANOTHER(DELETE)]],
    ["a repository of two workspaces, deleted in the other", [REGISTER, OF_ANOTHER(REGISTER), DELETE]],
    [
      "a repository with metadata of its own",
      [
        REGISTER,
        `  - { mcp: { tool: update_repository_metadata, arguments: { owner: "{binding.spare.owner}", repo: "{binding.spare.repo}", branch: "{binding.spare.branch}", pr_review_enabled: true } } }`,
      ],
    ],
    [
      "a repository by the tool",
      [
        `  - mcp: { tool: register_repository, arguments: { owner: "{binding.spare.owner}", repo: "{binding.spare.repo}", branch: "{binding.spare.branch}", access_mode: anonymous } }`,
        "  - clock: { by: 2s }",
      ],
    ],
    [
      "a job by the tool",
      [
        `  - mcp: { tool: submit_job, arguments: { owner: "{repo.owner}", repo: "{repo.name}", branch: "{repo.branch}", workflow: audit } }`,
      ],
    ],
    ["a key", [CREATE_KEY]],
    ["somebody's observation, dismissed", [FIND("status: new"), DISMISS]],
    [
      "another client's observation, completed by the tool",
      [FIND("status: new"), `  - mcp: { tool: complete_observation, arguments: { ref: "{ref}" } }`],
    ],
    ["somebody's observation, reopened", [FIND("close_reason: completed"), ON("reopen", `{ reopen_reason: "A test of ours." }`)]],
    [
      "another client's observation, dismissed instead of completed",
      [FIND("close_reason: completed"), ON("reopen", `{ reopen_reason: "A test of ours." }`), DISMISS],
    ],
    [
      "an observation created for it",
      [
        `  - { drive: find, with: { repo: "{repo}", observation: { kind: finding, title: "Ours" } } , save: { ref: /result/ref } }`,
        ON("complete", "{}"),
        ON("reopen", `{ reopen_reason: "A test of ours." }`),
      ],
    ],
    ["a race of jobs", [`  - race: { rest: "POST /api/repos/{repo}/jobs", json: { workflow: audit, params: {} }, n: 3 }`]],
  ])("%s", async (_, steps) => {
    const { before, after, left, report } = await leave(steps);
    expect(report.scenarios.map(({ verdict, reason }) => [verdict, reason])).toEqual([["passed", undefined]]);
    const known = Object.fromEntries(Object.keys(before.observations).map((ref) => [ref, after.observations[ref]]));
    const made = Object.entries(after.observations).filter(([ref]) => !(ref in before.observations));
    expect([{ ...after, observations: known }, left, made.map(([, state]) => state)]).toEqual([
      before,
      [],
      made.map(() => "closed completed"),
    ]);
  });
});

describe("leftovers are reported", () => {
  test.each<[string, readonly string[], { profile?: Profile; change?: Change }, string[]]>([
    [
      "an acknowledgement",
      [FIND("status: new"), ON("acknowledge", "{}")],
      {},
      ["observation acknowledged: an acknowledgement cannot be undone"],
    ],
    [
      "one that was fixed",
      [FIND("close_reason: fixed"), ON("reopen", `{ reopen_reason: "A test of ours." }`)],
      {},
      ["observation reopened: no request closes an observation as fixed"],
    ],
    [
      "a ticket",
      [
        `  - { rest: GET /api/observations, query: { status: new, repo: "{binding.tickets.with}", limit: 1 }, save: { ref: /data/0/ref } }`,
        ON("publish-ticket", "{}"),
      ],
      {},
      ["ticket published: the ticket stays in the tracker"],
    ],
    [
      "a key where nothing revokes it",
      [CREATE_KEY],
      { profile: "safe", change: (target) => delete (target.drive as Record<string, unknown>)["revoke-key"] },
      ["key created: the contract shows no way to revoke a key, and the target file has no drive.revoke-key"],
    ],
    [
      "a repository where none may be deleted",
      [REGISTER],
      { change: (target) => Object.assign(target, { allow: { paid: true, destructive: false } }) },
      ["repository registered: the target file does not allow it (allow.destructive)"],
    ],
  ])("%s", async (_, steps, options, left) => {
    expect((await leave(steps, options)).left).toEqual(left);
  });

  test("but jobs of a repository that was only reset are not cancelled", async () => {
    const change: Change = (target) => Object.assign(target, { repos: ["acme/tools/main"] }); // two of its jobs are under way
    const { before, after, left } = await leave([`  - { rest: "POST /api/repos/{repo}/reset", json: {} }`], { change });
    expect([left, after.busy]).toEqual([["repository reset: a reset cannot be undone"], before.busy]);
    expect(before.busy.length).toBeGreaterThan(0);
  });

  test("with its scenario and its name, in the report", async () => {
    const { report } = await leave([FIND("status: new"), ON("acknowledge", "{}")]);
    expect(report.leftovers).toEqual([
      expect.objectContaining({
        scenario: "under-test",
        id: expect.stringMatching(/^SERVICE-\d+$/),
        what: "observation acknowledged",
      }),
    ]);
  });

  test("but not if the world is deleted", async () => {
    const workspace = await openWorkspace();
    open.push(workspace);
    const file = workspace.scenario(...HEAD, FIND("status: new"), ON("acknowledge", "{}"), CHECK);
    const { report } = await verify(suite, { url: workspace.mock.api_url, only: [file] });
    expect([report?.verdict, report?.leftovers]).toEqual(["passed", undefined]);
  });
});

test("side effects before a stop of the run are undone", async () => {
  const stop = new AbortController();
  const stopper = await serve((_, response) => {
    stop.abort();
    response(200);
  });
  const workspace = await openWorkspace((target) =>
    Object.assign(target.drive as object, { "push-commit": { http: `POST ${stopper.url}` } }),
  );
  open.push(workspace, stopper);
  const stateBefore = await workspace.state();
  const STOP = "  - { drive: push-commit }";
  const file = workspace.scenario(...HEAD, REGISTER, CREATE_KEY, FIND("status: new"), DISMISS, SUBMIT, STOP, CHECK);
  const { report } = await verify(suite, { target: workspace.target, profile: "full", only: [file], signal: stop.signal });
  expect(report?.scenarios.map(({ verdict, reason }) => [verdict, reason])).toEqual([["not-observed", "the run was stopped"]]);
  expect([await workspace.state(), report?.leftovers]).toEqual([stateBefore, undefined]);
});
