import { maskContent } from "../journal/masking.js";
import type { LogEntry } from "../worlds/log/entry.js";

/** Returns an entry in a few words: `GET /api/jobs`. */
export function describeEntry(entry: LogEntry): string {
  if ("call" in entry) return maskContent(`${entry.call.method} ${entry.call.url}`);
  if ("resume" in entry) return `the end of call ${entry.resume}`;
  if ("refused" in entry) return "a request that is for no operation";
  const { control, params = {} } = entry;
  return control.replace(/\{(\w+)\}/g, (variable, name: string) => params[name] ?? variable);
}
