import { parseBodyJson, readBodyText, type WireResponse } from "../../http/exchange.js";
import { isFailure, isRefusal, isToolError, readRpc, readTextContent, readToolResultText, rpcResponse } from "../../http/mcp.js";
import type { ResponseRules } from "../../http/response-rules.js";
import type { ResponseText } from "../../scenario/format.js";
import { isRecord } from "../../scenario/interpolate.js";
import { combineMatches, holds, type Match, match, type Place } from "./match.js";

/** Compares one response with what a scenario expects of it (variables already filled in). */
export function matchResponse(expectedResponseText: ResponseText, response: WireResponse, rules: ResponseRules): Match {
  const parts: Match[] = [];
  if ("status" in expectedResponseText) parts.push(matchStatus(expectedResponseText.status, response.status));
  if (expectedResponseText.headers) parts.push(matchHeaders(expectedResponseText.headers, response));
  if ("json" in expectedResponseText) parts.push(judgeJson(response, (value) => match(expectedResponseText.json, value)));
  if ("body" in expectedResponseText) parts.push(match(expectedResponseText.body, readPlainText(response), { at: "body text" }));
  if (expectedResponseText.error) parts.push(matchError(expectedResponseText.error, response, rules));
  if ("result" in expectedResponseText) parts.push(matchResult(expectedResponseText.result, response));
  if ("content" in expectedResponseText) parts.push(matchContent(expectedResponseText.content, response, rules));
  if (expectedResponseText.refused) parts.push(matchRefusal(response, rules));
  if (expectedResponseText.toolError) parts.push(matchToolError(expectedResponseText.toolError, response));
  return combineMatches(parts);
}

/** Statuses of success that scenarios expect. */
const SUCCESSES = [200, 201, 202, 204];

/** Compares a status with a number, a class such as `4xx`, `any`, a list of those or a matcher. */
export function matchStatus(expected: unknown, status: number): Match {
  const isRefused = status >= 400 && allowsSuccess(expected);
  const place: Place = { at: "status", status, ...(isRefused && { refused: true }) };
  if (isRecord(expected)) return match(expected, status, place);
  return holds(fitsStatus(expected, status), place, [expected].flat().join(" or "), status);
}

/** Returns whether an expected status may be one of success. */
export function allowsSuccess(expected: unknown): boolean {
  return SUCCESSES.some((success) => fitsStatus(expected, success));
}

function fitsStatus(wanted: unknown, status: number): boolean {
  if (Array.isArray(wanted)) return wanted.some((one) => fitsStatus(one, status));
  if (typeof wanted !== "string") return match(wanted, status).mismatches.length === 0;
  return wanted === "any" || (wanted.endsWith("xx") && wanted[0] === String(status)[0]) || wanted === String(status);
}

/** Compares headers. Ignores the case of their names. */
export function matchHeaders(expected: Record<string, unknown>, response: WireResponse): Match {
  return combineMatches(
    Object.entries(expected).map(([key, value]) => {
      const header = key.toLowerCase();
      return match(value, response.headers[header], { at: `header ${header}`, header });
    }),
  );
}

/** Checks that the body is a complete error body and that the given fields match. */
export function matchError(fields: Record<string, unknown>, response: WireResponse, rules: ResponseRules): Match {
  return judgeJson(response, (value) => combineMatches(rules.errorBody(fields).map((part) => match(part, value))));
}

/** Returns the body as text. Serialises JSON again, so that spaces and escapes make no difference. */
function readPlainText(response: WireResponse): string {
  const body = parseBodyJson(response);
  return body.ok ? JSON.stringify(body.value) : readBodyText(response);
}

function judgeJson(response: WireResponse, judge: (value: unknown) => Match): Match {
  const body = parseBodyJson(response);
  if (body.ok) return judge(body.value);
  return { mismatches: [{ at: "body", pointer: "", expected: "JSON", actual: body.what }], empty: [], items: 0 };
}

/** The place of a mismatch of a whole tool result, for example if it is a tool error. */
export const RESULT_NAME = "result";
const RESULT_PLACE: Place = { at: RESULT_NAME, pointer: "/result" };
const TOOL_ERROR_PLACE: Place = { at: "tool error", pointer: "/result" };

function matchResult(expected: unknown, response: WireResponse): Match {
  const rpc = readRpc(response);
  return rpc.ok ? match(expected, rpc.result, RESULT_PLACE) : describeNoResult("a JSON-RPC result", rpc.what, response);
}

/** Returns the mismatch of a response that is not JSON-RPC. If the server refused at the level of HTTP, the status is the difference. */
function describeNoResult(expected: string, what: string, { status }: WireResponse): Match {
  return holds(false, status >= 400 ? { ...RESULT_PLACE, status, refused: true } : RESULT_PLACE, expected, what);
}

/** Checks that the server refused, in any form. A server failure or an empty success is not a refusal. */
function matchRefusal(response: WireResponse, rules: ResponseRules): Match {
  const isFailed = isFailure(response, rules);
  const isSilent = response.status < 300 && rpcResponse(response) === undefined;
  const actual = isFailed ? `HTTP ${response.status}, a failure of the server` : "accepted";
  return holds(!isFailed && !isSilent && isRefusal(response, rules), { at: "answer" }, "a refusal of any form", actual);
}

function matchContent(expected: unknown, response: WireResponse, rules: ResponseRules): Match {
  const rpc = readRpc(response);
  if (!rpc.ok) return describeNoResult("a tool result", rpc.what, response);
  const text = readToolResultText(rpc.result);
  return isToolError(rpc.result, rules)
    ? holds(false, RESULT_PLACE, "no tool error", text)
    : match(expected, text, { at: "text of the tool result", pointer: "/result" });
}

/** Checks that the text of a tool error has the error type, and the argument on a separate line. */
function matchToolError(expected: { type?: string; names?: string }, response: WireResponse): Match {
  const rpc = readRpc(response);
  if (!rpc.ok) return holds(false, RESULT_PLACE, "a tool error", rpc.what);
  const { isError } = rpc.result as { isError?: unknown };
  const text = readTextContent(rpc.result);
  const lines = text.split(/\r?\n/).map((line) => line.trim());
  return combineMatches([
    holds(isError === true, { at: "result/isError", pointer: "/result/isError" }, "true", isError),
    ...(expected.type ? [holds(text.includes(expected.type), TOOL_ERROR_PLACE, `text with ${expected.type}`, text)] : []),
    ...(expected.names
      ? [holds(lines.includes(expected.names), TOOL_ERROR_PLACE, `a line that is just ${expected.names}`, text)]
      : []),
  ]);
}
