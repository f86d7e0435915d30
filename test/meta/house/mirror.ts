import { dirname } from "node:path/posix";
import type { HouseRule } from "./source.js";

/** Folders whose tests belong to no single source file. `test/README.md` says what each proves. */
const apart = ["meta", "quality", "mutants", "reference", "browser", "bench", "soak", "package", "clients", "conformance"];

/**
 * A test is named after its source: `test/x/y.test.ts` for the file or folder `src/x/y`. Several tests of one file are in a folder of its name:
 * `test/x/y/z.test.ts`.
 */
export const findUnmirroredTests: HouseRule = (sources) => {
  const files = sources.flatMap(({ path }) => /^src\/(.+)\.tsx?$/.exec(path)?.[1] ?? []);
  const folders = files.flatMap((file) => getFolders(file));
  const named = new Set([...files, ...folders]);
  return sources.flatMap(({ path }) => {
    const test = /^test\/(.+)\.test\.ts$/.exec(path)?.[1];
    if (test === undefined || apart.some((folder) => test.startsWith(`${folder}/`))) return [];
    if (named.has(test) || files.includes(dirname(test))) return [];
    return [
      `${path}:1: src/${test} does not exist: name the test after its source file, or move it to the folder of that name or to test/meta`,
    ];
  });
};

function getFolders(path: string): string[] {
  const folder = dirname(path);
  return folder === "." ? [] : [folder, ...getFolders(folder)];
}
