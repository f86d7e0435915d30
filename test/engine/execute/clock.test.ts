import { expect, test } from "vitest";
import { execution, removeDirectories, scenario } from "../run/execution.js";
import type { Handler } from "../server.js";

removeDirectories();

/** Executes a scenario on a target whose hooks move and read its clock in this way. Times are seconds. */
async function checksWith(move: (now: number, bySeconds: number) => number, read: (now: number) => object, steps: string) {
  let now = 1_900_000_000;
  const targetText = (url: string) => `clock: { now: { http: "GET ${url}/now" }, advance: { http: "POST ${url}/advance" } }`;
  const { report } = await execution(
    ({ path, body }, response) => {
      if (path === "/now") return response(200, read(now));
      if (path !== "/advance") return response(200, {});
      const { by = "0s" } = JSON.parse(body) as { by?: string };
      now = move(now, Number.parseFloat(by));
      response(200, {});
    },
    scenario(steps),
    { targetText },
  );
  return report.checks;
}

const iso = (now: number) => ({ now: new Date(now * 1000).toISOString() });
const WAIT = "  - { id: wait, clock: { by: 30s } }\n  - { id: check, rest: GET /api/repos, expect: { status: 200 } }\n";

test.each<[string, (now: number, bySeconds: number) => number, (now: number) => object]>([
  ["exactly", (now, by) => now + by, iso],
  ["a little further", (now, by) => now + by + 1, iso],
])("a clock that its hook moves %s serves", async (_, move, read) => {
  expect((await checksWith(move, read, WAIT)).map(({ step, verdict }) => [step, verdict])).toEqual([["check", "passed"]]);
});

test.each<[string, (now: number, bySeconds: number) => number, (now: number) => object, RegExp]>([
  ["always by an hour", (now) => now + 3600, iso, /clock\.advance was to move the clock by 30 s, but clock\.now moved by 3600 s/],
  ["always by ten seconds", (now) => now + 10, iso, /was to move the clock by 30 s, but clock\.now moved by 10 s/],
  ["not at all", (now) => now, iso, /moved by 0 s. Correct the hooks in the target file/],
  ["but does not tell the time", (now, by) => now + by, () => ({}), /the hook clock\.now answered no timestamp/],
])("after a hook that moves the clock %s, nothing is judged", async (_, move, read, reason) => {
  const [wait, check] = await checksWith(move, read, WAIT);
  expect([wait?.verdict, wait?.reason]).toEqual(["inconclusive", expect.stringMatching(reason)]);
  expect(check).toMatchObject({ step: "check", verdict: "not-observed" });
});

test("a step that uses the time has the reason why it is unknown", async () => {
  const step = '  - { id: check, rest: GET /api/repos, query: { since: "{now-1h}" }, expect: { status: 200 } }\n';
  const [check] = await checksWith(
    (now) => now,
    () => ({ time: 7 }),
    step,
  );
  expect(check).toMatchObject({ verdict: "inconclusive", reason: expect.stringMatching(/clock\.now answered no timestamp/) });
});

test.each([
  [{ deadline: 60 }, "not-applicable", ["a longer --deadline"]],
  [{ maxTime: 60 }, "inconclusive", undefined],
] as const)("a wait for which %j leaves no time leaves the scenario %s", async (limit, verdict, missing) => {
  const step = "  - { id: check, rest: GET /api/repos, expect: { status: 200 } }\n";
  const busy: Handler = (_, response) => response(503, {}, { "retry-after": "600" });
  const { report } = await execution(busy, scenario(step), { maxWait: 1000, ...limit });
  expect(report.scenarios[0]).toMatchObject({ verdict, ...(missing && { missing }) });
  expect(report.checks).toHaveLength(missing ? 0 : 1);
});

test("a step that does not apply does not keep open what the deadline leaves out", async () => {
  const steps =
    "  - { id: late, rest: GET /api/repos, expect: { status: 200 } }\n  - { id: other, mcp: { raw: { jsonrpc: '2.0', id: 1, method: server/discover } }, expect: { status: 200 } }\n";
  const busy: Handler = (_, response) => response(503, {}, { "retry-after": "600" });
  const text = scenario(steps).replace("steps:", "continueAfterFailure: true\nsteps:");
  const { report } = await execution(busy, text, { maxWait: 1000, deadline: 60 });
  expect(report.scenarios[0]).toMatchObject({ verdict: "not-applicable", missing: ["a longer --deadline"] });
});

test("a check that another response left open stays inconclusive, although the deadline also cut a wait", async () => {
  const steps =
    "  - { id: late, rest: GET /api/repos, expect: { status: 200 } }\n  - { id: open, rest: GET /api/jobs, inconclusiveIf: [{ status: 402 }], expect: { status: 200 } }\n";
  const handler: Handler = ({ path }, response) =>
    path === "/api/repos" ? response(503, {}, { "retry-after": "600" }) : response(402);
  const text = scenario(steps).replace("steps:", "continueAfterFailure: true\nsteps:");
  const { report } = await execution(handler, text, { maxWait: 1000, deadline: 60 });
  expect(report.scenarios[0]).toMatchObject({ verdict: "inconclusive" });
  expect(report.checks.map(({ step }) => step)).toEqual(["late", "open"]);
});
