import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { contract } from "../../../../src/contract/load.js";
import type { MockWorld } from "../../../../src/mock/in-process/mock-world.js";
import { type Mock, startMock } from "../../../../src/mock/server.js";
import { findSnapshotProblem } from "../../../../src/mock/worlds/snapshot-validation.js";
import { exhaustive, sampleSeed } from "../../../meta/sample.js";
import { send } from "../../client.js";
import { post, toolCall } from "../../mcp/messages.js";

/** The number of tested sessions. */
const RUNS = exhaustive ? 200 : 12;

let mock: Mock;
beforeAll(async () => {
  mock = await startMock({ clock: "frozen", limits: "off" });
});
afterAll(() => mock.close());

/** A step of a session: the action, and the rows that it uses. */
type Step = [kind: number, row: number];

async function take(world: MockWorld, [kind, row]: Step): Promise<void> {
  const state = world.snapshot().world;
  const pick = (rows: object) => Object.keys(rows)[row % Object.keys(rows).length] ?? "none";
  const [job, ref] = [pick(state.jobs), pick(state.observations)];
  const repo = world.repos[row % world.repos.length] ?? "";
  const { full = "" } = world.keys;
  const call = (line: string, json: unknown = {}, headers = {}) => {
    const [method, path] = line.split(" ");
    return send(`${method} ${mock.api_url}${path}`, { key: full, json, headers });
  };
  const drive = (event: string, args: object) => {
    try {
      world.drive(event as "suspend", args as never);
    } catch {} // an impossible action changes nothing
  };
  const workflows = ["audit", "standard_audit", "discover", "review"];
  const steps: (() => unknown)[] = [
    () =>
      call(`POST /api/repos/${repo}/jobs`, { workflow: workflows[row % 4], params: {} }, { "idempotency-key": `k${row % 5}` }),
    () => call(`POST /api/repos/${repo}/jobs?force=true`, { workflow: workflows[row % 4], params: {} }),
    () => call(`POST /api/jobs/${job}/cancel`),
    () => call(`POST /api/jobs/${job}/retry`),
    () => call(`POST /api/observations/${ref}/fix`),
    () => call(`POST /api/observations/${ref}/dismiss`, { dismissal_category: "stale", dismissal_note: "Not any more, no." }),
    () => call(`POST /api/observations/${ref}/complete`, { note: "done" }),
    () => call(`POST /api/observations/${ref}/reopen`, { reopen_reason: "again" }),
    () => call(`POST /api/repos/${repo}/reset`, [{ wipe: true }, { history: true }, { findings: true }][row % 3]),
    () => call(`DELETE /api/repos/${repo}`),
    () => call("POST /api/repos", { owner: "acme", repo: `r${row % 3}`, branch: "main" }),
    () => send(`GET ${mock.api_url}/api/jobs/${job}`, { key: full }),
    () => world.advance(["1s", "30s", "10m", "25h"][row % 4]!),
    () => world.advance({ until: "next-event" }),
    () => world.setClock({ work: (["time", "at-once", "polls:2"] as const)[row % 3]! }),
    () => drive("finish-job", { job_id: job, outcome: row % 2 ? "success" : "failure" }),
    () => drive("open-fix-pr", { ref, without_job: row % 2 === 0 }),
    () => drive(["revise-fix-pr", "merge-fix-pr", "close-fix-pr", "expire-observation"][row % 4]!, { ref }),
    () => drive("exhaust-fix", { ref, dismiss: row % 2 === 0 }),
    () => drive(["rediscover", "push-commit"][row % 2]!, { repo }),
    () => drive("find", { repo, observation: { kind: "finding", title: "Mine" } }),
    () => drive(["suspend", "reactivate"][row % 2]!, {}),
    () => drive("revoke-key", { key_id: pick(state.keys) }),
    () => post(mock.mcp_url, full, toolCall(contract.tools.request_fix.name, { ref, job_id: job })),
    () =>
      send(`POST ${mock.app_url}/api/keys`, {
        json: { expires_at: "2027-01-01T00:00:00Z" },
        headers: { cookie: world.sessions.admin! },
      }),
  ];
  await steps[kind % steps.length]!();
}

test(`after ${RUNS} random sessions a world's snapshot is valid, and can be restored`, async () => {
  const session = fc.array(fc.tuple(fc.nat(23), fc.nat(1000)), { minLength: 25, maxLength: 40 });
  const validSnapshots = fc.asyncProperty(session, fc.constantFrom("demo", "strict"), async (steps, fixture) => {
    const world = await mock.world({ fixture });
    for (const step of steps) await take(world, step);
    const snapshot = JSON.parse(JSON.stringify(world.snapshot()));
    expect(findSnapshotProblem(snapshot)).toBe(null);
    world.restore(snapshot);
    world.remove();
  });
  await fc.assert(validSnapshots, { numRuns: RUNS, seed: sampleSeed });
});
