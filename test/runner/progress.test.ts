import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Progress } from "../../src/runner/options.js";
import { progressLine } from "../../src/runner/report/text.js";
import { verify } from "../../src/runner/verify.js";
import { serve } from "./server.js";

const SCENARIO =
  "scenario: under-test\ntitle: A scenario of the examiner's own tests\nproves: [JOB-RETRY-NEW]\nsteps:\n  - rest: GET /api/jobs\n    expect: { status: 200 }\n";

test("a run tells what it waits for, and how long", async () => {
  let asked = 0;
  const server = await serve(({ path }, reply) =>
    path === "/api/jobs" && asked++ === 0 ? reply(429, {}, { "retry-after": "1" }) : reply(200, { data: [] }),
  );
  const directory = mkdtempSync(join(tmpdir(), "progress-"));
  writeFileSync(join(directory, "one.yaml"), SCENARIO);
  const told: Progress[] = [];
  const options = { url: server.url, key: "a-key", scenarios: directory, profile: "full" as const, preflight: false };
  await verify({ ...options, onProgress: (progress) => void told.push(progress) }).finally(() => server.close());
  rmSync(directory, { recursive: true });
  expect(told.map(progressLine)).toEqual(["0/1, 1 requests  waiting 2 s for the end of a 429", "1/1, 2 requests  under-test"]);
});
