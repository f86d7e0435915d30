import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "../../src/contract/load.js";
import { suite } from "../../src/suite/suite.js";

/** What the build has read ahead for `dist`. */
const file = join(packageRoot, "dist/src/suite/scenarios.bin");

/** Whether nothing that reading scenarios depends on was written after they were read: who runs a file of tests alone need not have built. */
function isCurrent(): boolean {
  const readAt = statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const isOlder = (path: string) => statSync(path).mtimeMs < readAt;
  return ["contract", "engine", "suite"].every((room) =>
    readdirSync(join(packageRoot, "src", room), { recursive: true, encoding: "utf8" }).every((name) =>
      isOlder(join(packageRoot, "src", room, name)),
    ),
  );
}

// Tests run from `src`, where nothing is read ahead, and each process of theirs would read the whole suite for seconds.
if (suite.ahead && suite.ahead.file !== file && isCurrent()) suite.ahead.file = file;
