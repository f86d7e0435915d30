import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { countProgress, formatProgress, type Progress } from "../../../src/engine/run/progress.js";
import { verify } from "../../../src/engine/run/verify.js";
import { startMock } from "../../../src/mock/server.js";
import { suite } from "../../../src/suite/suite.js";
import { serve } from "../server.js";

const SCENARIO =
  "scenario: under-test\ntitle: A scenario of the runner's own tests\nproves: [JOB-RETRY-NEW]\nsteps:\n  - rest: GET /api/jobs\n    expect: { status: 200 }\n";

test.each([
  ["a scenario that was run", { scenario: "one" }, "one"],
  ["a wait", { scenario: "one", waiting: { what: "room", seconds: 1.2 } }, "waiting 2 s for room"],
  ["a case", { scenario: "property:two 1/3" }, "property:two 1/3"],
  [
    "a wait of a case",
    { scenario: "property:two 1/3", waiting: { what: "room", seconds: 1 } },
    "property:two 1/3, waiting 1 s for room",
  ],
  ["the expected time", { scenario: "one", secondsLeft: 299 }, "one", ", about 5 min left"],
])("a line reports %s", (_, progress, expectedText, left = "") => {
  expect(formatProgress({ done: 4, total: 9, requests: 7, ...progress })).toBe(`4/9, 7 requests${left}  ${expectedText}`);
});

test("a run counts its finished properties", async () => {
  const mock = await startMock({ seed: 1, clock: "frozen" });
  const progresses: Progress[] = [];
  const only = ["property:fuzz-list-*", "scenarios/1-*/*"];
  const options = {
    url: mock.api_url,
    only,
    seed: 1,
    runs: 2,
    onProgress: (progress: Progress) => void progresses.push(progress),
  };
  const { report } = await verify(suite, options).finally(() => mock.close());
  const { done = 0, total = 0 } = progresses.at(-1) ?? {};
  expect([total, report?.properties.length]).toEqual([report?.scenarios.length, 7]);
  expect(done).toBeGreaterThanOrEqual(total - 3); // three are tried at once
});

test("a finished property needs no more time, also if it was skipped", () => {
  vi.useFakeTimers();
  const progresses: Progress[] = [];
  const times = { complete() {}, secondsLeft: () => 0 };
  const sources = { requests: () => 0, times, deadline: Number.POSITIVE_INFINITY };
  const progress = countProgress({ scenarios: 0, properties: 2 }, sources, (one) => void progresses.push(one));
  vi.advanceTimersByTime(30_000);
  progress.onProperty("skipped");
  progress.onCase("played", 1, 2);
  vi.useRealTimers();
  expect(progresses.map(({ done, secondsLeft }) => [done, secondsLeft])).toEqual([[1, expect.closeTo(10)]]);
});

test("a run reports the reason and length of a wait", async () => {
  let asked = 0;
  const server = await serve(({ path }, response) =>
    path === "/api/jobs" && asked++ === 0 ? response(429, {}, { "retry-after": "1" }) : response(200, { data: [] }),
  );
  const directory = mkdtempSync(join(tmpdir(), "progress-"));
  writeFileSync(join(directory, "one.yaml"), SCENARIO);
  const progresses: Progress[] = [];
  const options = { url: server.url, key: "a-key", scenarios: directory, profile: "full" as const, preflight: false };
  await verify(suite, { ...options, onProgress: (progress) => void progresses.push(progress) }).finally(() => server.close());
  rmSync(directory, { recursive: true });
  expect(progresses.map(formatProgress)).toEqual([
    "0/1, 1 requests  waiting 2 s for the end of a 429",
    "1/1, 2 requests  under-test",
  ]);
});
