import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * Gives a run of the tests, and all processes that it starts, a directory of its own for temporary files, which goes with the run: so also
 * what a test leaves that failed, or that killed a process which would have cleaned up. Its name is short, as a socket's path has to be.
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
