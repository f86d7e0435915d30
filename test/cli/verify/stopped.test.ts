import { spawn } from "node:child_process";
import { readdirSync } from "node:fs";
import { afterEach, describe, expect, test } from "vitest";
import { sampled } from "../../meta/sample.js";
import { openWorkspace, type Workspace } from "../../suite/cleanup/workspace.js";
import { main } from "../counterpart.js";

const openWorkspaces: Workspace[] = [];
afterEach(async () => void (await Promise.all(openWorkspaces.splice(0).map((workspace) => workspace.close()))));

const SPARE = `{ "{binding.register_body.owner}": "{binding.spare.owner}", "{binding.register_body.repo}": "{binding.spare.repo}", "{binding.register_body.branch}": "{binding.spare.branch}", access_mode: anonymous }`;
const STEPS = [
  "proves: [JOB-RETRY-NEW]",
  "steps:",
  `  - { rest: POST /api/repos, json: ${SPARE} }`,
  `  - { rest: POST /api/keys, session: admin, json: { "{binding.key_name_field}": "left-{unique}", "{binding.key_scopes_field}": [view_jobs] } }`,
  "  - { rest: GET /api/observations, query: { kind: finding, status: new, limit: 1 }, save: { ref: /data/0/ref } }",
  `  - { rest: "POST /api/observations/{ref}/complete", json: {} }`,
  `  - { rest: "POST /api/repos/{repo}/jobs", query: { force: "true" }, json: { workflow: audit, params: {} } }`,
  "  - clock: { by: 60s }",
  "  - { rest: GET /api/jobs, expect: { status: 200 } }",
];

/** Starts the command line on a workspace whose time is real; its scenario makes things, then waits for a minute. */
async function start() {
  const workspace = await openWorkspace((target) => delete target.clock);
  openWorkspaces.push(workspace);
  const stateBefore = await workspace.state();
  const args = [
    "verify",
    "--target",
    workspace.target,
    "--profile",
    "full",
    "--only",
    workspace.scenario(...STEPS),
    "--out",
    `${workspace.target}.out`,
  ];
  const child = spawn(process.execPath, [main, ...args], { stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += chunk));
  const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
  await waitUntil(
    async () => (await workspace.state()).busy.length > stateBefore.busy.length,
    () => output,
  );
  return { workspace, before: stateBefore, child, ended, said: () => output };
}

async function waitUntil(condition: () => Promise<boolean> | boolean, reasonOf: () => string): Promise<void> {
  for (let tries = 0; !(await condition()); tries++) {
    if (tries > 600) throw new Error(`it did not come so far: ${reasonOf()}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

describe("a stopped run", { timeout: 60_000 }, () => {
  test.each(sampled(["SIGINT", "SIGTERM"] as const, 1))("by %s removes its resources", async (signal) => {
    const { workspace, before, child, ended, said: output } = await start();
    child.kill(signal);
    expect([await ended, output()]).toEqual([3, expect.stringContaining("Stopping and cleaning up")]);
    expect(await workspace.state()).toEqual(before);
    expect(output()).not.toContain("left behind");
  });

  test.each(
    sampled(
      [
        ["SIGINT", 130],
        ["SIGTERM", 143],
      ] as const,
      1,
    ),
  )("by %s twice exits at once, lists leftovers on the server, and leaves no file", async (signal, code) => {
    const { workspace, child, ended, said: output } = await start();
    const faults = `${workspace.mock.api_url}/__mock/worlds/default/faults`;
    const fault = { on: "GET /api/repos/{owner}/{repo}/{branch}/jobs", every: 1, delay: "20s" };
    const set = await fetch(faults, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(fault),
    });
    expect(set.status).toBeLessThan(300);
    child.kill(signal);
    await waitUntil(() => output().includes("cleaning up"), output);
    child.kill(signal);
    expect(await ended).toBe(code);
    expect(readdirSync(`${workspace.target}.out`)).toEqual([]);
    const left = [...output().matchAll(/^counterpart: left behind: ([a-z ]+): [^:]+: the run ended before it was undone/gm)].map(
      ([, what]) => what,
    );
    expect(left.sort()).toEqual(["job started", "key created", "observation completed", "repository registered"]);
    expect((await workspace.state()).busy.length).toBeGreaterThan(0);
  });
});
