import { existsSync, mkdirSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";

/**
 * Makes a directory and its missing parents; an existing directory stays as it is. Throws an error of the file system. Node's
 * option `recursive` hangs where the file system refuses directories, such as below `/proc`.
 */
export function makeDirectory(path: string): void {
  if (existsSync(path) && statSync(path).isDirectory()) return;
  const parent = dirname(resolve(path));
  if (!existsSync(parent)) makeDirectory(parent);
  try {
    mkdirSync(path);
  } catch (error) {
    const existsNow = (error as NodeJS.ErrnoException).code === "EEXIST" && statSync(path).isDirectory();
    if (!existsNow) throw error;
  }
}
