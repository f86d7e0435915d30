import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

/** Two workers, as small machines have two cores; threads, as no test needs a process of its own. `dist` holds compiled copies of the tests. */
export default defineConfig({
  test: {
    root: fileURLToPath(new URL("..", import.meta.url)),
    include: ["test/**/*.test.ts"],
    exclude: ["**/node_modules/**", "dist/**"],
    reporters: ["default"],
    watch: false,
    pool: "threads",
    maxWorkers: 2,
    testTimeout: 180_000,
    hookTimeout: 20_000,
  },
});
