import { createHash } from "node:crypto";
import type { Addresses } from "../http/public-addresses.js";
import type { LogEntry, LoggedAnswer } from "../worlds/log/entry.js";
import type { ToolServerOptions } from "../worlds/options.js";
import type { WorldConfiguration } from "../worlds/worlds.js";

/** The first line of a recording: of which mock it is. Each further line is one of `RecordedLine`. `spec/schema/recording.json`. */
export interface RecordingHeader {
  /** The format's version. */
  counterpart_recording: 1;
  /** Of the toolkit. */
  version: string;
  mcp: ToolServerOptions;
  journal: number;
  trust_client_ip: boolean;
  addresses: Addresses;
}

/** One event of a world: it was created, called, answered after a delay, rewound or deleted. */
export type RecordedLine = { world: string } & (
  | { created: RecordedConfiguration }
  | (LogEntry & { answer?: RecordedAnswer })
  | { answer_to: number; answer: RecordedAnswer }
  | { rewound: number }
  | { removed: true }
);

/** What a world was created on; a fixture of the package stands there by its name. */
export type RecordedConfiguration = Omit<WorldConfiguration, "fixture"> & { fixture: string | object; begun: number };

/** An answer; of a long text its length and digest. */
export type RecordedAnswer = Omit<LoggedAnswer, "text"> & { text?: string; length?: number; sha256?: string };

/** Texts longer than this stand in a recording by their digest, in characters. */
const longest = 16_384;

/** Returns an answer in the form of a recording. */
export function recordedAnswer({ status, headers, text }: LoggedAnswer): RecordedAnswer {
  if (text === undefined) return { status, headers };
  if (text.length <= longest) return { status, headers, text };
  return { status, headers, length: text.length, sha256: createHash("sha256").update(text).digest("hex") };
}
