import { createHash } from "node:crypto";
import type { Failure } from "../../http/exchange.js";
import type { WholeBody } from "../../http/shorten.js";
import type { RunEvidence } from "../../report/report.js";
import type { Profile } from "../../scenario/effects.js";
import type { Target } from "../../target/target.js";

/** One line of `trace.ndjson`; `spec/schema/trace.json` describes the fields. The lines of a scenario stand together, below those of its run. */
export type TraceLine = RunLine | EventLine | EndLine;

/** What all scenarios of a run share, up to the next line of this kind: a merged trace has one a shard. */
export interface RunLine {
  kind: "run";
  /** With placeholders for its credentials, and without the headers and arguments of its hooks. */
  target: Target;
  profile: Profile;
  max_wait_s: number;
  /** When the run's time was used up; none where it had no end. */
  deadline?: number;
  /** Whether MCP sessions were kept from one scenario to the next. */
  keeps_sessions?: true;
}

/** Stands below the scenarios of a run, or of one shard: what the run says that its answers do not show. */
export interface EndLine {
  kind: "end";
  facts: RunFacts;
}

/** The evidence of a run without what follows from the other lines; of scenarios and checks those of properties are left. */
export interface RunFacts extends Omit<RunEvidence, "target" | "url" | "profile" | "waivers" | "shortened_responses"> {
  /** Digests (sha256) of files that it was judged by. */
  files: { waivers: string; quality: string };
}

/** One event of a scenario, numbered in the order in which it asked; `step` is the one under way, if any was. */
export type EventLine = { scenario: string; n: number; step?: string } & TraceEvent;

/** One answer of the world outside that a scenario depends on. Times are wall-clock milliseconds. */
export type TraceEvent =
  | { kind: "begin"; unique: string }
  | ExchangeLine
  | CommandLine
  /** `late`: how many seconds later than asked it went on, since another acted. */
  | { kind: "pause"; seconds: number; late?: number }
  | { kind: "clock"; now: number }
  /** The throttle held a request back for so long; or, where it is for a session, another execution that was beginning it. */
  | { kind: "hold"; seconds: number; session?: true }
  /** The budget for paid work refused `count` requests. 0: it held a request back. */
  | { kind: "no-budget"; count: number }
  /** The run was stopped. */
  | { kind: "stop" }
  /** The scenario was not executed, and why. */
  | { kind: "left-out"; reason: string };

/** One request and what came of it. The headers of a hook's request are its own business. */
export interface ExchangeLine {
  kind: "exchange";
  with: "service" | "hook";
  /** Part of the handshake of a session that is kept: it was answered to an earlier execution and is not sent again. How many have joined the session, this one included. */
  kept?: number;
  request: { method: string; url: string; headers?: Readonly<Record<string, string>> } & RequestContent;
  started_at: number;
  ended_at: number;
  /** `whole` is what its body was, where that was too long to be kept. */
  response?: { status: number; headers: Readonly<Record<string, string>>; whole?: WholeBody } & Content;
  failure?: Failure;
}

/** One command of a hook: its program, what it was given, and what it wrote or why it failed. */
export interface CommandLine {
  kind: "command";
  program: string;
  input: string;
  output?: string;
  why?: string;
}

/** Bytes as text where they are UTF-8, else in base64; neither where there are none. */
export interface Content {
  body?: string;
  base64?: string;
}

/** What was sent: when it is long only how long it was, and its digest (of the content with its secrets hidden). */
export type RequestContent = Content | { characters: number; sha256: string };

const LONGEST_REQUEST = 16_384;
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Whether a line holds an answer of which the body was too long to be kept whole. */
export function isShortened(line: TraceLine): boolean {
  return line.kind === "exchange" && line.response?.whole !== undefined;
}

/** Bytes as a line holds them; what is secret in them is hidden by `hide`. */
export function contentOf(bytes: Uint8Array | undefined, hide: (text: string) => string): Content {
  if (bytes === undefined) return {};
  try {
    return { body: hide(decoder.decode(bytes)) };
  } catch {
    const shown = hide(Buffer.from(bytes).toString("latin1"));
    return { base64: Buffer.from(shown, "latin1").toString("base64") };
  }
}

/** The bytes of a request as a line holds them: what we have sent ourselves we can make again. */
export function requestContentOf(bytes: Uint8Array | undefined, hide: (text: string) => string): RequestContent {
  const content = contentOf(bytes, hide);
  const text = content.body ?? content.base64 ?? "";
  if (text.length <= LONGEST_REQUEST) return content;
  return { characters: text.length, sha256: createHash("sha256").update(text).digest("hex") };
}

/** The bytes of a line. */
export function bytesOf({ body, base64 }: Content): Uint8Array | undefined {
  if (body !== undefined) return new TextEncoder().encode(body);
  return base64 === undefined ? undefined : new Uint8Array(Buffer.from(base64, "base64"));
}
