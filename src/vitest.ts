import { describe, expect } from "vitest";
import type { MockWorld } from "./mock/in-process/mock-world.js";
import type { ConformanceOptions } from "./vitest/conformance-options.js";
import { type CallPattern, matchers, type Times } from "./vitest/matchers.js";

export type { ConformanceOptions } from "./vitest/conformance-options.js";
export { type CounterpartFixtures, test } from "./vitest/fixture.js";
export type { CallPattern, Times } from "./vitest/matchers.js";

declare module "vitest" {
  interface Matchers<T> {
    /** Of a mock or one of its worlds: such calls came, so many times; once at least where nothing is said. */
    toHaveReceived: T extends MockWorld ? (called: CallPattern, times?: Times) => void : never;
    /** Of a mock or one of its worlds: such calls came one behind the other, whatever lay between. */
    toHaveReceivedInOrder: T extends MockWorld ? (called: readonly CallPattern[]) => void : never;
    /** Of a mock or one of its worlds: no call had a field, parameter or header that means nothing to the service. */
    toHaveReadEverything: T extends MockWorld ? () => void : never;
  }
}

expect.extend(matchers);

/**
 * Registers a suite with one test for each scenario. A scenario that the target or the profile leaves out is skipped with its reason; one
 * that could not be judged fails, as nothing was earned. A mistake in the options, a wrong address and a wrong key fail at once, with all there
 * is to say. What could not be taken back from the server is said at the end. A second opinion is part of no test: `verify` has it.
 */
export function describeConformance(options: ConformanceOptions): void {
  // loaded here, as a file that only wants a world should not have to wait for the examiner
  describe(options.title ?? "conformance", async () => (await import("./vitest/conformance.js")).registerScenarios(options));
}
