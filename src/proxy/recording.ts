import { appendFileSync, writeFileSync } from "node:fs";
import type { ExchangeLine } from "./proxy.js";

/** The first line of a recording. */
const format = "counterpart-recording/1";

/** Begins a recording in a file, which is made anew; each request adds a line of JSON. Throws when the file cannot be written. */
export function openRecording(path: string, upstream: string): (line: ExchangeLine) => void {
  writeFileSync(path, `${JSON.stringify({ format, upstream })}\n`, { mode: 0o600 });
  return (line) => appendFileSync(path, `${JSON.stringify(line)}\n`);
}
