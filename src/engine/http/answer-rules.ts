import type { Exchange } from "./exchange.js";

/** What one contract says of the form of its answers; what HTTP, JSON-RPC and MCP say of them the engine knows by itself. */
export interface AnswerRules {
  /** The matchers that the JSON body of a refusal must fit: it is whole, and its fields are these. */
  errorBody(fields: Record<string, unknown>): readonly unknown[];
  /** Whether a value is the body of a refusal, wherever it was found; not whether it is a whole one. */
  isErrorBody(value: unknown): boolean;
  /** Whether such a body says that the server failed, which is no refusal of what was asked for. */
  isFailureBody(value: unknown): boolean;
  /** The code of the refusal that a body is, if it is one that has a code. */
  errorCode(body: unknown): string | undefined;
  /** Whether a refusal that came in no HTTP status, in the words of a tool or of a JSON-RPC error, is for the rate of requests. */
  isRateRefusal(said: string): boolean;
  /** Whether an expectation of a refusal's fields is after one for the rate of requests. */
  expectsRateRefusal(fields: Record<string, unknown>): boolean;
  /**
   * Whether a refusal, by its status and body, is for what its caller has used up of what there is, of which expectations do not speak: it
   * says nothing of what was asked for.
   */
  isForCallerLimit(refusal: { status: number; body: unknown }, expectations: unknown): boolean;
  /**
   * Names of a list page's fields: its rows, what leads to the next page; of the query parameter that takes that; and of the one that takes
   * a page's size, with the most that it takes.
   */
  page: { rows: string; cursor: string; parameter: string; size: { parameter: string; most: number } };
  /** Strings of an exchange that must not be shown from now on, such as a credential that it made. */
  secretsIn(exchange: Exchange): readonly string[];
}
