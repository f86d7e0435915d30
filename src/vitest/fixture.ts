import { test as plain, type TestAPI } from "vitest";
import type { DemoMock, DemoWorld } from "../mock/in-process/mock-world.js";
import { startMock } from "../mock/server.js";
import type { WorldOptions } from "../mock/worlds/options.js";
import { formatCallsText } from "./account.js";

/** The fixtures of a test. */
export interface CounterpartFixtures {
  /** A world for this test alone. The test deletes it. A failing test prints the calls of the world. */
  counterpart: DemoWorld;
  /** Options of the worlds; default: a frozen clock and no waiting. Example: `test.override({ counterpartOptions: { clock: "real" } })`. */
  counterpartOptions: WorldOptions & { fixture?: never };
  /** The mock of this vitest worker, on free ports. */
  counterpartMock: DemoMock;
}

/** The `test` of vitest with the fixtures of the mock. */
export const test: TestAPI<CounterpartFixtures> = plain.extend<CounterpartFixtures>({
  counterpartOptions: { clock: "frozen", skip: "at-once" },
  counterpartMock: [
    // biome-ignore lint/correctness/noEmptyPattern: vitest reads the parameter: this fixture needs no other
    async ({}, use) => {
      await using mock = (await startMock()) as DemoMock;
      await use(mock);
    },
    { scope: "worker" },
  ],
  counterpart: async ({ counterpartMock, counterpartOptions, onTestFailed }, use) => {
    using world = await counterpartMock.world(counterpartOptions);
    let calls = "";
    onTestFailed(() => console.error(calls)); // vitest calls it when the world is deleted
    await use(world);
    calls = formatCallsText(world, counterpartOptions);
  },
});
