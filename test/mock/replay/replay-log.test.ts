import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { replayLog, type WorldStart } from "../../../src/mock/replay/replay-log.js";
import { type Mock, openContext, openMock } from "../../../src/mock/server.js";
import type { LogEntry } from "../../../src/mock/worlds/log/entry.js";
import type { MockOptions } from "../../../src/mock/worlds/options.js";
import type { WorldEntry, WorldsRecorder } from "../../../src/mock/worlds/worlds.js";
import { mixedTraffic } from "./mixed-traffic.js";

type Kept = WorldStart & { entries: LogEntry[]; worldEntry: WorldEntry };

/** Keeps the log of every world as text, as another store would. */
function keepAll() {
  const kept = new Map<string, Kept>();
  const keeper: WorldsRecorder = {
    open(worldEntry) {
      const { id, configuration, begun } = worldEntry;
      const beginning = JSON.parse(JSON.stringify({ id, configuration, begun })) as WorldStart;
      const world: Kept = { ...beginning, entries: [], worldEntry: worldEntry as WorldEntry };
      kept.set(id, world);
      return {
        onAppend: (entry) => {
          world.entries.push(JSON.parse(JSON.stringify(entry)) as LogEntry);
          return undefined;
        },
      };
    },
    remove: (id) => void kept.delete(id),
  };
  return { kept, keeper };
}

describe.each<[string, MockOptions]>([
  ["with a clock that stands still", { clock: "frozen" }],
  ["with a clock that follows real time", { clock: "real", mcp: { sessions: true } }],
])("a world %s", (_, options) => {
  const { kept, keeper } = keepAll();
  let mock: Mock;
  beforeAll(async () => {
    const opened = await openMock(options, { recorder: keeper });
    if ("problem" in opened) throw new Error(opened.problem);
    mock = opened;
    await mixedTraffic(mock, mock);
    await mixedTraffic(mock, await mock.world({ seed: 7, plan: "free" }));
  });
  afterAll(() => mock.close());

  test.each(["default", "w1"])("is created again from its log, in another mock: %s", async (id) => {
    const { entries, worldEntry, ...beginning } = kept.get(id)!;
    expect(entries.length).toBeGreaterThan(30);
    const site = await openContext(options);
    if ("problem" in site) throw new Error(site.problem);
    const repeatedWorldEntry = await replayLog(site, beginning, entries);
    expect(repeatedWorldEntry.world).toEqual({ ...worldEntry.world, now: repeatedWorldEntry.world.now });
    expect(repeatedWorldEntry.faults).toEqual(worldEntry.faults);
    // requests that no operation answered change nothing, and are not replayed
    expect(repeatedWorldEntry.journal.total).toBe(worldEntry.journal.ring.filter(({ outside }) => !outside).length);
  });
});
