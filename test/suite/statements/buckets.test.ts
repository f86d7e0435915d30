import { expect, test } from "vitest";
import { interpolate } from "../../../src/engine/scenario/interpolate.js";
import type { CompiledStep, Scenario } from "../../../src/engine/scenario/scenario.js";
import { readScenarios } from "../../../src/engine/scenario/select.js";
import { pathBuckets } from "../../../src/suite/statements/buckets.js";
import { suite } from "../../../src/suite/suite.js";

const { scenarios } = readScenarios(suite.scenarios, suite);

/** The operations that a step of a scenario asks for. */
function requestedOperations({ variables }: Scenario, { requests }: CompiledStep): string[] {
  const look = (name: string) => variables[name] ?? `{${name}}`;
  return [...new Set(requests.map(({ text }) => suite.requests.nameOf(interpolate(text, look))))];
}

const bucketed = new Set<string>(Object.values(pathBuckets).flatMap(({ operations }) => operations));

/** Returns whether a scenario fills the bucket of an operation and no other, and then sends the operation's request with another key. */
function fillsAlone(scenario: Scenario, operation: string): boolean {
  const buckets: { operations: readonly string[] }[] = Object.values(pathBuckets);
  const bucket = buckets.find(({ operations }) => operations.includes(operation))?.operations ?? [];
  const countedOperations = (step: CompiledStep) => requestedOperations(scenario, step).filter((name) => bucketed.has(name));
  const isInBucket = (step: CompiledStep) => {
    const operations = countedOperations(step);
    return operations.length > 0 && operations.every((name) => bucket.includes(name));
  };
  const filled = scenario.steps.findIndex((step) => step.text.burst && isInBucket(step));
  const behind = scenario.steps.slice(filled + 1);
  return (
    filled >= 0 &&
    behind.some((step) => step.clauses.includes("BUCKET-PER-KEY") && countedOperations(step).join() === operation && step.text.as)
  );
}

test.each(Object.values(pathBuckets).flatMap(({ operations }) => operations))(
  "a scenario uses up a bucket with %s, and repeats the request with another key",
  (operation) => {
    expect(scenarios.filter((scenario) => fillsAlone(scenario, operation)).map(({ name }) => name)).not.toEqual([]);
  },
);
