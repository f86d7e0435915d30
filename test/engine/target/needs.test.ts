import { expect, test } from "vitest";
import type { Environment } from "../../../src/engine/target/environment.js";
import { describeUnmetNeed, findUnmetNeed, meetsNeed } from "../../../src/engine/target/needs.js";
import { parseTarget, type Target } from "../../../src/engine/target/target.js";

const WORLDS = "worlds: { create: { http: POST /worlds } }";

function target(...lines: string[]): Target {
  const rules = { toolServerPath: "/tools/", selfDescriptionPath: "/about" };
  const targetResult = parseTarget(rules, "library.yaml", ["base_url: http://library.test", ...lines].join("\n"), {});
  if (!targetResult.ok) throw new Error(targetResult.mistakes.join("\n"));
  return targetResult.target;
}

test.each<[string, string[], boolean]>([
  ["clock", [], false],
  ["clock", ["clock: { now: { http: GET /now }, advance: { http: POST /now } }"], true],
  ["worlds", [], false],
  ["worlds", [WORLDS], true],
  ["drive.closing-time", ["drive: { closing-time: { http: POST /close } }"], true],
  ["drive.toString", [], false],
  ["key.reader", [], false],
  ["key.reader", ["keys: { reader: { value: r } }"], true],
  ["key.reader", [WORLDS], true],
  ["session.clerk", ["sessions: { clerk: { value: c } }"], true],
  ["repos.2", ["repos: [a/b/c]"], false],
  ["repos.2", ["repos: [a/b/c, a/b/d]"], true],
  ["binding.shelf.lowest", ["bindings: { shelf: { lowest: 0 } }"], true],
  ["binding.shelf.highest", ["bindings: { shelf: { lowest: 0 } }"], false],
  ["binding.shelf.books >= 3", ["bindings: { shelf: { books: 3 } }"], true],
  ["binding.shelf.books >= 3", ["bindings: { shelf: { books: 2 } }"], false],
  ["binding.shelf.books <= 3", ["bindings: { shelf: { books: 3 } }"], true],
  ["binding.shelf.books <= 3", ["bindings: { shelf: { books: 4 } }"], false],
  ["binding.shelf.books >= 0", [], false],
  ["no binding.shelf.books", ["bindings: { shelf: { lowest: 0 } }"], true],
  ["no binding.shelf.books", ["bindings: { shelf: { books: 3 } }"], false],
  ["surface.mcp", [], true],
  ["surface.docs", [], false],
  ["allow.paid", ["allow: { paid: true }"], true],
  ["allow.destructive", ["allow: { paid: true }"], false],
  ["moonlight", [], false],
])("the need %s of a target with %j is met: %s", (need, lines, isExpected) => {
  expect(meetsNeed(need, target(...lines))).toBe(isExpected);
});

test("on a target with worlds, the keys of the environment count", () => {
  const on = target(WORLDS, "keys: { reader: { value: r } }");
  const environment: Environment = { target: on, world: "w", fresh: true, keys: { clerk: "c" }, sessions: {}, repos: [] };
  expect(["key.clerk", "key.reader"].map((need) => meetsNeed(need, on, environment))).toEqual([true, false]);
});

test("the first unmet need is returned, and has a message", () => {
  const unmet = findUnmetNeed(["surface.mcp", "clock", "worlds"], target());
  expect([unmet, describeUnmetNeed(unmet ?? "", target(), undefined)]).toEqual([
    "clock",
    "the target offers no clock: set a clock hook in the target file",
  ]);
  expect(findUnmetNeed(["surface.mcp"], target())).toBeUndefined();
});
