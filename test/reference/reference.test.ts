import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Report } from "../../src/engine/report/report.js";
import { type VerifyOptions, verify } from "../../src/engine/run/verify.js";
import { type ControlText, createControlHooks } from "../../src/engine/target/control.js";
import { suite } from "../../src/suite/suite.js";
import { draw, exhaustive, sampled, sampleSeed } from "../meta/sample.js";
import type { Choices } from "./choices.js";
import { events } from "./control.js";
import { OPS_TOKEN, startReference } from "./server.js";
import { addPageFields, closedChoices, sharedChoices, terse } from "./variants.js";

/** A hook of a target file. */
type Hook = { http: string; headers: object; json?: object };

/** Does what an HTTP hook does, as a command: the event comes on standard input, the response goes to standard output. */
const CALL = `
  const [method, url, token] = process.argv.slice(1);
  const body = await process.stdin.toArray().then((pieces) => Buffer.concat(pieces));
  const headers = { "x-ops-token": token, "content-type": "application/json" };
  const { request } = await import("node:http");
  request(url, { method, headers }, (answer) => {
    if (answer.statusCode >= 300) process.exit(1);
    answer.pipe(process.stdout);
  }).end(method === "POST" ? body : undefined);
`;

/** Examines one variant with the whole suite, or with what `only` names; its target file may be changed before. */
async function examine(
  choices: Choices,
  maxWait: number,
  { only = [], shard }: Pick<VerifyOptions, "only" | "shard"> = {},
  change: (target: Record<string, unknown>) => object = (target) => target,
): Promise<Report> {
  const server = await startReference(choices);
  const directory = mkdtempSync(join(tmpdir(), "reference-"));
  try {
    const target = join(directory, "target.yaml");
    writeFileSync(target, JSON.stringify(change(server.target)));
    const { report, messages } = await verify(suite, {
      target,
      only,
      ...(shard && { shard }),
      seed: 1,
      runs: 0,
      profile: "full",
      maxWait,
      env: { REFERENCE_OPS: OPS_TOKEN },
    });
    if (!report) throw new Error(messages.join("\n"));
    return report;
  } finally {
    rmSync(directory, { recursive: true });
    await server.close();
  }
}

/** The same target with commands for hooks. */
function byCommands({ control, ...described }: Record<string, unknown>): object {
  const { worlds, clock, drive, ...target }: Record<string, unknown> = {
    ...described,
    ...(control !== undefined && createControlHooks(control as ControlText, events)),
  };
  const command = ({ http, json }: Hook) => {
    const [method = "", url = ""] = http.split(" ");
    return { command: [process.execPath, "--input-type=module", "-e", CALL, method, url, OPS_TOKEN], ...(json && { json }) };
  };
  const commands = (hooks: unknown) =>
    Object.fromEntries(Object.entries(hooks as Record<string, Hook>).map(([name, hook]) => [name, command(hook)]));
  return { ...target, ...(worlds !== undefined && { worlds: commands(worlds) }), clock: commands(clock), drive: commands(drive) };
}

/** The same target without hooks for its clock. */
function withoutClock({ clock: _, control, ...target }: Record<string, unknown>): object {
  return { ...target, ...(control !== undefined && { control: { ...(control as ControlText), offers: events } }) };
}

/** The same server without hooks: no worlds, no clock to move, and no events to drive. Three seconds of its clock are a minute. */
function withoutHooks(choices: Choices): Choices {
  return { ...choices, name: `${choices.name} without hooks`, control: "none", clock: "flows", pace: 20 };
}

/** Returns the findings of the runner in a server, as lines. */
function alarms({ checks, scenarios }: Report): string[] {
  const failedChecks = checks.filter(({ verdict }) => verdict === "failed");
  const scenarioEntries = scenarios.filter(({ verdict }) => verdict === "harness-error");
  return [
    ...failedChecks.map(({ id, expected, actual }) => `${id}: expected ${expected}, got ${actual}`),
    ...scenarioEntries.map(({ scenario, reason }) => `${scenario}: ${reason}`),
  ];
}

