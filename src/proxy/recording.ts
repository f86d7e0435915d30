import { appendFileSync, writeFileSync } from "node:fs";
import { type RecordingLine, recordingFormat } from "../card/recording.js";
import { jsonText } from "../common/escape/visible.js";

/** Begins a recording in a file, which is made anew; each request adds a line of JSON. Throws when the file cannot be written. */
export function openRecording(path: string, upstream: string): (line: RecordingLine) => void {
  writeFileSync(path, `${jsonText({ format: recordingFormat, upstream })}\n`, { mode: 0o600 });
  return (line) => appendFileSync(path, `${jsonText(line)}\n`);
}
