import { afterEach, describe, expect, test } from "vitest";
import { type Plan, planRun } from "../../../src/engine/run/plan/plan.js";
import { formatPlan } from "../../../src/engine/run/plan/plan-text.js";
import type { VerifyOptions } from "../../../src/engine/run/verify.js";
import { startSandbox } from "../../../src/mock/in-process/sandbox.js";
import { suite } from "../../../src/suite/suite.js";
import { sampled } from "../../meta/sample.js";
import { openWorkspace, type Workspace } from "../../suite/cleanup/workspace.js";

const openWorkspaces: Workspace[] = [];
afterEach(async () => void (await Promise.all(openWorkspaces.splice(0).map((workspace) => workspace.close()))));

/** Plans on a workspace whose time is real. */
async function planned(options: VerifyOptions, change: (target: Record<string, unknown>) => void = () => {}): Promise<Plan> {
  const workspace = await openWorkspace((target) => {
    delete target.clock;
    change(target);
  });
  openWorkspaces.push(workspace);
  const before = await fetch(`${workspace.mock.api_url}/__mock/worlds/default/journal`).then((response) => response.text());
  const found = await planRun(suite, { target: workspace.target, runs: 0, ...options });
  const after = await fetch(`${workspace.mock.api_url}/__mock/worlds/default/journal`).then((response) => response.text());
  if (!("plan" in found)) throw new Error(found.messages.join("\n"));
  expect(after).toBe(before);
  return found.plan;
}

/** Plans one scenario of these steps with the profile full. */
async function getPlan(steps: readonly string[], options: VerifyOptions = {}) {
  const workspace = await openWorkspace();
  openWorkspaces.push(workspace);
  const file = workspace.scenario(
    "proves: [JOB-RETRY-NEW]",
    "steps:",
    ...steps,
    "  - { rest: GET /api/jobs, expect: { status: 200 } }",
  );
  return (await planned({ profile: "full", only: [file], ...options })).summary;
}

/** Each profile and the fewest scenarios that it runs. Each run of the tests draws one: about 6 commits try all. */
const profiles = [
  ["read-only", 50],
  ["safe", 150],
  ["full", 250],
] as const;

