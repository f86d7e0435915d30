import fc from "fast-check";
import { expect, test } from "vitest";
import { parseBodyJson } from "../../../src/engine/http/exchange.js";
import { checkProperty } from "../../../src/engine/property/check-property.js";
import type { Property } from "../../../src/engine/property/property.js";
import { addWholeCase } from "../../../src/engine/property/whole-case.js";
import { runWithTarget, startRun } from "../../../src/engine/run/connect.js";
import { openSandbox } from "../../../src/engine/run/sandbox.js";
import type { Step } from "../../../src/engine/scenario/format.js";
import { suite } from "../../../src/suite/suite.js";
import { getRoute, type Mutant, withRows } from "../../mutants/mutant.js";
import { openMutant, openSound } from "../../mutants/open.js";

/** Asks for a page again and again, and names of a failure only the request that shows it. */
const oneRowAtMost: Property<null> = {
  id: "one-row-at-most",
  title: "A page of one holds one row at most, at every request",
  proves: ["PAGE-MAX"],
  needs: [],
  effects: ["read"],
  runs: 1,
  cases: () => fc.constant(null),
  async run(sut) {
    const step = { rest: "GET /api/repos", query: { limit: 1 } };
    for (let n = 0; n < 8; n++) {
      if (n % 3 === 0) await sut.send({ rest: "GET /api/jobs", query: { limit: 1 } });
      const stepResult = await sut.send(step);
      const body = stepResult.ok ? parseBodyJson(stepResult.response) : undefined;
      if (!body?.ok) return { verdict: "inconclusive", why: "no list" };
      if ((body.value as { data: unknown[] }).data.length <= 1) continue;
      const judged = { ...step, expect: { status: 200, json: { data: { length: { lte: 1 } } } } };
      return { verdict: "failed", clauses: ["PAGE-MAX"], why: "two rows came", steps: [judged] };
    }
    return { verdict: "passed", subjects: 8 };
  },
};

/** Repeats a row for a client that has sent two requests. */
function repeatRowAfterTwo(): Mutant {
  const asked = new WeakMap<object, number>();
  return {
    name: "repeats a row from the third request on",
    breaks: "PAGE-MAX",
    around(world, call, perform) {
      const response = perform(world, call);
      if (getRoute(call) !== "GET /api/repos") return response;
      const times = (asked.get(world) ?? 0) + 1;
      asked.set(world, times);
      return times < 3 ? response : withRows(response, (rows) => [...rows, ...rows.slice(0, 1)]);
    },
  };
}

test("a failure that depends on two earlier requests is confirmed with its whole case, which is shrunk", async () => {
  const { url, close } = await openMutant(repeatRowAfterTwo());
  const options = { url, sandbox: openSound };
  const held = await runWithTarget(suite, options, async (target, wire) => {
    const sandbox = openSandbox(suite, options);
    const trial = { seed: 1, deadline: Number.POSITIVE_INFINITY, sandbox: sandbox?.open };
    return checkProperty(startRun(suite, options, target, wire), oneRowAtMost, trial).finally(() => sandbox?.close());
  }).finally(close);
  if (!("line" in held)) throw new Error(held.messages.join("\n"));
  expect(held.line).toMatchObject({ verdict: "failed", reason: "two rows came" });
  expect(held.line.counterexample?.match(/rest: GET \/api\/repos/g)).toHaveLength(3);
  expect(held.line.counterexample).not.toContain("GET /api/jobs");
});

const [a, b, c]: Step[] = [{ rest: "GET /a" }, { rest: "GET /b" }, { rest: "GET /c", given: { status: 404 } }];
const step: Step = { rest: "GET /c", expect: { status: 200 } };

test.each<[string, Step[], Step[], Step[] | undefined]>([
  ["the steps before it", [a!, b!, c!], [step], [a!, b!, step]],
  [
    "the steps between, with its saved values",
    [a!, b!, c!],
    [{ ...a!, save: { x: "/x" } }, step],
    [{ ...a!, save: { x: "/x" } }, b!, step],
  ],
  ["no step after it", [a!, c!, b!], [step], [a!, step]],
  ["the last of several equal steps", [c!, a!, c!], [step], [c!, a!, step]],
  ["each request of a burst", [b!, a!, a!, c!], [{ burst: { ...a!, n: 2 } as Step["burst"] & object }, step], [b!, a!, a!, step]],
  ["nothing, if the case did not execute one of its steps", [a!, c!], [b!, step], undefined],
  ["nothing, if the case executed the steps in another order", [b!, a!, c!], [a!, b!, step], undefined],
])("the whole case of a failure has %s", (_, executedSteps, failure, steps) => {
  expect(addWholeCase(executedSteps, failure)).toEqual(steps);
});
