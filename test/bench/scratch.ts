import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const root = mkdtempSync(join(tmpdir(), "counterpart-bench-"));
let folders = 0;
process.on("exit", () => rmSync(root, { recursive: true, force: true }));

/** Creates a folder that the bench deletes when it ends. */
export function scratchFolder(): string {
  const folder = join(root, `${++folders}`);
  mkdirSync(folder);
  return folder;
}
