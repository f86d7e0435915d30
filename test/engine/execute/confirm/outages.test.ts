import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { verify } from "../../../../src/engine/run/verify.js";
import { suite } from "../../../../src/suite/suite.js";
import { serve } from "../../server.js";

const closing: (() => unknown)[] = [];
afterEach(async () => void (await Promise.all(closing.splice(0).map((close) => close()))));

/** Runs steps against a server that answers its n-th request with a status; nothing else acts on it. */
async function check(steps: string, statusOf: (n: number, path: string) => number) {
  let count = 0;
  const server = await serve(({ path }, response) =>
    path.startsWith("/api/") ? response(statusOf(++count, path), {}, { "retry-after": "0" }) : response(404),
  );
  const directory = mkdtempSync(join(tmpdir(), "outages-"));
  closing.push(server.close, () => rmSync(directory, { recursive: true }));
  const [target, scenario] = [join(directory, "target"), join(directory, "one.yaml")];
  const keys = "keys: { full: { value: a-key-of-a-test }, viewer: { value: another-key-of-a-test } }";
  writeFileSync(target, `base_url: ${server.url}\n${keys}\nexclusive: true\ntiming: { rate_minute_s: 0.5 }\n`);
  writeFileSync(scenario, `scenario: under-test\ntitle: A scenario with outages\nproves: [JOB-RETRY-NEW]\nsteps:\n${steps}`);
  const { report, messages } = await verify(suite, { target, only: [scenario], maxWait: 2, preflight: false });
  if (!report) throw new Error(messages.join("\n"));
  return report.checks[0];
}

const burst = "  - { burst: { rest: GET /api/repos, n: 30 }, expect: { first429: null, statuses: { 200: 30 } } }\n";

test.each([
  ["none", () => false, "passed"],
  ["a few", (n: number) => n % 15 === 0, "inconclusive"],
  ["many", (n: number) => n % 3 === 0, "failed"],
])("a burst with an outage for %s", async (_, isOut, verdict) => {
  expect((await check(burst, (n) => (isOut(n) ? 503 : 200)))?.verdict).toBe(verdict);
});

const notRetried = "  - { rest: GET /api/repos, retry: false, expect: { status: 200 } }\n";

test.each([
  ["once", (n: number) => n === 1, "passed"],
  ["four times in a row", (n: number) => n <= 4, "passed"],
  ["for long", () => true, "failed"],
])("an answer without a retry that was an outage %s", async (_, isOut, verdict) => {
  expect((await check(notRetried, (n) => (isOut(n) ? 503 : 200)))?.verdict).toBe(verdict);
});

const controlled = `  - rest: GET /api/repos
    retry: false
    expect: { status: 200 }
    control: { as: viewer, rest: GET /api/jobs, expect: { status: 200 } }
`;

test.each([
  ["too", () => true, "inconclusive"],
  ["not", (path: string) => path.startsWith("/api/repos"), "failed"],
])("an unexpected Retry-After, while the control is %s", async (_, waits, verdict) => {
  expect((await check(controlled, (_n, path) => (waits(path) ? 429 : 200)))?.verdict).toBe(verdict);
});

test("a refusal that the control expects too fails the step", async () => {
  const full = controlled.replace("GET /api/jobs, expect: { status: 200 }", "GET /api/jobs, expect: { status: 429 }");
  expect((await check(full, () => 429))?.verdict).toBe("failed");
});

const ofLimit = `  - rest: GET /api/repos
    retry: false
    expect: { status: 429 }
    control: { as: viewer, rest: GET /api/jobs, expect: { status: 200 } }
`;

test.each([
  ["the server sends for its path only", (_n: number, path: string) => path.startsWith("/api/repos"), "failed"],
  ["the server sends for every path", () => true, "inconclusive"],
  ["ends during the control requests", (n: number) => n <= 5, "inconclusive"],
  ["ends and comes back for one control request", (n: number) => n <= 5 || n === 7, "inconclusive"],
  ["the server sends for some control requests", (n: number) => n !== 6 && n !== 8, "inconclusive"],
])("a 503, instead of the expected 429, that %s", async (_, isOut, verdict) => {
  expect((await check(ofLimit, (n, path) => (isOut(n, path) ? 503 : 200)))?.verdict).toBe(verdict);
});
