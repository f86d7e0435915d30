import { describe, expect, test } from "vitest";
import { openExecution } from "../../../src/engine/execute/execution.js";
import { openWire } from "../../../src/engine/http/rest.js";
import { openServerClock } from "../../../src/engine/http/server-clock.js";
import { startRun } from "../../../src/engine/run/connect.js";
import { compileScenario } from "../../../src/engine/scenario/compile.js";
import { targetAtUrl } from "../../../src/engine/target/target.js";
import { suite } from "../../../src/suite/suite.js";

const API = "https://api.example";
const OURS = Date.parse("2026-05-01T12:00:00Z");

/** What a clock of a server says, in seconds ahead of ours, after answers with these Date headers, each after a request that took two seconds. */
function aheadAfter(dates: readonly (string | undefined)[], url = `${API}/api/jobs`): number {
  const clock = openServerClock(API, () => OURS);
  for (const date of dates) {
    clock.read({
      request: { method: "GET", url, headers: {} },
      startedAt: OURS - 2000,
      endedAt: OURS,
      response: { status: 200, headers: date === undefined ? {} : { date }, body: new Uint8Array() },
    });
  }
  return (clock.now() - OURS) / 1000;
}

describe("the clock of a server", () => {
  const cases: [string, (string | undefined)[], number][] = [
    ["is ours as long as no answer tells it", [undefined], 0],
    ["is ours where the header is within what a whole second and a slow answer leave open", ["Fri, 01 May 2026 11:59:57 GMT"], 0],
    ["is ours where the header is no date", ["yesterday"], 0],
    ["is ahead by as much as is certain", ["Fri, 01 May 2026 14:00:00 GMT"], 7200],
    ["is behind by as much as is certain", ["Fri, 01 May 2026 11:00:00 GMT"], -3597],
    ["follows a server that sets it right", ["Fri, 01 May 2026 14:00:00 GMT", "Fri, 01 May 2026 11:59:59 GMT"], 2],
  ];
  test.each(cases)("%s", (_, dates, seconds) => {
    expect(aheadAfter(dates)).toBe(seconds);
  });

  test("is not told by another host", () => {
    expect(aheadAfter(["Fri, 01 May 2026 14:00:00 GMT"], "https://docs.example/openapi.json")).toBe(0);
  });

  test("is each world's own", async () => {
    const wire = openWire({ timeoutMs: 1 });
    const described = targetAtUrl(suite.target, API);
    const { target } = described.ok ? described : expect.fail("the target cannot be described");
    const run = { ...startRun(suite, {}, target, wire), now: () => OURS };
    const environment = { target, world: "w1", fresh: true, keys: {}, sessions: {}, repos: [] };
    const scenario = compileScenario({ scenario: "any", title: "Any", proves: [], steps: [] }, suite);
    const [one, other] = ["a", "b"].map((unique) => openExecution(run, environment, scenario, unique).execution.run.serverClock);
    const request = { method: "GET", url: API, headers: {} };
    const response = { status: 200, headers: { date: "Fri, 01 May 2026 14:00:00 GMT" }, body: new Uint8Array() };
    one?.read({ request, startedAt: OURS, endedAt: OURS, response });
    expect([one?.now(), other?.now()]).toEqual([OURS + 7_200_000, OURS]);
    await wire.close();
  });
});
