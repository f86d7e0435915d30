import { describe, expect, test } from "vitest";
import type { Changes } from "../../../src/engine/pacing/changes.js";
import { executeConcurrently, type Task, type TaskContext } from "../../../src/engine/pacing/concurrent-tasks.js";
import { openThrottle } from "../../../src/engine/pacing/throttle.js";
import { openTurnLock, turnOwner } from "../../../src/engine/pacing/turn-lock.js";
import { openVirtualTime } from "../../../src/engine/run/plan/virtual-time.js";
import type { Demand } from "../../../src/engine/scenario/scenario.js";
import { parseTarget } from "../../../src/engine/target/target.js";
import { suite } from "../../../src/suite/suite.js";

const targetResult = parseTarget(
  suite.target,
  "target.yaml",
  "base_url: http://service.test\nkeys: { full: { value: key-full }, viewer: { value: key-viewer } }",
  {},
);
if (!targetResult.ok) throw new Error(targetResult.mistakes.join("\n"));
const { target } = targetResult;

const list = (count: number, burstTask: boolean, role = "full"): Demand => ({
  ...{ method: "GET", path: "/api/repos", tool: false, role, count, burst: burstTask, paid: 0, paidIfTaken: 0, refused: false },
});
const request = (role = "full") => ({
  ...{ method: "GET", url: "http://service.test/api/repos", headers: { authorization: `Bearer ${target.keys[role]}` } },
});

/** The actions of a task. `log` records a word with its time in seconds. */
type Execute = (
  context: TaskContext,
  tools: { sleep(seconds: number): Promise<void>; log(word: string): void },
) => Promise<"done" | "retry">;

interface TaskPlan {
  name: string;
  changes: Changes;
  demands?: readonly Demand[];
  run: Execute;
}

/** Executes tasks in virtual time. Returns the log, with seconds after the first minute, and the total duration in seconds. */
async function executeTasks(plans: readonly TaskPlan[]): Promise<{ lines: string[]; seconds: number }> {
  const time = openVirtualTime();
  const throttle = openThrottle(suite, target, undefined, time.now);
  await time.sleep(60);
  const lines: string[] = [];
  const tasks = plans.map(({ name, changes, demands, run: execute }): Task => {
    return {
      reservation: demands && throttle.reservationFor(demands),
      changes,
      execute: (context) =>
        execute(context, {
          sleep: (seconds) => context.yieldTurn(() => time.sleep(seconds)),
          log: (word) => void lines.push(`${time.now() - 60} ${name} ${word}`),
        }),
    };
  });
  await executeConcurrently(tasks, { throttle, wait: time.sleep, mayWait: () => true });
  return { lines, seconds: time.now() - 60 };
}

/** Returns a task that logs, waits and logs again. */
const waits =
  (seconds: number): Execute =>
  async (_, { sleep, log }) => {
    log("begins");
    await sleep(seconds);
    log("ends");
    return "done";
  };

const books = new Set(["book"]);
const shelves = new Set(["shelf"]);
const none = new Set<string>();

