import type { ResponseRules } from "../http/response-rules.js";

/** The rules of a contract for finding out whether its service answers. */
export interface PreflightRules {
  /** Path with which every route begins. The address of a target does not contain it. */
  basePath: string;
  /** Paths of reads, in the order in which they are sent. */
  reads: readonly [string, ...string[]];
  /** Path of the API description on the docs host. */
  docsPath: string;
  /** Returns whether the body of a response has the form of an error or a list of the service. */
  isOfService(body: unknown): boolean;
  /** Returns whether the server must refuse the key of a role for every request. */
  isRefused(role: string): boolean;
  /** Returns whether the key of a role must have a scope. If absent, every key must have every scope. */
  holds?(role: string, scope: string): boolean;
  /** Returns the path of a read that shows whether a key can see a value of `repos` in a target file. */
  repoPath?(repo: string): string;
  /** Rules for reading the fields of a target file from the server. */
  look?: InspectionRules;
  /** A write to a resource that does not exist. It shows whether the server accepts a session. `isRefused`: roles whose session it refuses. */
  sessionProbe?: { rest: string; isRefused(role: string): boolean };
  /** Requests that show whether a key has a scope: reads, and writes to resources that do not exist. */
  scopeProbes: Record<"reads" | "writes", readonly ScopeProbe[]>;
}

/** How one contract reads the fields of a target file from a server, with reads only. */
export interface InspectionRules {
  /** Path of the list from which `candidates` takes values for `repos`. */
  repos: string;
  rows(body: unknown): unknown[];
  /** Returns possible values for `repos` of a target file from a row, the most likely first. */
  candidates(row: unknown): string[];
  /** Returns the bindings that a published document contains. */
  documented(document: unknown): Record<string, unknown>;
  /** Bindings, and the reads that show them. `path` takes a value of `repos`; `read` finds the binding in the response body. */
  shown: readonly { binding: string; path(repo: string): string; read(body: unknown): unknown }[];
  /** Facts about the server that tools may show, and the responses of tools that show their purpose. */
  facts: readonly FactSource[];
  signs: readonly ToolSign[];
}

/** A read, and the facts in its response by name. */
export interface FactSource {
  path(repo: string): string;
  read(body: unknown): Readonly<Record<string, string | undefined>>;
}

/** A call that a tool of this purpose answers with these facts. `given`: facts by the arguments that they are for, or other values after `=`. */
export interface ToolSign {
  purpose: string;
  given: Readonly<Record<string, string>>;
  shows: readonly string[];
}

/** A request (method and path) that changes nothing, and the scope that it requires. */
export interface ScopeProbe {
  scope: string;
  rest: string;
}

/** The rules of a contract that a preflight uses. */
export interface ServiceRules {
  preflight: PreflightRules;
  answers: ResponseRules;
  /** The role whose key a request uses by default. */
  defaultRole: string;
}
