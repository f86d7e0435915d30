import { randomInt } from "node:crypto";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { changedSources, importsCompiled } from "./meta/compiled.js";
import LongestFirst from "./meta/longest-first.js";

/** The seed of the samples (`test/meta/sample.ts`). It differs in each run, so that in time everything is tried. In CI it is always 1. */
const seed = process.env.COUNTERPART_TEST_SEED ?? String(process.env.CI ? 1 : randomInt(1, 2 ** 31));
console.log(`Samples are drawn with COUNTERPART_TEST_SEED=${seed}.`);

const root = fileURLToPath(new URL("..", import.meta.url));
const changed = changedSources(root);
if (changed.length > 0)
  throw new Error(`These files were changed after the last build: ${changed.join(", ")}. Run npm run build.`);

/**
 * Three workers, each a process: small machines have two cores, and many of the longest files wait for what they have started. Files share
 * what a worker has loaded, as loading it takes longer than most of them.
 */
export default defineConfig({
  root,
  plugins: [importsCompiled(root)],
  test: {
    reporters: ["default"],
    watch: false,
    maxWorkers: 3,
    isolate: false,
    env: { COUNTERPART_TEST_SEED: seed },
    testTimeout: 180_000,
    hookTimeout: 60_000,
    globalSetup: [fileURLToPath(new URL("meta/temporary.ts", import.meta.url))],
    sequence: { sequencer: LongestFirst },
    include: ["test/**/*.test.ts", "fixtures/examples/*/*.test.ts"],
    // `dist` holds compiled copies of the tests
    exclude: ["**/node_modules/**", "dist/**"],
    // A larger young generation saves about a tenth of the processor time: little of what a test allocates outlives it.
    // Traces name the compiled lines, as source maps cost another tenth: NODE_OPTIONS=--enable-source-maps npm test names the sources.
    execArgv: ["--max-semi-space-size=64"],
    server: { deps: { external: [/\/dist\/(?:src|test)\//] } },
  },
});