describe("a plan", () => {
  test("counts requests by rate, and states their duration at the pace of the throttle", async () => {
    const rows = `[${Array.from({ length: 20 }, (_, n) => `{ n: ${n} }`).join(", ")}]`;
    const { rates, requests, minutes } = await getPlan([`  - { rest: "POST /api/repos/{repo}/reset", json: {}, rows: ${rows} }`]);
    expect([requests, minutes]).toEqual([21, { min: 4, expected: 4, rates: 4, bursts: 0, clock: 0, dispatches: 0 }]);
    expect(rates).toEqual([
      { bucket: "POST /api/repos/{owner}/{repo}/{branch}/reset", rpm: 5, requests: 20, max: 20, minutes: 4 },
      { bucket: "all requests of a key", rpm: 600, requests: 21, max: 21, minutes: 0 },
    ]);
  });

  test("counts one MCP handshake for each key of the target, and one for each scenario that creates a key", async () => {
    const getMinutes = async (calls: number, head: string, step = "") => {
      const workspace = await openWorkspace();
      openWorkspaces.push(workspace);
      const rows = Array.from({ length: calls }, (_, n) => `{ n: ${n} }`).join(", ");
      const call = `{ mcp: { call: list, arguments: {} }, effect: read, rows: [${rows}]${step}, expect: { content: { type: string } } }`;
      const file = workspace.scenario("proves: [MCP-TOOL-REPOS]", head, `steps: [${call}]`);
      return (await planned({ profile: "full", only: [file] })).summary.minutes.expected;
    };
    const [twice, own] = ["rows: [{ m: 1 }, { m: 2 }]", "use: [own-key]"];
    // At most 48 of the 60 a minute that the tool server takes of a key are used.
    expect([await getMinutes(46, ""), await getMinutes(47, "")]).toEqual([0, 1]);
    expect([await getMinutes(23, twice), await getMinutes(24, twice)]).toEqual([0, 1]);
    const countMade = (calls: number) => getMinutes(calls, `${twice}\n${own}`, ", as: mine");
    expect([await countMade(21), await countMade(22)]).toEqual([0, 1]);
  });

  test("considers shards, bursts, waits and the scheduler", async () => {
    const steps = [
      "  - { burst: { rest: GET /api/repos, n: 90 }, expect: { first429: { gte: 60 } } }",
      "  - clock: { by: 45s }",
      `  - { rest: GET /api/jobs, until: { within: 5m }, expect: { status: 200 } }`,
    ];
    const { minutes, requests } = await getPlan(steps);
    expect([requests, minutes]).toEqual([92, { min: 1, expected: 2, rates: 0, bursts: 1, clock: 0.75, dispatches: 0.25 }]);
  });

  test("states created resources, leftovers, and the possible cost of controls", async () => {
    const submit = `rest: "POST /api/repos/{repo}/jobs", json: { workflow: audit, params: {} }`;
    const summary = await getPlan(
      [
        `  - { ${submit}, save: { job: /id } }`,
        `  - { rest: "POST /api/jobs/{job}/retry", expect: { status: 4xx } }`,
        `  - { ${submit}, as: viewer, expect: { status: 403 }, control: { as: full, expect: { status: [200, 201] } } }`,
        "  - { rest: POST /api/keys, session: admin, json: {} }",
        "  - { rest: GET /api/observations, query: { limit: 1 }, save: { ref: /data/0/ref } }",
        `  - { rest: "POST /api/observations/{ref}/acknowledge" }`,
      ],
      { budgetPaid: 3, shard: { index: 1, of: 2 } },
    );
    expect([summary.paid, summary.budget_paid]).toEqual([2, 2]);
    expect(summary.makes.map(({ what, count, stays }) => [what, count, stays])).toEqual([
      ["jobs started", 2, true],
      ["keys created", 1, false],
      ["observations acknowledged", 1, true],
    ]);
  });

  test.each(sampled(profiles, 1))(
    "of the whole suite with %s has only costs and resources that the profile allows",
    async (profile, fewest) => {
      const { summary, planned: lines } = await planned({ profile });
      const countMade = summary.makes.map(({ what }) => what);
      expect(summary.scenarios).toBeGreaterThan(fewest);
      expect(lines.filter(({ skip_reason }) => skip_reason === undefined)).toHaveLength(summary.scenarios);
      if (profile === "read-only") expect(countMade).toEqual([]);
      if (profile !== "full")
        expect([summary.paid, countMade.includes("jobs started"), countMade.includes("repositories registered")]).toEqual([
          0,
          false,
          false,
        ]);
      if (profile === "full") expect(summary.paid).toBeGreaterThan(100);
    },
  );

  test("of a target with worlds deletes them and has no waits", async () => {
    const workspace = await openWorkspace();
    openWorkspaces.push(workspace);
    const found = await planRun(suite, { url: workspace.mock.api_url, runs: 0 });
    if (!("plan" in found)) throw new Error(found.messages.join("\n"));
    const { worlds, makes, minutes, scenarios } = found.plan.summary;
    expect([worlds, makes, minutes.expected]).toEqual([scenarios, [], 0]);
  });

  test("estimates properties from a few cases on a local server", async () => {
    const options = { profile: "full" as const, only: ["property:fuzz-publish-ticket", "property:fuzz-submit-job"], seed: 1 };
    const inSandbox = (runs: number) => planned({ ...options, runs, sandbox: startSandbox });
    const getCost = ({ summary }: Plan) => summary.properties ?? expect.fail("the properties have no estimate");
    const some = await inSandbox(200);
    const [few, many] = [getCost(some), getCost(await inSandbox(400))];
    const submits = few.rates.find(({ bucket }) => bucket.includes("/jobs,")) ?? expect.fail("no submission is reckoned");
    expect([submits.rpm, submits.requests >= 200]).toEqual([30, true]);
    expect(submits.minutes).toBeGreaterThan(200 / 30);
    expect(few.minutes).toBeGreaterThanOrEqual(submits.minutes); // the other fills its waits
    expect(few.paid).toBeGreaterThan(0);
    expect(Math.abs(many.requests - 2 * few.requests)).toBeLessThanOrEqual(1);
    expect(formatPlan(some)).toContain(
      `properties: 2, 400 cases: about ${few.requests} requests, of which ${few.paid} may start`,
    );
    const barePlan = await planned({ ...options, runs: 200 });
    expect([barePlan.summary.properties, formatPlan(barePlan)]).toEqual([
      undefined,
      expect.stringContaining("400 cases, not included in these numbers"),
    ]);
  });

  test("is a list with a summary, which states the sent requests", async () => {
    const text = formatPlan(await planned({ profile: "safe", only: ["4-keys/key-create*"] }));
    expect(text).toContain("sent only the request for the target's description");
    expect(text).toMatch(/\d+ × keys created: revoked/);
    expect(text).toMatch(/^key-create.* {2}\d+ requests, 0 may cost$/m);
  });
});
