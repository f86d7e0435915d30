import type { AnswerRules } from "../http/answer-rules.js";

/** What one contract offers to somebody who looks whether its service is there. */
export interface PreflightRules {
  /** Path that every route begins with: what the address of a target does without. */
  basePath: string;
  /** Reads that change nothing, with their paths, in the order in which they are tried. */
  reads: readonly [string, ...string[]];
  /** Path of the description on the docs host. */
  docsPath: string;
  /** Whether the body of an answer bears the marks of the service: those of its refusals, or of its lists. */
  isOfService(body: unknown): boolean;
  /** Whether the server must refuse the key of a role, whatever it is used for. */
  isRefused(role: string): boolean;
  /** Whether the key of a role must have a scope; without this every key must have every one. */
  holds?(role: string, scope: string): boolean;
  /** Path of a read that shows whether a key sees what the target lends to scenarios (`repos` of its file). */
  lentPath?(lent: string): string;
  /** What reads show that a target file could say. */
  look?: LookRules;
  /** A write about something that is not there, which shows whether a session is taken; and whose sessions are not. */
  sessionProbe?: { rest: string; isRefused(role: string): boolean };
  /** Requests that show whether a key has a scope: reads, and writes about things that are not there. */
  scopeProbes: Record<"reads" | "writes", readonly ScopeProbe[]>;
}

/** What one contract lets be seen, by reads alone, of what target files say. */
export interface LookRules {
  /** Path of the list of what can be lent to scenarios. */
  lent: string;
  rows(body: unknown): unknown[];
  /** What a row may mean, as `repos` of a target file has it; the likeliest first. */
  candidates(row: unknown): string[];
  /** Bindings that a published document says. */
  documented(document: unknown): Record<string, unknown>;
  /** Bindings that an answer about something lent shows. */
  shown: readonly { binding: string; path(lent: string): string; read(body: unknown): unknown }[];
}

/** A request (method and path) that changes nothing, and the scope without which it is forbidden. */
export interface ScopeProbe {
  scope: string;
  rest: string;
}

/** All that a preflight needs to know of a contract. */
export interface ServiceRules {
  preflight: PreflightRules;
  answers: AnswerRules;
  /** The role whose key a request carries that names no other. */
  defaultRole: string;
}
