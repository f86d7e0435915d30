import { renameSync, writeFileSync } from "node:fs";
import { jsonText } from "../common/escape/visible.js";
import type { Mock } from "../mock/in-process/mock-world.js";
import { exitCodes, stop } from "./run.js";

/** Writes a snapshot of the default world to a file, whole or not at all: what stood there before stays until then. */
export function exportSnapshot(mock: Mock, file: string): void {
  const beside = `${file}.${process.pid}.tmp`;
  try {
    writeFileSync(beside, `${jsonText(mock.snapshot())}\n`);
    renameSync(beside, file);
  } catch (error) {
    stop(`the world could not be exported to ${file}: ${(error as Error).message}.`, exitCodes.badInput);
  }
}
