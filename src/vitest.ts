import { describe, expect } from "vitest";
import type { MockWorld } from "./mock/in-process/mock-world.js";
import type { ConformanceOptions } from "./vitest/conformance-options.js";
import { type CallPattern, matchers, type Times } from "./vitest/matchers.js";

export type { ConformanceOptions } from "./vitest/conformance-options.js";
export { type CounterpartFixtures, test } from "./vitest/fixture.js";
export type { CallPattern, Times } from "./vitest/matchers.js";

declare module "vitest" {
  interface Matchers<T> {
    /** Passes if this many calls of a mock or a world match; without a number, at least one. */
    toHaveReceived: T extends MockWorld ? (callPattern: CallPattern, times?: Times) => void : never;
    /** Passes if calls of a mock or a world matched in this order, with any calls between them. */
    toHaveReceivedInOrder: T extends MockWorld ? (callPatterns: readonly CallPattern[]) => void : never;
    /** Passes if the service reads every field, parameter and header that the calls to a mock or a world had. */
    toHaveReadEverything: T extends MockWorld ? () => void : never;
  }
}

expect.extend(matchers);

/**
 * Registers a suite with one test for each scenario. A scenario that the target or the profile excludes is skipped with its reason. An
 * inconclusive scenario fails. Wrong options, a wrong address and a wrong key fail at once. Data that the run could not delete from the server
 * is listed at the end. Only `verify` asks for a second opinion.
 */
export function describeConformance(options: ConformanceOptions): void {
  // loaded here: a file that uses only a world need not load the runner
  describe(options.title ?? "conformance", async () => (await import("./vitest/conformance.js")).registerScenarios(options));
}
