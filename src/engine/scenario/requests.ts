import type { Effect, Step, StepRequest } from "./format.js";
import type { Mistake } from "./yaml-file.js";

/** What one contract says of requests before any is sent: scenarios are checked and compiled by it. */
export interface RequestRules {
  /** What a REST request does to the server at most, by its method and its path without a query, every variable filled in. */
  effectOf(method: string, path: string): Effect;
  /** Which kinds of things a request changes that does more than read; undefined where nobody knows. Any names will do. */
  changedBy(request: AskedRequest): readonly string[] | undefined;
  /** What a request asks for, as the contract names it: a route, a tool. */
  nameOf(request: StepRequest): string;
  /** The tools of its tool server, by purpose. */
  tools: Readonly<Record<string, ToolRules>>;
  /** A variable that every scenario has, by its name; undefined for a name that means nothing here. */
  variable(name: string): BuiltInVariable | undefined;
  /** What is wrong about a step beside its form; paths lead from the step. */
  lint(step: Step): readonly Mistake[];
}

/** As much of a suite as scenarios are compiled by. */
export interface CompileRules {
  requests: RequestRules;
  /** The role whose key a request carries that names no other. */
  defaultRole: string;
}

/** As much of a request as is known before it is sent: where it goes, or which tool it calls. */
export interface AskedRequest {
  method: string;
  path: string;
  tool: boolean;
  purpose?: string;
}

/** What is known of a tool before it is called. */
export interface ToolRules {
  effect: Effect;
  /** Names of its arguments that need no binding, and so does its own. Without them a target has to name everything. */
  shown?: readonly string[];
}

/** A variable whose value is one of those that the target lends to scenarios (`repos` of its file), or a part of one. */
export interface BuiltInVariable {
  /** Which of them, counted from 1. */
  number: number;
  /** Its value, when this is the one that is lent. */
  valueIn(lent: string): string;
  /** A value as it stands in the path of an address. */
  inPath(value: string): string;
  /** A path in its place where nothing is lent yet. */
  example: string;
}
