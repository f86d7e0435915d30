import { randomInt } from "node:crypto";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import LongestFirst from "./meta/longest-first.js";

/** What the samples are drawn with (`test/meta/sample.ts`): another each time, so that in a while all is tried; in CI always the same. */
const seed = process.env.COUNTERPART_TEST_SEED ?? String(process.env.CI ? 1 : randomInt(1, 2 ** 31));
console.log(`Samples are drawn with COUNTERPART_TEST_SEED=${seed}.`);

/** Tests that put something in the place of a module must not find that module loaded by another file. */
const alone = ["test/engine/second-opinion/wire.test.ts"];

const common = {
  root: fileURLToPath(new URL("..", import.meta.url)),
  env: { COUNTERPART_TEST_SEED: seed },
  setupFiles: [fileURLToPath(new URL("meta/read-ahead.ts", import.meta.url))],
  testTimeout: 180_000,
  hookTimeout: 60_000,
};
/** `dist` holds compiled copies of the tests. */
const elsewhere = ["**/node_modules/**", "dist/**"];

/**
 * Three workers, each a process: small machines have two cores, and many of the longest files wait for what they have started. Files share
 * what a worker has loaded, as loading it takes longer than most of them.
 */
export default defineConfig({
  test: {
    reporters: ["default"],
    watch: false,
    maxWorkers: 3,
    globalSetup: [fileURLToPath(new URL("meta/temporary.ts", import.meta.url))],
    sequence: { sequencer: LongestFirst },
    projects: [
      { test: { ...common, name: "alone", include: alone, exclude: elsewhere, isolate: true } },
      {
        test: {
          ...common,
          name: "all",
          include: ["test/**/*.test.ts", "fixtures/examples/*.test.ts"],
          exclude: [...elsewhere, ...alone],
          isolate: false,
        },
      },
    ],
  },
});
