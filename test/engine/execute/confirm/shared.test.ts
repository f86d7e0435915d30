import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { type VerifyOptions, verify } from "../../../../src/engine/run/verify.js";
import { suite } from "../../../../src/suite/suite.js";
import { type Handler, serve } from "../../server.js";

const closing: (() => unknown)[] = [];
afterEach(async () => void (await Promise.all(closing.splice(0).map((close) => close()))));

const refusal = { error: { type: "rate_limit_error", code: "rate_limit_qps", message: "m", request_id: "r" } };

/** Runs steps against a server that others use too, unless the target file says otherwise. */
async function execution(handler: Handler, steps: string, targetText = "", options: VerifyOptions = {}) {
  const server = await serve((request, response, ...rest) =>
    request.path.startsWith("/api/") ? handler(request, response, ...rest) : response(404),
  );
  const directory = mkdtempSync(join(tmpdir(), "shared-"));
  closing.push(server.close, () => rmSync(directory, { recursive: true }));
  const [target, scenario] = [join(directory, "target"), join(directory, "one.yaml")];
  writeFileSync(
    target,
    `base_url: ${server.url}\nkeys: { full: { value: a-key-of-a-test } }\ntiming: { rate_minute_s: 0.01 }\n${targetText}\n`,
  );
  writeFileSync(scenario, `scenario: under-test\ntitle: A scenario among others\nproves: [JOB-RETRY-NEW]\nsteps:\n${steps}`);
  const result = await verify(suite, { target, only: [scenario], maxWait: 0.1, preflight: false, ...options });
  if (!result.report) throw new Error(result.messages.join("\n"));
  return {
    ...result,
    report: result.report,
    check: result.report.checks[0],
    received: server.received.filter(({ path }) => path.startsWith("/api/")),
  };
}

const READ = "  - { rest: GET /api/jobs, expect: { status: 200 } }\n";
const BURST = "  - { burst: { rest: GET /api/repos, n: 9 }, expect: { first429: { gte: 5 } } }\n";

/** Answers with 429 from the n-th request on. */
const fullAt =
  (n: number): Handler =>
  (_, response, __, all) =>
    all.filter(({ path }) => path === "/api/repos").length >= n ? response(429, refusal) : response(200);

test("a limit that was not reached is not a finding when requests were refused for another reason", async () => {
  const burst = "  - { burst: { rest: GET /api/repos, n: 9 }, expect: { first429: { gte: 5, lte: 9 } } }\n";
  const of = async (status: number) =>
    (await execution((_, response) => response(status), burst, "", { maxWait: 9 })).check?.reason;
  expect(await of(409)).toBe(
    "no request got a 429, but 9 requests were refused for another reason and may not count towards the limit",
  );
  expect((await of(200)) ?? "no reason").not.toMatch(/refused/);
});

describe("on a server with other clients", () => {
  test("a failure that repeats each time is a finding", async () => {
    const { exitCode, check, received, report } = await execution((_, response) => response(404), READ);
    expect([exitCode, check?.verdict, received.length, report.requests]).toEqual([1, "failed", 5, 5]);
  });

  test.each([1, 2])("a failure that occurred %i times and not again is inconclusive", async (times) => {
    const { exitCode, check, received } = await execution((_, response, __, all) => {
      const number = all.filter(({ path }) => path === "/api/jobs").length;
      response(number > times ? 200 : 404);
    }, READ);
    expect([exitCode, check?.verdict, received.length]).toEqual([3, "inconclusive", times + 1]);
    expect(check?.reason).toBe(
      "expected status: 200, got status: 404, and this did not happen again: other clients may use this workspace. To judge this, set exclusive in the target file if there are none",
    );
  });

  test("a limit that is reached early is inconclusive", async () => {
    const early = await execution(fullAt(2), BURST);
    expect([early.exitCode, early.check?.verdict, early.check?.reason]).toEqual([
      3,
      "inconclusive",
      "the limit was reached early; other clients with the same key may have used part of it. To judge this, set exclusive in the target file if there are none",
    ]);
  });

  test("a refusal with another code is a finding", async () => {
    const steps = BURST.replace("gte: 5 }", "gte: 1 }, error: { code: rate_limit_budget }");
    expect((await execution(fullAt(2), steps)).check?.verdict).toBe("failed");
  });

  test("a burst with a separate key is judged", async () => {
    const steps = `  - { rest: POST /api/keys, saveCredential: { mine: /key } }\n${BURST.replace("n: 9", "n: 9, as: mine")}`;
    const handler: Handler = (request, response, ...rest) =>
      request.path === "/api/keys"
        ? response(201, { key_id: "k1", key: "another-key-of-a-test" })
        : fullAt(2)(request, response, ...rest);
    expect((await execution(handler, steps)).check?.verdict).toBe("failed");
  });
});

describe("on a server with `exclusive` in the target file", () => {
  test("a failure is a finding at once", async () => {
    const { exitCode, received } = await execution((_, response) => response(404), READ, "exclusive: true");
    expect([exitCode, received.length]).toEqual([1, 1]);
  });

  test("a limit that is reached early is a finding, but not for one shard among others", async () => {
    expect((await execution(fullAt(2), BURST, "exclusive: true")).check?.verdict).toBe("failed");
    const shard = await execution(fullAt(2), BURST, "exclusive: true", { shard: { index: 1, of: 1 } });
    expect(shard.check?.verdict).toBe("inconclusive");
  });
});

describe("a scenario that uses up limits", () => {
  test.each([
    ["read-only", "", "the scenario has write steps, which the profile read-only leaves out"],
    ["read-only", "exclusive: true", "the scenario has write steps, which the profile read-only leaves out"],
    ["safe", "", "the scenario uses up a limit that other clients share, which the profile safe leaves out"],
    ["safe", "exclusive: true", undefined],
    ["full", "", undefined],
  ] as const)("runs with %s on a target %j unless: %s", async (profile, targetText, reason) => {
    const { report, received } = await execution(fullAt(6), BURST, targetText, { profile });
    expect([report.scenarios[0]?.reason, received.length > 0]).toEqual([reason, reason === undefined]);
  });
});

describe("a wait for Retry-After", () => {
  const slowHandler: Handler = (_, response, __, all) =>
    all.length === 1 ? response(429, refusal, { "retry-after": "0" }) : response(200);

  test("lasts the full time, and is in the report", async () => {
    const { check, report } = await execution(slowHandler, READ, "", { maxWait: 2 });
    expect([check?.verdict, report.waited_s]).toEqual(["passed", 1]);
  });

  test.each([
    [
      { maxWait: 0.5 },
      /^the server answered 429, and the target offers no clock .* is 0.5 s\. To judge this, .* \(this needs a wait of 1 s\)$/,
    ],
    [{ maxWait: 2, maxTime: 0.9 }, /^the server answered 429, and this needs a wait of 1 s, but the run has less time left$/],
  ])("that is longer than %j allows is not shortened: the step is inconclusive", async (options, reason) => {
    const { check, report } = await execution(slowHandler, READ, "", options);
    expect([check?.verdict, check?.reason, report.waited_s]).toEqual(["inconclusive", expect.stringMatching(reason), 0]);
  });

  test("is reported in whole seconds, so that equal reasons are grouped", async () => {
    const { check } = await execution((_, response) => response(429, refusal), READ, "", { maxWait: 0.005 });
    expect(check?.reason).toMatch(/\(this needs a wait of 1 s\)$/);
  });
});
