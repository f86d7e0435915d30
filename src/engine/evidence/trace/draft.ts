import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";

/** The trace of a run that was killed. It has no end, and its last line may be cut. */
export interface Draft {
  path: string;
  isDraft: true;
}

const TRACE_PREFIX = "trace.ndjson.";

/** Returns the path of the temporary file in which this process writes the trace of a directory. */
export function createDraftPath(directory: string): string {
  return join(directory, `${TRACE_PREFIX}${process.pid}.tmp`);
}

/** Returns the newest trace that a killed run left in a directory; undefined if there is none. */
export function findDraft(directory: string): Draft | undefined {
  const own = createDraftPath(directory);
  const [newest] = readdirSync(directory)
    .filter((name) => name.startsWith(TRACE_PREFIX) && name.endsWith(".tmp"))
    .map((name) => join(directory, name))
    .filter((path) => path !== own)
    .sort((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs);
  return newest === undefined ? undefined : { path: newest, isDraft: true };
}
