import { createHash } from "node:crypto";
import type { Addresses } from "../http/public-addresses.js";
import type { LogEntry, LoggedResponse } from "../worlds/log/entry.js";
import type { ToolServerOptions } from "../worlds/options.js";
import type { WorldConfiguration } from "../worlds/worlds.js";

/** The first line of a recording: the mock. Each other line is a `RecordedLine`. `spec/schema/recording.json`. */
export interface RecordingHeader {
  /** Version of the format. */
  counterpart_recording: 1;
  /** Version of the toolkit. */
  version: string;
  mcp: ToolServerOptions;
  journal: number;
  trust_client_ip: boolean;
  addresses: Addresses;
}

/** One event of a world: it was created, called, answered after a delay, rewound or deleted. */
export type RecordedLine = { world: string } & (
  | { created: RecordedConfiguration }
  | (LogEntry & { answer?: RecordedResponse })
  | { answer_to: number; answer: RecordedResponse }
  | { rewound: number }
  | { removed: true }
);

/** The configuration of a world. A fixture of the package is recorded by its name. */
export type RecordedConfiguration = Omit<WorldConfiguration, "fixture"> & { fixture: string | object; begun: number };

/** A response. A long text is recorded as its length and digest. */
export type RecordedResponse = Omit<LoggedResponse, "text"> & { text?: string; length?: number; sha256?: string };

/** A recording contains a longer text as its digest. In characters. */
const longest = 16_384;

/** Returns a response in the form of a recording. */
export function toRecordedResponse({ status, headers, text }: LoggedResponse): RecordedResponse {
  if (text === undefined) return { status, headers };
  if (text.length <= longest) return { status, headers, text };
  return { status, headers, length: text.length, sha256: createHash("sha256").update(text).digest("hex") };
}
