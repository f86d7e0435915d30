import { describe, expect, test } from "vitest";
import type { Changes } from "../../../src/engine/pacing/changes.js";
import { executeConcurrently, type Task, type TaskContext } from "../../../src/engine/pacing/concurrent-tasks.js";
import { openThrottle } from "../../../src/engine/pacing/throttle.js";
import { openTurnLock, turnHolder } from "../../../src/engine/pacing/turn-lock.js";
import { openVirtualTime } from "../../../src/engine/run/plan/virtual-time.js";
import type { Demand } from "../../../src/engine/scenario/scenario.js";
import { parseTarget } from "../../../src/engine/target/target.js";
import { suite } from "../../../src/suite/suite.js";

const described = parseTarget(
  suite.target,
  "target.yaml",
  "base_url: http://service.test\nkeys: { full: { value: key-full }, viewer: { value: key-viewer } }",
  {},
);
if (!described.ok) throw new Error(described.mistakes.join("\n"));
const { target } = described;

const list = (count: number, burst: boolean, role = "full"): Demand => ({
  ...{ method: "GET", path: "/api/repos", tool: false, role, count, burst, paid: 0, paidIfTaken: 0, refused: false },
});
const request = (role = "full") => ({
  ...{ method: "GET", url: "http://service.test/api/repos", headers: { authorization: `Bearer ${target.keys[role]}` } },
});

/** What one does, told by the seconds since it began. */
type Course = (
  place: TaskContext,
  at: { sleep(seconds: number): Promise<void>; say(what: string): void },
) => Promise<"done" | "again">;

interface Cast {
  name: string;
  changes: Changes;
  demands?: readonly Demand[];
  go: Course;
}

/** What was said by whom at which second after the first minute, and the seconds that it took. */
async function told(cast: readonly Cast[]): Promise<{ lines: string[]; seconds: number }> {
  const time = openVirtualTime();
  const throttle = openThrottle(suite, target, undefined, time.now);
  await time.sleep(60);
  const lines: string[] = [];
  const tasks = cast.map(({ name, changes, demands, go }): Task => {
    return {
      claim: demands && throttle.reserve(demands),
      changes,
      execute: (place) =>
        go(place, {
          sleep: (seconds) => place.yieldTurn(() => time.sleep(seconds)),
          say: (what) => void lines.push(`${time.now() - 60} ${name} ${what}`),
        }),
    };
  });
  await executeConcurrently(tasks, { throttle, wait: time.sleep, mayWait: () => true });
  return { lines, seconds: time.now() - 60 };
}

/** Waits so long in its midst. */
const waits =
  (seconds: number): Course =>
  async (_, { sleep, say }) => {
    say("begins");
    await sleep(seconds);
    say("ends");
    return "done";
  };

const books = new Set(["book"]);
const shelves = new Set(["shelf"]);
const none = new Set<string>();

describe("side by side", () => {
  test("those wait together who change different things, one after the other those who change the same or what nobody knows", async () => {
    const cast = (changes: readonly Changes[]) =>
      changes.map((one, at) => ({ name: `${at}`, changes: one, demands: [], go: waits(60) }));
    expect((await told(cast([books, shelves, none]))).seconds).toBe(60);
    expect((await told(cast([books, new Set(["book", "shelf"]), none]))).seconds).toBe(120);
    expect((await told(cast([books, "anything", none]))).seconds).toBe(120);
  });

  test("one acts at a time: who has waited long enough comes when the other waits", async () => {
    let acting = 0;
    const go: Course = async (place, { sleep }) => {
      for (let n = 0; n < 5; n++) {
        expect(++acting).toBe(1);
        await Promise.resolve(); // as for an answer
        acting--;
        await Promise.all([sleep(1), sleep(1)]);
        await place.yieldTurn(async () => {});
      }
      return "done";
    };
    await told([books, shelves, none].map((changes, at) => ({ name: `${at}`, changes, demands: [], go })));
    expect(acting).toBe(0);
  });

  test("nobody counts against a limit that another goes up to, until that is over", async () => {
    const burst: Course = async ({ throttle }, { sleep, say }) => {
      await sleep(30); // for something else
      say(`may ${throttle.waitForBurst([request()], 61)}`);
      for (let n = 0; n < 61; n++) throttle.note(request());
      await sleep(60);
      say("ends");
      return "done";
    };
    const single: Course = async (_, { say }) => {
      say("asks");
      return "done";
    };
    const { lines } = await told([
      { name: "burst", changes: none, demands: [list(61, true)], go: burst },
      { name: "same", changes: none, demands: [list(1, false)], go: single },
      { name: "other key", changes: none, demands: [list(1, false, "viewer")], go: single },
    ]);
    expect(lines).toEqual(["0 other key asks", "30 burst may 0", "90 burst ends", "90 same asks"]);
  });

  test("who is not known to ask leaves a limit alone too, and asks when there is room", async () => {
    const filler: Course = async ({ throttle }, { sleep, say }) => {
      for (let seconds = throttle.wait(request()); seconds > 0; seconds = throttle.wait(request())) await sleep(seconds);
      throttle.note(request());
      say("asks");
      return "done";
    };
    const { lines } = await told([
      { name: "burst", changes: books, demands: [list(61, true)], go: waits(60) },
      { name: "reader", changes: none, go: filler },
      { name: "changer", changes: books, go: filler },
    ]);
    expect(lines).toEqual(["0 burst begins", "60 burst ends", "60 changer asks", "60 reader asks"]);
  });

  test("what another may have had a part in is executed again when nobody else is", async () => {
    const disturbed: Course = async (place, { sleep, say }) => {
      say(`${place.isRetry ? "again" : "first"}`);
      await sleep(1);
      return place.wasDisturbed() ? "again" : "done";
    };
    const reader = { name: "reader", changes: none, demands: [], go: disturbed };
    const alone = await told([reader, { ...reader, name: "other" }]);
    expect(alone.lines).toEqual(["0 reader first", "0 other first"]);
    const both = await told([
      reader,
      { name: "changer", changes: books, demands: [], go: waits(9) },
      { ...reader, name: "other" },
    ]);
    expect(both.lines.filter((line) => !line.includes("changer"))).toEqual([
      ...["0 reader first", "0 other first"],
      ...["9 reader again", "10 other again"],
    ]);
  });
});

test("who ends while it still waits for something keeps nobody else from acting", async () => {
  const hasty: Course = async (_, { sleep, say }) => {
    void sleep(10);
    say("ends");
    return "done";
  };
  const cast = [
    { name: "hasty", changes: none, demands: [], go: hasty },
    { name: "other", changes: none, demands: [], go: waits(20) },
    { name: "later", changes: none, demands: [], go: waits(30) },
  ];
  expect((await told(cast)).lines).toEqual(expect.arrayContaining(["20 other ends", "30 later ends"]));
});

test("a turn that is lent twice at once is taken back once", async () => {
  const turns = openTurnLock();
  await turns.take();
  const { yieldTurn } = turnHolder(turns);
  const order: string[] = [];
  const other = turns.take().then(() => {
    order.push("other");
    setTimeout(turns.give, 5);
  });
  await Promise.all([yieldTurn(() => other), yieldTurn(async () => {})]);
  order.push("mine");
  let taken = false;
  void turns.take().then(() => {
    taken = true;
  });
  await new Promise((resolve) => setTimeout(resolve, 1));
  expect([order, taken]).toEqual([["other", "mine"], false]);
});
