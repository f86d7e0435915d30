import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * Gives a run of the tests, and all processes that it starts, a separate directory for temporary files. Deletes it after the run, with files
 * that failed tests or killed processes left there. Its name is short, because the path of a socket must be short.
 */
export default function setup(): () => void {
  const before = process.env.TMPDIR;
  const directory = mkdtempSync(join(tmpdir(), "cp-"));
  process.env.TMPDIR = directory;
  return () => {
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
    rmSync(directory, { recursive: true, force: true, maxRetries: 3 });
  };
}
