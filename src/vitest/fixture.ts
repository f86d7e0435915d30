import { test as plain, type TestAPI } from "vitest";
import type { DemoMock, DemoWorld } from "../mock/in-process/mock-world.js";
import { startMock } from "../mock/server.js";
import type { WorldOptions } from "../mock/worlds/options.js";
import { tellCalls } from "./account.js";

/** What a test may ask for. */
export interface CounterpartFixtures {
  /** A world of its own, which goes with the test. When the test fails, the calls that came to it are printed. */
  counterpart: DemoWorld;
  /** How the worlds are to be, where not frozen with every wait over at once: `test.override({ counterpartOptions: { clock: "real" } })`. */
  counterpartOptions: WorldOptions & { fixture?: never };
  /** The one mock of this worker, on ports of its own. */
  counterpartMock: DemoMock;
}

/** The `test` of vitest with a world of the mock for each test that asks for it. */
export const test: TestAPI<CounterpartFixtures> = plain.extend<CounterpartFixtures>({
  counterpartOptions: { clock: "frozen", skip: "at-once" },
  counterpartMock: [
    // biome-ignore lint/correctness/noEmptyPattern: vitest reads here that nothing is asked for
    async ({}, use) => {
      await using mock = (await startMock()) as DemoMock;
      await use(mock);
    },
    { scope: "worker" },
  ],
  counterpart: async ({ counterpartMock, counterpartOptions, onTestFailed }, use) => {
    using world = await counterpartMock.world(counterpartOptions);
    onTestFailed(() => console.error(tellCalls(world, counterpartOptions)));
    await use(world);
  },
});
