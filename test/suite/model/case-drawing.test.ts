import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { contract, packageRoot } from "../../../src/contract/load.js";
import { openCoverage } from "../../../src/engine/property/coverage.js";
import { drawCases } from "../../../src/suite/model/case-drawing.js";
import { clauseNames, clausesByOperation } from "../../../src/suite/model/clauses.js";
import { commands } from "../../../src/suite/model/commands/index.js";
import { CORPUS_KIND, corpus, REFUSAL_POINTS } from "../../../src/suite/model/corpus/index.js";
import { expectPoints } from "../../../src/suite/model/coverage-points.js";

const points = () => {
  const coverage = openCoverage();
  expectPoints(coverage, REFUSAL_POINTS);
  return coverage;
};

test("the same seed draws the same cases, and another seed others", () => {
  const draw = (seed: number) => fc.sample(drawCases(points()), { seed, numRuns: 10 });
  expect(draw(1)).toEqual(draw(1));
  expect(draw(2)).not.toEqual(draw(1));
});

test("a case is plain data with known commands and their arguments", () => {
  for (const commandCalls of fc.sample(drawCases(points()), { seed: 3, numRuns: 200 })) {
    expect(JSON.parse(JSON.stringify(commandCalls))).toEqual(commandCalls);
    for (const { command, arguments: given } of commandCalls) {
      const knownCommand = commands[command as keyof typeof commands];
      expect(knownCommand, command).toBeDefined();
      for (const argument of Object.keys(given)) expect(knownCommand.arguments, command).toContain(argument);
    }
  }
});

test("every entry of the corpus covers existing points", () => {
  const known = points().toJSON();
  const strange = corpus
    .flatMap(({ points: led }) => led)
    .filter((point) => {
      const slash = point.indexOf("/");
      return !(point.slice(slash + 1) in (known[point.slice(0, slash)] ?? {}));
    });
  expect(strange).toEqual([]);
});

test("an entry is drawn more often while its point is not covered", () => {
  const count = (coverage: ReturnType<typeof points>) =>
    fc
      .sample(drawCases(coverage), { seed: 4, numRuns: 400 })
      .filter((commandCalls) => commandCalls.some(({ command }) => command === "exceedBudget")).length;
  const coverage = points();
  for (const { name, points: led } of corpus) {
    coverage.reach(CORPUS_KIND, name);
    for (const point of led) {
      const slash = point.indexOf("/");
      if (point !== "error codes/rate_limit_budget") coverage.reach(point.slice(0, slash), point.slice(slash + 1));
    }
  }
  const eager = count(coverage);
  coverage.reach("error codes", "rate_limit_budget");
  expect(eager).toBeGreaterThan(2 * count(coverage));
});

test("an entry shrinks command by command", () => {
  const fails = (drawn: { command: string }[]) => drawn.some(({ command }) => command === "retry");
  const { counterexample } = fc.check(
    fc.property(drawCases(points()), (commandCalls) => !fails(commandCalls)),
    { seed: 5, numRuns: 2000 },
  );
  expect(counterexample?.[0]?.map(({ command }) => command)).toEqual(["retry"]);
});

test("a failure names only clauses of the rules, and each can be checked on a server", () => {
  const sources = readdirSync(join(packageRoot, "src/suite/model"), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts") && file !== "clauses.ts")
    .map((file) => readFileSync(join(packageRoot, "src/suite/model", file), "utf8"));
  const named = sources.flatMap((text) => [...text.matchAll(/"([A-Z]+(?:-[A-Z0-9]+)+)"/g)].map(([, name]) => name ?? ""));
  const clauses = new Set(named.filter((name) => !name.startsWith("SERVICE-")));
  expect([...clauses].sort()).toEqual([...clausesByOperation].sort());
  const ledger: Readonly<Record<string, { level: string }>> = contract.clauses;
  expect(clauseNames.filter((name) => !["stated", "derived"].includes(ledger[name]?.level ?? ""))).toEqual([]);
});
