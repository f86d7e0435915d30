import { describe, expect, test } from "vitest";
import { openPlay } from "../../src/runner/play/play.js";
import { unfiled } from "../../src/runner/scenario/format.js";
import { openServerClock } from "../../src/runner/server-clock.js";
import { startRun } from "../../src/runner/start.js";
import { bareTarget } from "../../src/runner/target/target.js";
import { openWire } from "../../src/runner/wire/rest.js";

const API = "https://api.example";
const OURS = Date.parse("2026-05-01T12:00:00Z");

/** What a clock of a server says, in seconds ahead of ours, after answers with these Date headers, each after a request that took two seconds. */
function aheadAfter(dates: readonly (string | undefined)[], url = `${API}/api/jobs`): number {
  const clock = openServerClock(API, () => OURS);
  for (const date of dates) {
    clock.heed({
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
    const described = bareTarget(API);
    const { target } = described.ok ? described : expect.fail("the target cannot be described");
    const run = { ...startRun({}, target, wire), now: () => OURS };
    const stage = { target, world: "w1", fresh: true, keys: {}, sessions: {}, repos: [] };
    const scenario = unfiled({ scenario: "any", title: "Any", proves: [], steps: [] });
    const [one, other] = ["a", "b"].map((unique) => openPlay(run, stage, scenario, unique).play.run.serverClock);
    const request = { method: "GET", url: API, headers: {} };
    const response = { status: 200, headers: { date: "Fri, 01 May 2026 14:00:00 GMT" }, body: new Uint8Array() };
    one?.heed({ request, startedAt: OURS, endedAt: OURS, response });
    expect([one?.now(), other?.now()]).toEqual([OURS + 7_200_000, OURS]);
    await wire.close();
  });
});