describe("concurrent tasks", () => {
  test("run together when they change different resources, and one by one when they change the same or unknown resources", async () => {
    const plans = (changes: readonly Changes[]) =>
      changes.map((change, at) => ({ name: `${at}`, changes: change, demands: [], run: waits(60) }));
    expect((await executeTasks(plans([books, shelves, none]))).seconds).toBe(60);
    expect((await executeTasks(plans([books, new Set(["book", "shelf"]), none]))).seconds).toBe(120);
    expect((await executeTasks(plans([books, "anything", none]))).seconds).toBe(120);
  });

  test("act one at a time, in turn", async () => {
    let acting = 0;
    const run: Execute = async (context, { sleep }) => {
      for (let n = 0; n < 5; n++) {
        expect(++acting).toBe(1);
        await Promise.resolve(); // as if it waited for a response
        acting--;
        await Promise.all([sleep(1), sleep(1)]);
        await context.yieldTurn(async () => {});
      }
      return "done";
    };
    await executeTasks([books, shelves, none].map((changes, at) => ({ name: `${at}`, changes, demands: [], run })));
    expect(acting).toBe(0);
  });

  test("do not send requests for an exclusive limit of a task in progress", async () => {
    const burstTask: Execute = async ({ throttle }, { sleep, log }) => {
      await sleep(30); // another wait
      log(`may ${throttle.waitForBurst([request()], 61)}`);
      for (let n = 0; n < 61; n++) throttle.record(request());
      await sleep(60);
      log("ends");
      return "done";
    };
    const single: Execute = async (_, { log }) => {
      log("sends");
      return "done";
    };
    const { lines } = await executeTasks([
      { name: "burst", changes: none, demands: [list(61, true)], run: burstTask },
      { name: "same", changes: none, demands: [list(1, false)], run: single },
      { name: "other key", changes: none, demands: [list(1, false, "viewer")], run: single },
    ]);
    expect(lines).toEqual(["0 other key sends", "30 burst may 0", "90 burst ends", "90 same sends"]);
  });

  test("without a reservation yield to reservations, and send when there is room", async () => {
    const backgroundTask: Execute = async ({ throttle }, { sleep, log }) => {
      for (let seconds = throttle.wait(request()); seconds > 0; seconds = throttle.wait(request())) await sleep(seconds);
      throttle.record(request());
      log("sends");
      return "done";
    };
    const { lines } = await executeTasks([
      { name: "burst", changes: books, demands: [list(61, true)], run: waits(60) },
      { name: "reader", changes: none, run: backgroundTask },
      { name: "changer", changes: books, run: backgroundTask },
    ]);
    expect(lines).toEqual(["0 burst begins", "60 burst ends", "60 changer sends", "60 reader sends"]);
  });

  test("are executed again without others when another task disturbed them", async () => {
    const disturbedTask: Execute = async (context, { sleep, log }) => {
      log(`${context.isRetry ? "retry" : "first"}`);
      await sleep(1);
      return context.wasDisturbed() ? "retry" : "done";
    };
    const reader = { name: "reader", changes: none, demands: [], run: disturbedTask };
    const alone = await executeTasks([reader, { ...reader, name: "other" }]);
    expect(alone.lines).toEqual(["0 reader first", "0 other first"]);
    const both = await executeTasks([
      reader,
      { name: "changer", changes: books, demands: [], run: waits(9) },
      { ...reader, name: "other" },
    ]);
    expect(both.lines.filter((line) => !line.includes("changer"))).toEqual([
      ...["0 reader first", "0 other first"],
      ...["9 reader retry", "10 other retry"],
    ]);
  });
});

test("a task that ends during a sleep does not keep the turn", async () => {
  const hastyTask: Execute = async (_, { sleep, log }) => {
    void sleep(10);
    log("ends");
    return "done";
  };
  const plans = [
    { name: "hasty", changes: none, demands: [], run: hastyTask },
    { name: "other", changes: none, demands: [], run: waits(20) },
    { name: "later", changes: none, demands: [], run: waits(30) },
  ];
  expect((await executeTasks(plans)).lines).toEqual(expect.arrayContaining(["20 other ends", "30 later ends"]));
});

test("an owner that yields twice at once acquires the lock once", async () => {
  const lock = openTurnLock();
  await lock.acquire();
  const { yieldTurn } = turnOwner(lock);
  const order: string[] = [];
  const other = lock.acquire().then(() => {
    order.push("other");
    setTimeout(lock.release, 5);
  });
  await Promise.all([yieldTurn(() => other), yieldTurn(async () => {})]);
  order.push("mine");
  let isTaken = false;
  void lock.acquire().then(() => {
    isTaken = true;
  });
  await new Promise((resolve) => setTimeout(resolve, 1));
  expect([order, isTaken]).toEqual([["other", "mine"], false]);
});
