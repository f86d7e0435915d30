import { existsSync, readdirSync, statSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import type { Plugin } from "vitest/config";

/**
 * Makes the files of tests import what `npm run build` has compiled, so that vitest compiles only the files of tests themselves. `root` is the
 * directory of the project. Files without a compiled form, such as the helpers of browser tests, are compiled by vitest.
 */
export function importsCompiled(root: string): Plugin {
  return {
    name: "imports-compiled",
    enforce: "pre",
    resolveId(target, importer) {
      if (importer === undefined || !/^\.\.?\/.*\.js$/.test(target)) return undefined;
      const file = join(root, "dist", relative(root, dirname(importer)), target);
      return existsSync(file) ? file : undefined;
    },
  };
}

/** Returns the sources that were changed after the last build. Files of tests and configurations do not count: vitest compiles them. */
export function changedSources(root: string): string[] {
  const builtAt = statSync(join(root, "dist/src/suite/scenarios.bin"), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return ["src", "test"].flatMap((room) =>
    readdirSync(join(root, room), { recursive: true, encoding: "utf8" })
      .filter((name) => /(?<!\.d|\.test|\.config)\.ts$/.test(name) && !/(^|[\\/])node_modules[\\/]/.test(name))
      .map((name) => join(room, name))
      .filter((path) => statSync(join(root, path)).mtimeMs > builtAt),
  );
}
