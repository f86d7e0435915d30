import { rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { makeDirectory } from "../../common/directory.js";
import { writeOutputFile } from "../../common/user-file.js";
import { bundleFiles } from "../evidence/bundle/files.js";

const REASONS: Record<string, string> = {
  EEXIST: "a file has this name",
  ENOTDIR: "a file has this name",
  EACCES: "this user must not write there",
  EPERM: "this user must not write there",
  EROFS: "its file system is read-only",
  ENOSPC: "its file system is full",
  ENOENT: "a directory cannot be created there",
  ENAMETOOLONG: "the name is too long",
};

/** Makes the output directory and writes a file into it. Returns why that is not possible, and what to do; undefined if it is. */
export function findOutputProblem(directory: string): string | undefined {
  const problem = (why: string) => `--out ${directory}: the report cannot be written: ${why}. Give another directory.`;
  const file = join(directory, `writable.${process.pid}.tmp`);
  try {
    makeDirectory(directory);
    writeOutputFile(file, "");
    rmSync(file);
  } catch (error) {
    const { code = "", message } = error as NodeJS.ErrnoException;
    return problem(REASONS[code] ?? message);
  }
  const blocked = Object.values(bundleFiles).find((name) =>
    statSync(join(directory, name), { throwIfNoEntry: false })?.isDirectory(),
  );
  return blocked === undefined ? undefined : problem(`${blocked} in it is a directory`);
}
