import type { ClauseId, ErrorCode, Method, RouteName, Scope } from "../contract/types.js";
import type { Query } from "../contract/validate.js";
import type { Change, Key, Session, Workspace } from "./world/world.js";

/** A request as a shell hands it over: decoded, not yet judged. */
export interface IncomingCall {
  surface: "rest" | "mcp";
  /** The operation, or why there is none. */
  target: { route: RouteName; params: Record<string, string> } | { allow: Method[] } | "unknown-path";
  authorization: string | undefined;
  cookie: string | undefined;
  idempotencyKey: string | undefined;
  /** The caller's address, null when it cannot be told. */
  ip: string | null;
  query: Query;
  body: Body;
}

/** What the bytes of a body turned out to be. */
export type Body =
  | { kind: "none" }
  /** With its text, where the value would be written as another. */
  | { kind: "json"; value: unknown; text?: string }
  | { kind: "malformed"; problem: string }
  | { kind: "wrong-type"; contentType: string; isEncoded?: boolean }
  | { kind: "too-large"; limit: number };

/** Who calls: a key or a web-app session, in a workspace. */
export type Caller = KeyCaller | SessionCaller;

/** A caller with an API key. */
export interface KeyCaller {
  workspace: Workspace;
  key: Key;
  session: null;
  scopes: ReadonlySet<Scope>;
}

/** A person who is signed in through the web app. */
export interface SessionCaller {
  workspace: Workspace;
  key: null;
  session: Session;
  scopes: ReadonlySet<Scope>;
}

/** A call that has passed every gate and is of the operation's schema. */
export interface Call {
  surface: "rest" | "mcp";
  route: RouteName;
  params: Record<string, string>;
  query: Record<string, unknown>;
  /** Of the operation's request schema; undefined when none was sent. */
  body: unknown;
  idempotencyKey: string | undefined;
  caller: Caller;
}

/** What the service answers, and why. */
export interface Reply {
  status: number;
  headers: Record<string, string>;
  /** Plain JSON; undefined for an answer without a body. */
  body: unknown;
  /** The gate or rule that gave the answer. */
  rule: Rule;
  /** What the call changed, in order. */
  changes: Change[];
}

/** Where the answer was decided. */
export interface Rule {
  gate: Gate;
  code: ErrorCode | null;
  clause: ClauseId | null;
}

/** The gates of a call in the order they are passed; `operation` is the work itself. */
export const gates = ["authenticate", "rate", "route", "body", "permission", "schema", "operation"] as const;
/** One of the gates. */
export type Gate = (typeof gates)[number];

/** A refusal, as a value: the catalogue's code with what this case adds. */
export interface Refusal {
  code: ErrorCode;
  message?: string;
  /** Whole seconds. */
  retryAfter?: number;
  headers?: Record<string, string>;
  /** Further fields of the error object, such as `errors` or `details`. */
  fields?: Record<string, unknown>;
}

/** Why something may not be done; null where nothing stands against it. */
export type Objection = { refusal: Refusal } | null;

/** What an operation returns: a success or a refusal. */
export type Outcome = Success | { refusal: Refusal };

/** An answer that is no refusal; without a body, none is sent. */
export interface Success {
  status: number;
  body?: unknown;
  headers?: Record<string, string>;
}

/** Answers with a success. */
export function ok(status: number, body?: unknown): Success {
  return { status, body };
}

/** Refuses with a code of the catalogue. */
export function refuse(code: ErrorCode, more: Omit<Refusal, "code"> = {}): { refusal: Refusal } {
  return { refusal: { code, ...more } };
}
