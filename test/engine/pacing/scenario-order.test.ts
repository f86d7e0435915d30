import { expect, test } from "vitest";
import { NO_CHANGES } from "../../../src/engine/pacing/changes.js";
import { executeConcurrently, type Task } from "../../../src/engine/pacing/concurrent-tasks.js";
import { orderByInformation } from "../../../src/engine/pacing/scenario-order.js";
import { openThrottle } from "../../../src/engine/pacing/throttle.js";
import { openVirtualTime } from "../../../src/engine/run/plan/virtual-time.js";
import type { Demand } from "../../../src/engine/scenario/scenario.js";
import { parseTarget, type Target } from "../../../src/engine/target/target.js";
import { suite } from "../../../src/suite/suite.js";

function target(...lines: string[]): Target {
  const text = [
    "base_url: http://service.test",
    "exclusive: true",
    "keys: { full: { value: key-full }, viewer: { value: key-viewer } }",
    ...lines,
  ];
  const targetResult = parseTarget(suite.target, "target.yaml", text.join("\n"), {});
  if (!targetResult.ok) throw new Error(targetResult.mistakes.join("\n"));
  return targetResult.target;
}

function scenario(name: string, path: string, count: number, more: Partial<Demand> = {}) {
  const none = { paid: 0, paidIfTaken: 0, tool: false, refused: false };
  const demand: Demand = { ...none, method: "GET", path, role: "full", burst: false, count, ...more };
  return { name, demands: [demand], steps: [], claims: [] as string[] };
}

/** Executes scenarios in virtual time. Returns their order, and at which second after the first minute each begins. */
async function executeScenarios(
  on: Target,
  scenarios: readonly ReturnType<typeof scenario>[],
): Promise<[name: string, at: number][]> {
  const time = openVirtualTime();
  const throttle = openThrottle(suite, on, undefined, time.now);
  await time.sleep(60);
  const order: [string, number][] = [];
  const tasks = orderByInformation(scenarios, suite.rates, on).map(
    ({ name, demands }): Task => ({
      reservation: throttle.reservationFor(demands),
      changes: NO_CHANGES,
      async execute(context) {
        order.push([name, time.now() - 60]);
        for (const { path, role = "", count } of demands)
          for (let n = 0; n < count; n++) {
            const authorization = `Bearer ${on.keys[role]}`;
            context.throttle.record({ method: "GET", url: `http://service.test${path}`, headers: { authorization } });
          }
        return "done";
      },
    }),
  );
  await executeConcurrently(tasks, { throttle, wait: time.sleep, mayWait: () => true });
  return order;
}

const burstTask = { burst: true };
const all = [
  scenario("free", "/api/jobs", 1),
  scenario("first", "/api/repos", 61, burstTask),
  scenario("retry", "/api/repos", 61, burstTask),
  scenario("another key", "/api/repos", 61, { ...burstTask, role: "viewer" }),
  scenario("another limit", "/api/repos/a/b/c/jobs", 121, burstTask),
];

test("scenarios that judge most clauses in a second begin first, and then those that judge nothing more", () => {
  const judging = (name: string, count: number, ...claims: string[]) => ({ ...scenario(name, "/api/repos", count), claims });
  const ordered = orderByInformation(
    [
      judging("nothing more", 1, "A"),
      judging("slow", 40, "D", "E"),
      judging("fast", 1, "A"),
      judging("two", 1, "B", "C"),
      judging("nothing", 30),
    ],
    suite.rates,
    target(),
  );
  expect(ordered.map(({ name }) => name)).toEqual(["two", "nothing more", "slow", "fast", "nothing"]);
});

test("scenarios of the most loaded limits begin first, and the others run while those limits refill", async () => {
  expect(await executeScenarios(target(), all)).toEqual([
    ["first", 0],
    ["another key", 0],
    ["another limit", 0],
    ["free", 0],
    ["retry", 60],
  ]);
});
