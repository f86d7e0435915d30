import type { Effect, Step, StepRequest } from "./format.js";
import type { Mistake } from "./yaml-file.js";

/** The rules of a contract for requests. They check and compile scenarios before any request is sent. */
export interface RequestRules {
  /** Returns the strongest effect of a REST request. `path` has no query, and its variables are filled in. */
  effectOf(method: string, path: string): Effect;
  /** Header of a write that makes it repeatable: the server acts once on all requests with the same value. In lower case. */
  repeatableHeader: string;
  /** Returns the kinds of resources that a request changes; undefined if they are unknown. The suite chooses the names. */
  changedBy(request: RequestShape): readonly string[] | undefined;
  /** Returns the route of a request by its method and address; undefined for a route that the contract does not have. */
  operationAt(method: string, address: string): string | undefined;
  /** Returns the contract's name for a request: a route or a tool. */
  nameOf(request: StepRequest): string;
  /** The tools of the tool server, by purpose. */
  tools: Readonly<Record<string, ToolRules>>;
  /** Returns the built-in variable of this name; undefined for an unknown name. */
  variable(name: string): BuiltInVariable | undefined;
  /** Returns a JSON body in the form that the bindings of the target state for this route. */
  jsonBody?(operation: string, json: unknown, bindings: Readonly<Record<string, unknown>>): unknown;
  /** Returns further mistakes of a step. Their paths start at the step. */
  lint(step: Step): readonly Mistake[];
}

/** The parts of a suite that compiling its scenarios needs. */
export interface CompileRules {
  requests: RequestRules;
  /** The role whose key a request carries if the request names no role. */
  defaultRole: string;
}

/** The parts of a request that are known before it is sent: its method and path, or the tool that it calls. */
export interface RequestShape {
  method: string;
  path: string;
  tool: boolean;
  purpose?: string;
}

/** The contract's rules for a tool. */
export interface ToolRules {
  effect: Effect;
  /** Names of arguments that need no binding. If this field is set, the tool's name needs no binding either. If not, the target must bind all names. */
  shown?: readonly string[];
}

/** A variable whose value is an entry of `repos` in the target file, or a part of an entry. */
export interface BuiltInVariable {
  /** The number of the entry, counted from 1. */
  number: number;
  /** Returns the value of the variable for an entry. */
  valueIn(repo: string): string;
  /** Returns a value encoded for the path of a URL. */
  inPath(value: string): string;
  /** An example value for use before the entry is known. */
  example: string;
}
