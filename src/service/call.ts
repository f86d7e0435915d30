import type { ClauseId, ErrorCode, Method, RouteName, Scope } from "../contract/types.js";
import type { Query } from "../contract/validate.js";
import type { Change, Key, Session, Workspace } from "./world/world.js";

/** A decoded request that no check has seen yet. */
export interface IncomingCall {
  surface: "rest" | "mcp";
  /** The operation; or the allowed methods of a known path; or `unknown-path`. */
  target: { route: RouteName; params: Record<string, string> } | { allow: Method[] } | "unknown-path";
  authorization: string | undefined;
  cookie: string | undefined;
  idempotencyKey: string | undefined;
  /** The caller's address, null when it is unknown. */
  ip: string | null;
  query: Query;
  body: Body;
}

/** The request body after decoding. */
export type Body =
  | { kind: "none" }
  /** `text` is set when serializing the value would change the text. */
  | { kind: "json"; value: unknown; text?: string }
  | { kind: "malformed"; problem: string }
  | { kind: "wrong-type"; contentType: string; isEncoded?: boolean }
  | { kind: "too-large"; limit: number };

/** The caller: an API key or a web-app session, in a workspace. */
export type Caller = KeyCaller | SessionCaller;

/** A caller with an API key. */
export interface KeyCaller {
  workspace: Workspace;
  key: Key;
  session: null;
  scopes: ReadonlySet<Scope>;
}

/** A person signed in through the web app. */
export interface SessionCaller {
  workspace: Workspace;
  key: null;
  session: Session;
  scopes: ReadonlySet<Scope>;
}

/** A call that passed every check; its query and body match the operation's schema. */
export interface Call {
  surface: "rest" | "mcp";
  route: RouteName;
  params: Record<string, string>;
  query: Record<string, unknown>;
  /** Valid by the operation's request schema; undefined when none was sent. */
  body: unknown;
  idempotencyKey: string | undefined;
  caller: Caller;
}

/** The response of the service, with the rule that decided it. */
export interface ServiceResponse {
  status: number;
  headers: Record<string, string>;
  /** Plain JSON; undefined for a response without a body. */
  body: unknown;
  /** The check or rule that decided the response. */
  rule: Rule;
  /** The state changes of the call, in order. */
  changes: Change[];
}

/** The check, error code and clause that decided a response. */
export interface Rule {
  gate: Gate;
  code: ErrorCode | null;
  clause: ClauseId | null;
}

/** The checks of a call, in order. `operation` is the operation itself. */
export const gates = ["authenticate", "rate", "route", "body", "permission", "schema", "operation"] as const;
/** One of the checks. */
export type Gate = (typeof gates)[number];

/** A refusal: a code of the error catalogue with details of this case. */
export interface Refusal {
  code: ErrorCode;
  message?: string;
  /** Whole seconds. */
  retryAfter?: number;
  headers?: Record<string, string>;
  /** Further fields of the error object, such as `errors` or `details`. */
  fields?: Record<string, unknown>;
}

/** A refusal, or null when nothing forbids the call. */
export type RefusalOrNull = { refusal: Refusal } | null;

/** The result of an operation: a success or a refusal. */
export type Outcome = Success | { refusal: Refusal };

/** A successful response. Without `body` no body is sent. */
export interface Success {
  status: number;
  body?: unknown;
  headers?: Record<string, string>;
}

/** Returns a success. */
export function succeed(status: number, body?: unknown): Success {
  return { status, body };
}

/** Returns a refusal with a code of the error catalogue. */
export function refuse(code: ErrorCode, more: Omit<Refusal, "code"> = {}): { refusal: Refusal } {
  return { refusal: { code, ...more } };
}
