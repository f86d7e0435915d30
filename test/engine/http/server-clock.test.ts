import { describe, expect, test } from "vitest";
import { openExecution } from "../../../src/engine/execute/execution.js";
import { openWire } from "../../../src/engine/http/rest.js";
import { openServerClock } from "../../../src/engine/http/server-clock.js";
import { startRun } from "../../../src/engine/run/connect.js";
import { compileScenario } from "../../../src/engine/scenario/compile.js";
import { createTargetAtUrl } from "../../../src/engine/target/target.js";
import { suite } from "../../../src/suite/suite.js";

const API = "https://api.example";
const LOCAL = Date.parse("2026-05-01T12:00:00Z");

/** Returns how many seconds a server clock is ahead after answers with these Date headers. Each request took two seconds. */
function aheadAfter(dates: readonly (string | undefined)[], url = `${API}/api/jobs`): number {
  const clock = openServerClock(API, () => LOCAL);
  for (const date of dates) {
    clock.read({
      request: { method: "GET", url, headers: {} },
      startedAt: LOCAL - 2000,
      endedAt: LOCAL,
      response: { status: 200, headers: date === undefined ? {} : { date }, body: new Uint8Array() },
    });
  }
  return (clock.now() - LOCAL) / 1000;
}

describe("the clock of a server", () => {
  const cases: [string, (string | undefined)[], number][] = [
    ["equals the local clock until an answer has a Date", [undefined], 0],
    ["equals the local clock if the difference is within the precision", ["Fri, 01 May 2026 11:59:57 GMT"], 0],
    ["equals the local clock if the header is not a date", ["yesterday"], 0],
    ["is ahead by the least possible difference", ["Fri, 01 May 2026 14:00:00 GMT"], 7200],
    ["is behind by the least possible difference", ["Fri, 01 May 2026 11:00:00 GMT"], -3597],
    ["follows a server that corrects its clock", ["Fri, 01 May 2026 14:00:00 GMT", "Fri, 01 May 2026 11:59:59 GMT"], 2],
  ];
  test.each(cases)("%s", (_, dates, seconds) => {
    expect(aheadAfter(dates)).toBe(seconds);
  });

  test("ignores answers of other hosts", () => {
    expect(aheadAfter(["Fri, 01 May 2026 14:00:00 GMT"], "https://docs.example/openapi.json")).toBe(0);
  });

  test("is separate for each world", async () => {
    const wire = openWire({ timeoutMs: 1 });
    const targetResult = createTargetAtUrl(suite.target, API);
    const { target } = targetResult.ok ? targetResult : expect.fail("the target cannot be described");
    const run = { ...startRun(suite, {}, target, wire), now: () => LOCAL };
    const environment = { target, world: "w1", fresh: true, keys: {}, sessions: {}, repos: [] };
    const scenario = compileScenario({ scenario: "any", title: "Any", proves: [], steps: [] }, suite);
    const [one, other] = ["a", "b"].map((unique) => openExecution(run, environment, scenario, unique).execution.run.serverClock);
    const request = { method: "GET", url: API, headers: {} };
    const response = { status: 200, headers: { date: "Fri, 01 May 2026 14:00:00 GMT" }, body: new Uint8Array() };
    one?.read({ request, startedAt: LOCAL, endedAt: LOCAL, response });
    expect([one?.now(), other?.now()]).toEqual([LOCAL + 7_200_000, LOCAL]);
    await wire.close();
  });
});
