import { expect, test } from "vitest";
import { execution, removeDirectories, scenario } from "../run/execution.js";
import type { Handler } from "../server.js";

removeDirectories();

const steps = (request: string) => `  - burst: { n: 9, rest: ${request} }
  - burst: { n: 9, rest: ${request} }
    expect: { first429: { gte: 4 } }
`;
const hooks = "clock: { now: { http: GET /now }, advance: { http: POST /move } }";

/** A server that takes `max` requests in each `minute` (seconds), and the minute that its target file states. */
interface RateLimitedServer {
  stated: number;
  minute?: number;
  max: number;
  request?: string;
}

/** Executes two bursts, one a stated minute after the other. */
async function bursts({ stated, minute = 60, max, request = "GET /api/jobs" }: RateLimitedServer) {
  let now = 1_900_000_000;
  let window = { begun: 0, served: 0 };
  const handler: Handler = ({ path, body }, response) => {
    if (path === "/now") return response(200, { now: new Date(now * 1000).toISOString() });
    if (path === "/move") {
      now += Number.parseFloat((JSON.parse(body) as { by: string }).by);
      return response(200, {});
    }
    if (now >= window.begun + minute) window = { begun: now, served: 0 };
    return ++window.served <= max ? response(200, { data: [] }) : response(429, {}, { "retry-after": "1" });
  };
  const targetText = () => `repos: [acme/demo/main]\n${hooks}\ntiming: { rate_minute_s: ${stated} }`;
  return (await execution(handler, scenario(steps(request)), { targetText, maxWait: 100 })).report.checks.find(
    ({ step }) => step === "#2",
  );
}

test("an early refusal is a finding if it is as early after a whole minute", async () => {
  expect(await bursts({ stated: 2, minute: 2, max: 2 })).toMatchObject({ verdict: "failed" });
});

test("an early refusal is inconclusive if the stated minute is too short for the server", async () => {
  expect(await bursts({ stated: 2, max: 3 })).toMatchObject({
    verdict: "inconclusive",
    reason: expect.stringMatching(/^timing\.rate_minute_s \(2\) may be untrue: after 60 s the server took 3 more requests/),
  });
});

test("a burst that writes is not repeated after an early refusal", async () => {
  expect(await bursts({ stated: 2, max: 3, request: "POST /api/observations/SERVICE-1/acknowledge" })).toMatchObject({
    verdict: "failed",
  });
});

test("an early refusal after a minute of 60 s is a finding", async () => {
  expect(await bursts({ stated: 60, max: 3 })).toMatchObject({ verdict: "passed" });
  expect(await bursts({ stated: 60, max: 2 })).toMatchObject({ verdict: "failed" });
});
