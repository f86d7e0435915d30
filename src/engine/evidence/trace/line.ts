import { formatJson } from "../../../common/escape/visible.js";
import type { Content, RequestContent } from "../../http/content.js";
import type { Failure } from "../../http/exchange.js";
import type { WholeBody } from "../../http/shorten.js";
import type { RunEvidence } from "../../report/report.js";
import type { Profile } from "../../scenario/effects.js";
import type { Target } from "../../target/target.js";

/** One line of `trace.ndjson`. `spec/schema/trace.json` describes the fields. The lines of a scenario are contiguous and follow the line of their run. */
export type TraceLine = RunLine | EventLine | EndLine;

/** The settings of a run. They apply to the scenarios up to the next line of this kind. A merged trace has one for each shard. */
export interface RunLine {
  kind: "run";
  /** The target with placeholders for credentials, and without the headers and arguments of hooks. */
  target: Target;
  profile: Profile;
  max_wait_s: number;
  /** Time limit of the run in wall-clock milliseconds. Absent if it had none. */
  deadline?: number;
  /** The time in seconds that the user selected for the run. */
  deadline_s?: number;
  /** Whether scenarios shared MCP sessions. */
  keeps_sessions?: true;
}

/** Ends a run or a shard: the facts of the run that do not follow from its responses. */
export interface EndLine {
  kind: "end";
  facts: RunFacts;
}

/** The evidence of a run without the facts that follow from other lines. It contains only the scenarios and checks that belong to properties. */
export interface RunFacts
  extends Omit<RunEvidence, "target" | "url" | "mcp_revision" | "profile" | "waivers" | "shortened_responses"> {
  /** SHA-256 digests of the files on which the verdict depends. */
  files: { waivers: string; quality: string };
}

/** One event of a scenario, numbered in the order of requests. `step`: the step that was executing. */
export type EventLine = { scenario: string; n: number; step?: string } & TraceEvent;

/** One external input of a scenario. Times are wall-clock milliseconds. */
export type TraceEvent =
  | { kind: "begin"; unique: string }
  | ExchangeLine
  | CommandLine
  /** `late`: by how many seconds the pause was longer than `seconds`, because another task was executing. */
  | { kind: "pause"; seconds: number; late?: number }
  | { kind: "clock"; now: number }
  /** The throttle delayed a request. `session`: another execution was opening the session. */
  | { kind: "hold"; seconds: number; session?: true }
  /** The budget for paid work refused `count` requests. With `count` 0, the budget was used up. */
  | { kind: "no-budget"; count: number }
  /** After a lost connection, the request was sent again or the whole scenario was run again. */
  | { kind: "again"; what: "request" | "scenario" }
  /** The run was stopped. `why`: the reason, if it was not the user. */
  | { kind: "stop"; why?: string }
  /** The scenario was not executed, and why. */
  | { kind: "left-out"; reason: string; missing?: readonly string[] };

/** One request with its response or failure. Headers of hook requests are not recorded. */
export interface ExchangeLine {
  kind: "exchange";
  with: "service" | "hook";
  /** The number of executions that use a shared session so far. Present if the exchange is part of the handshake that an earlier execution sent. */
  kept?: number;
  request: { method: string; url: string; headers?: Readonly<Record<string, string>> } & RequestContent;
  started_at: number;
  ended_at: number;
  /** `whole`: length and digest of the complete body, if the recorded body is shortened. */
  response?: { status: number; headers: Readonly<Record<string, string>>; whole?: WholeBody } & Content;
  failure?: Failure;
}

/** One command of a hook: its program, its input, and its output or the reason of its failure. */
export interface CommandLine {
  kind: "command";
  program: string;
  input: string;
  output?: string;
  why?: string;
}

/** Returns the text of a line without a line feed. Equal lines have equal texts. */
export function formatLine(line: TraceLine): string {
  return formatJson(line);
}

/** Returns whether a line holds a shortened response body. */
export function isShortened(line: TraceLine): boolean {
  return line.kind === "exchange" && line.response?.whole !== undefined;
}
