import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { contract, packageRoot } from "../../../src/contract/load.js";
import { clauseNames } from "../../../src/runner/model/clauses.js";
import { commands } from "../../../src/runner/model/commands/index.js";
import { drawCases } from "../../../src/runner/model/drawing.js";
import { expectPoints } from "../../../src/runner/model/points.js";
import { REFUSALS, recipes } from "../../../src/runner/model/recipes/index.js";
import { openCoverage } from "../../../src/runner/property/coverage.js";

const points = () => {
  const coverage = openCoverage();
  expectPoints(coverage, REFUSALS);
  return coverage;
};

test("the same seed draws the same cases, and another seed others", () => {
  const draw = (seed: number) => fc.sample(drawCases(points()), { seed, numRuns: 10 });
  expect(draw(1)).toEqual(draw(1));
  expect(draw(2)).not.toEqual(draw(1));
});

test("a case is plain data, made of known commands and their choices", () => {
  for (const drawn of fc.sample(drawCases(points()), { seed: 3, numRuns: 200 })) {
    expect(JSON.parse(JSON.stringify(drawn))).toEqual(drawn);
    for (const { command, picks } of drawn) {
      const known = commands[command as keyof typeof commands];
      expect(known, command).toBeDefined();
      for (const pick of Object.keys(picks)) expect(known.picks, command).toContain(pick);
    }
  }
});

test("every recipe leads to points that exist", () => {
  const known = points().toJSON();
  const strange = recipes
    .flatMap(({ points: led }) => led)
    .filter((point) => {
      const slash = point.indexOf("/");
      return !(point.slice(slash + 1) in (known[point.slice(0, slash)] ?? {}));
    });
  expect(strange).toEqual([]);
});

test("a recipe is drawn more often while its point is unreached", () => {
  const count = (coverage: ReturnType<typeof points>) =>
    fc
      .sample(drawCases(coverage), { seed: 4, numRuns: 400 })
      .filter((drawn) => drawn.some(({ command }) => command === "exceedBudget")).length;
  const reached = points();
  for (const { name, points: led } of recipes) {
    reached.reach("recipes", name);
    for (const point of led) {
      const slash = point.indexOf("/");
      if (point !== "error codes/rate_limit_budget") reached.reach(point.slice(0, slash), point.slice(slash + 1));
    }
  }
  const eager = count(reached);
  reached.reach("error codes", "rate_limit_budget");
  expect(eager).toBeGreaterThan(2 * count(reached));
});

test("a recipe shrinks command by command", () => {
  const fails = (drawn: { command: string }[]) => drawn.some(({ command }) => command === "retry");
  const { counterexample } = fc.check(
    fc.property(drawCases(points()), (drawn) => !fails(drawn)),
    { seed: 5, numRuns: 2000 },
  );
  expect(counterexample?.[0]?.map(({ command }) => command)).toEqual(["retry"]);
});

test("the clauses that a failure may name are those of the rules, and each is one that a server can be held to", () => {
  const sources = readdirSync(join(packageRoot, "src/runner/model"), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts") && file !== "clauses.ts")
    .map((file) => readFileSync(join(packageRoot, "src/runner/model", file), "utf8"));
  const named = sources.flatMap((text) => [...text.matchAll(/"([A-Z]+(?:-[A-Z0-9]+)+)"/g)].map(([, name]) => name ?? ""));
  const beta = ["WORKFLOW-BETA-TASK", "WORKFLOW-BETA-SUGGEST"];
  const clauses = new Set([...named, ...beta].filter((name) => !name.startsWith("SERVICE-")));
  expect([...clauses].sort()).toEqual([...clauseNames].sort());
  const ledger: Readonly<Record<string, { level: string }>> = contract.clauses;
  expect(clauseNames.filter((name) => !["stated", "derived"].includes(ledger[name]?.level ?? ""))).toEqual([]);
});
