import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, afterEach, expect, test } from "vitest";
import { judgeBundle } from "../../../src/engine/run/judge-bundle.js";
import type { RunEstimate, VerifyOptions } from "../../../src/engine/run/options.js";
import { planRun } from "../../../src/engine/run/plan/plan.js";
import { verify } from "../../../src/engine/run/verify.js";
import { suite } from "../../../src/suite/suite.js";
import { openWorkspace } from "../../suite/cleanup/workspace.js";
import { serve } from "../server.js";

type Fields = Record<string, unknown>;

const open: { close(): Promise<void> }[] = [];
const out = mkdtempSync(join(tmpdir(), "deadline-"));
afterAll(() => rmSync(out, { recursive: true }));
afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.close()));
});

const READ = "  - { rest: GET /api/jobs, expect: { status: 200 } }";

/** Opens a workspace whose time is real, with one scenario that waits and one that does not. Returns the options of a run of both. */
async function openShop(waits: string, change: (target: Fields, fields: Fields) => void = () => {}): Promise<VerifyOptions> {
  const workspace = await openWorkspace((target, described) => {
    delete target.clock;
    change(target, described);
  });
  open.push(workspace);
  const write = (name: string, clause: string, ...steps: string[]) => {
    const file = join(dirname(workspace.target), `${name}.yaml`);
    writeFileSync(
      file,
      [`scenario: ${name}`, "title: A scenario of this test", `proves: [${clause}]`, "steps:", ...steps, ""].join("\n"),
    );
    return file;
  };
  const slow = write("slow", "JOB-RETRY-NEW", `  - clock: { by: ${waits} }`, READ);
  const quick = write("quick", "JOB-FIELD-STATUS", READ);
  return { target: workspace.target, profile: "full", runs: 0, only: [slow, quick] };
}

const REASON = "the deadline of 20 s leaves no time for it";

test("a deadline leaves out scenarios that do not fit, announces that, and does not make the run inconclusive", async () => {
  const options = await openShop("40s");
  const estimates: RunEstimate[] = [];
  const begun = performance.now();
  const deadline = 20;
  const onEstimate = (estimate: RunEstimate) => void estimates.push(estimate);
  const { exitCode, report } = await verify(suite, { ...options, deadline, out, onEstimate });
  expect(performance.now() - begun).toBeLessThan(deadline * 1000);
  expect(estimates.map(({ leftOut }) => leftOut)).toEqual([{ scenarios: 1, clauses: ["JOB-RETRY-NEW"] }]);
  expect([exitCode, report?.clauses.map(({ id, verdict, reason, missing }) => [id, verdict, reason, missing])]).toEqual([
    0,
    [
      ["JOB-RETRY-NEW", "not-applicable", REASON, ["a longer --deadline"]],
      ["JOB-FIELD-STATUS", "passed", undefined, undefined],
    ],
  ]);
  expect(report?.outcome.sentence).toBe("Conforms as far as 1 of 2 clauses could be judged; 1 need: a longer --deadline (1).");
  const runResult = await judgeBundle(suite, { bundle: out });
  expect([runResult.exitCode, runResult.messages.filter((line) => line.includes("differ"))]).toEqual([0, []]);
});

test("a longest time that ends before the deadline leaves the run inconclusive", async () => {
  const { exitCode, report } = await verify(suite, { ...(await openShop("10s")), deadline: 60, maxTime: 3 });
  expect([exitCode, report?.clauses.map(({ id, verdict }) => [id, verdict])]).toEqual([
    3,
    [
      ["JOB-RETRY-NEW", "inconclusive"],
      ["JOB-FIELD-STATUS", "passed"],
    ],
  ]);
});

test("a wait of the preflight does not make the answers of the server slow", async () => {
  let asked = 0;
  const server = await serve(({ path }, response) =>
    path.startsWith("/api/") && asked++ === 0
      ? response(429, {}, { "retry-after": "1" })
      : response(200, { data: [], has_more: false }),
  );
  open.push(server);
  const scenarios = mkdtempSync(join(out, "scenarios-"));
  const read = Array.from({ length: 24 }, () => READ);
  writeFileSync(
    join(scenarios, "one.yaml"),
    ["scenario: reads", "title: A scenario of this test", "proves: [JOB-FIELD-STATUS]", "steps:", ...read, ""].join("\n"),
  );
  const estimates: RunEstimate[] = [];
  const onEstimate = (estimate: RunEstimate) => void estimates.push(estimate);
  await verify(suite, { url: server.url, key: "a-key", scenarios, runs: 0, deadline: 8, onEstimate });
  expect(estimates.map(({ leftOut }) => leftOut)).toEqual([undefined]);
});

test("a plan runs scenarios in worlds concurrently", async () => {
  const options = await openShop("10s", (target, fields) => {
    target.worlds = fields.worlds;
  });
  const [slow = ""] = options.only ?? [];
  const text = readFileSync(slow, "utf8");
  const more = ["second", "third"].map((name) => {
    const file = join(dirname(slow), `${name}.yaml`);
    writeFileSync(file, text.replace("scenario: slow", `scenario: ${name}`));
    return file;
  });
  const found = await planRun(suite, { ...options, only: [slow, ...more], deadline: 20 });
  if (!("plan" in found)) throw new Error(found.messages.join("\n"));
  expect(found.plan.planned.map(({ skip_reason }) => skip_reason)).toEqual([undefined, undefined, undefined]);
});

test("a plan names what a deadline leaves out", async () => {
  const found = await planRun(suite, { ...(await openShop("40s")), deadline: 20 });
  if (!("plan" in found)) throw new Error(found.messages.join("\n"));
  expect(found.plan.planned.map(({ skip_reason }) => skip_reason)).toEqual([REASON, undefined]);
});

test("a resumed run executes what a deadline left out", async () => {
  const options = await openShop("1s");
  await verify(suite, { ...options, deadline: 1, out });
  const { exitCode, report } = await verify(suite, { ...options, resume: out });
  expect([exitCode, report?.counts]).toEqual([0, { passed: 2 }]);
});
