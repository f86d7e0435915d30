import type { Exchange } from "./exchange.js";

/** A response that does not let a check be judged. `clauses`: those that its step judges; none if it prepares a check. */
export interface UnsuitedAnswer {
  operation: string;
  status: number;
  body: unknown;
  /** The text of a tool error, which may name the code in words alone; otherwise empty. */
  text: string;
  clauses: readonly string[];
  /** The status that the step needs in order to judge something, as its scenario states it. */
  wanted: unknown;
  /** Whether the request was sent with a session of the web app. */
  hasSession: boolean;
  /** The operations that succeeded earlier in the scenario. */
  served: readonly string[];
  /** Whether the target offers a clock that the run may move. */
  hasClock: boolean;
}

/** The form of one contract's answers. The engine itself knows the rules of HTTP, JSON-RPC and MCP. */
export interface ResponseRules {
  /** Returns the matchers for the JSON body of a complete error with these fields. */
  errorBody(fields: Record<string, unknown>): readonly unknown[];
  /** Tells whether a value is an error body, complete or not. */
  isErrorBody(value: unknown): boolean;
  /** Tells whether an error body reports a failure of the server instead of a refusal. */
  isFailureBody(value: unknown): boolean;
  /** Returns the code of an error body; undefined without one. */
  errorCode(body: unknown): string | undefined;
  /** Tells whether the message of a tool error or JSON-RPC error reports an exceeded request rate. */
  isRateRefusal(message: string): boolean;
  /** Tells whether the expected fields of an error are those of an exceeded request rate. */
  expectsRateRefusal(fields: Record<string, unknown>): boolean;
  /**
   * Tells whether a refusal is due to a limit that its caller has used up and that the expectations do not mention. Such a
   * refusal is not evidence about the request. `text`: that of a tool error, which may name the code in words alone; otherwise
   * empty.
   */
  isForCallerLimit(refusal: { status: number; body: unknown; text: string }, expectations: unknown): boolean;
  /** Returns which choice of the server keeps a check from being judged, and what the vendor can offer instead. Undefined if none is known. */
  choiceIn?(response: UnsuitedAnswer): string | undefined;
  /** Field names of a list page: `rows`, and the `cursor` of the next page. `parameter` is the query parameter for the cursor; `size.most` is the largest page size. */
  page: { rows: string; cursor: string; parameter: string; size: { parameter: string; max: number } };
  /** Returns strings of an exchange that must be masked from now on, such as a new key. */
  secretsIn(exchange: Exchange): readonly string[];
}
