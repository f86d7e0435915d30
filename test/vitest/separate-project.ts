import { writeFileSync } from "node:fs";
import { join } from "node:path";

/**
 * Writes the configuration of a separate project in a folder of `dist`, and returns its path. Vitest loads this package as an installed one:
 * compiling it would take longer than the tests of the project.
 */
export function writeConfiguration(folder: string): string {
  const file = join(folder, "none.mjs");
  const server = "{ deps: { external: [/\\/dist\\/src\\//] } }";
  writeFileSync(
    file,
    `export default { test: { include: ["*.test.mjs"], exclude: [], maxWorkers: 1, isolate: false, server: ${server} } };\n`,
  );
  return file;
}