/** A server to examine: the longest wait in seconds, the fewest clauses that must pass, and which part of the suite it meets. */
interface Examination {
  name: string;
  choices: Choices;
  maxWait: number;
  fewest: number;
  part: Pick<VerifyOptions, "only" | "shard">;
}

/**
 * One random server of the four, with a random sixteenth of the suite. After about 300 commits, each server has met the whole suite.
 * `npm run quality` runs the whole suite on all four, with more cases of each property.
 */
const some: readonly Examination[] = exhaustive
  ? []
  : draw([terse, addPageFields, sharedChoices, closedChoices], 1).map((choices) => ({
      name: choices.name,
      choices,
      maxWait: choices === closedChoices ? 2 : 90,
      fewest: 6,
      part: { shard: { index: 1 + (sampleSeed % 16), of: 16 } },
    }));

/** Scenarios that together need fewer requests than a rate minute allows, so that every machine passes some. A shard has only its share of the rates. */
const MAIN_SCENARIOS = ["error-*", "auth-*", "page-l*", "scope-*"];

/**
 * A part of the suite is enough for these, because only waits differ, and `closed` is `wordy` without hooks. Each run draws one: about 3 commits
 * try both.
 */
const hookless: readonly Examination[] = sampled([terse, sharedChoices], 1)
  .map(withoutHooks)
  .map((choices, at) => ({
    name: choices.name,
    choices,
    maxWait: 1,
    fewest: 25,
    part: exhaustive ? { shard: { index: at + 1, of: 4 } } : { only: MAIN_SCENARIOS },
  }));

/** Scenarios that need a clock, events and, where there are any, worlds. */
const DRIVEN = ["observation-rediscovered-stays-closed*", "job-ends-failed"];

describe.concurrent("servers with other choices where the contract is silent", () => {
  test.for([...some, ...hookless])("the runner finds nothing against $name", { timeout: 180_000 }, async (variant) => {
    const { name, choices, maxWait, fewest, part } = variant;
    const report = await examine(choices, maxWait, part);
    console.log(name, JSON.stringify(report.counts), `${report.requests} requests`);
    expect(alarms(report)).toEqual([]);
    expect(report.counts.passed ?? 0).toBeGreaterThanOrEqual(fewest);
  });

  test.for(exhaustive ? [terse, sharedChoices] : draw([terse, sharedChoices], 1))(
    "the runner finds nothing against $name by hooks that are commands",
    { timeout: 120_000 },
    async (choices) => {
      const report = await examine(choices, 90, { only: DRIVEN }, byCommands);
      expect(alarms(report)).toEqual([]);
      expect(new Set(report.scenarios.map(({ verdict }) => verdict))).toEqual(new Set(["passed"]));
    },
  );

  test.each([
    ["one world", sharedChoices, -10_800],
    ["one world", sharedChoices, 10_800],
    ["worlds", terse, -10_800],
  ] as const)("the runner uses the clock of a server with %s", async (_, variant, aheadSeconds) => {
    const only = ["key-expiry-past-refused"];
    const report = await examine({ ...variant, clock: "flows", aheadSeconds }, 1, { only }, withoutClock);
    expect(report.scenarios.map(({ verdict, reason }) => [verdict, reason])).toEqual([["passed", undefined]]);
    expect(report.notes?.join()).toMatch(
      aheadSeconds > 0
        ? /the server's clock is \d+ s ahead of the local clock/
        : /the server's clock is \d+ s behind the local clock/,
    );
  });

  test("the runner finds a violation of the contract", async () => {
    const timeless = { ...terse, timestamp: () => "yesterday" };
    const found = alarms(await examine(timeless, 1, { only: ["OBS-ACK-STAMPS"] }));
    expect(found).toContainEqual(expect.stringMatching(/^observation-acknowledge\/stamped: .*"yesterday"/));
    for (const alarm of found) expect(alarm).toMatch(/\/stamped\S*: .*"yesterday"/);
  });
});
