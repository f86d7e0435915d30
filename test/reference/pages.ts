import { base } from "./base.js";
import type { Call } from "./call.js";
import { type Fault, invalid, type OperationResult, refuse, success } from "./operation-result.js";

const MAX_PAGE_LIMIT = 200;
/** The end of a token on a server whose cursors must be escaped in a URL. */
const SIGNS = "+/=&%20#";
/** Parameters that are not filters. A cursor is bound to them only in some variants. */
const FREE = ["limit", "include", "order"] as const;

/** One page of a list. A cursor is bound to the route, the path and every filter. */
export function page<Row>(
  call: Call,
  all: readonly Row[],
  show: (row: Row) => unknown,
  usual = 50,
  faults: Fault[] = [],
): OperationResult {
  const { cursor, limit: asked } = call.query;
  const limit = asked === undefined ? usual : raiseLimit(call, Number(asked), usual);
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_PAGE_LIMIT)
    faults.push({ field: "limit", problem: `must be a whole number from 1 to ${MAX_PAGE_LIMIT}` });
  if (faults.length > 0) return invalid(faults);
  const from = cursor === undefined ? { rest: [...all] } : (resume(call, cursor, all) ?? refuseCursor(call));
  if (!("rest" in from)) return from;
  const rows = from.rest.slice(0, limit);
  const rest = from.rest.slice(limit);
  const next = rest.length > 0 ? issueCursor(call, rest, all.length - rest.length) : null;
  return success(200, {
    ...call.choices.adorn(0),
    data: rows.map((row) => show(row)),
    next_cursor: next,
    has_more: next !== null,
  });
}

/** A list whose shape is not shown: whole in a shape of the server's own, or in pages like any other. */
export function listUnshown(call: Call, shape: (rows: unknown[]) => unknown, rows: unknown[]): OperationResult {
  const { unshownPage, listShape } = call.choices;
  const isPaged = unshownPage !== undefined && shape === listShape && shape === base.listShape;
  return isPaged ? page(call, rows, (row) => row, unshownPage) : success(200, shape(rows));
}

/** Handles a limit below 1 if it is not refused. */
function raiseLimit({ choices }: Call, asked: number, usual: number): number {
  if (!Number.isInteger(asked) || asked >= 1) return asked;
  return { refused: asked, default: usual, one: 1 }[choices.limitBelow];
}

/** Returns the parts of a request that a cursor is bound to: everything but the page. */
function getBinding({ choices, route, path, query, key }: Call): string {
  const { cursor: _, ...asked } = query;
  const isFree = (name: string) => (FREE as readonly string[]).includes(name);
  const binds = (name: string) => (choices.cursorBinds as readonly string[]).includes(name);
  const bound = Object.entries(asked).filter(([name]) => !isFree(name) || binds(name));
  return JSON.stringify([route, path, binds("key") && key?.id, bound.sort(([a], [b]) => a.localeCompare(b))]);
}

/** A token of the position, or the name of a row in a table with the rest of the walk. */
function issueCursor(call: Call, rest: unknown[], offset: number): string {
  const binding = getBinding(call);
  const token = Buffer.from(JSON.stringify([offset, binding])).toString("base64");
  if (call.choices.cursors !== "table") return call.choices.cursors === "signs" ? token + SIGNS : token;
  const name = call.choices.token();
  call.workspace.cursors.set(name, { binding, rest });
  return name;
}

function resume<Row>(call: Call, cursor: string, all: readonly Row[]): { rest: Row[] } | undefined {
  if (call.choices.cursors === "table") {
    const kept = call.workspace.cursors.get(cursor);
    return kept?.binding === getBinding(call) ? { rest: kept.rest as Row[] } : undefined;
  }
  const [offset, binding] = readToken(cursor);
  return typeof offset === "number" && binding === getBinding(call) ? { rest: all.slice(offset) } : undefined;
}

function readToken(cursor: string): unknown[] {
  try {
    const token = cursor.endsWith(SIGNS) ? cursor.slice(0, -SIGNS.length) : cursor;
    const value: unknown = JSON.parse(Buffer.from(token, "base64").toString());
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
  }
}

/** Refuses a cursor of another list or filter with `invalid_cursor`. For a forged cursor the variant may have another refusal. */
function refuseCursor({ choices, query, workspace }: Call): OperationResult {
  const isKnown =
    choices.cursors === "table" ? workspace.cursors.has(query.cursor ?? "") : readToken(query.cursor ?? "").length > 0;
  if (isKnown || choices.forgedCursorHttp === 400)
    return refuse(400, "invalid_request_error", "invalid_cursor", "This cursor does not go with this list");
  return choices.forgedCursorHttp === 404
    ? refuse(404, "not_found", choices.code("no such cursor"), "The server did not issue this cursor")
    : invalid([{ field: "cursor", problem: "is none that was given" }]);
}
