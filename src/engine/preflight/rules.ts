import type { AnswerRules } from "../http/answers.js";

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
  /** Requests that show whether a key has a scope: reads, and writes about things that are not there. */
  scopeProbes: Record<"reads" | "writes", readonly ScopeProbe[]>;
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
