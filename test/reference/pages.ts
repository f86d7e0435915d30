import { randomBytes } from "node:crypto";
import type { Call } from "./call.js";
import { done, type Fault, invalid, type Reply, refuse } from "./reply.js";

const MOST = 200;

/** One page of a list. A cursor is bound to the route, the path and every filter. */
export function page<Row>(call: Call, all: readonly Row[], show: (row: Row) => unknown, usual = 50, faults: Fault[] = []): Reply {
  const { cursor, limit: asked } = call.query;
  const limit = asked === undefined ? usual : Number(asked);
  if (!Number.isInteger(limit) || limit < 1 || limit > MOST)
    faults.push({ field: "limit", problem: `must be a whole number from 1 to ${MOST}` });
  if (faults.length > 0) return invalid(faults);
  const from = cursor === undefined ? { rest: [...all] } : (resume(call, cursor, all) ?? forged(call));
  if (!("rest" in from)) return from;
  const rows = from.rest.slice(0, limit);
  const rest = from.rest.slice(limit);
  const next = rest.length > 0 ? issue(call, rest, all.length - rest.length) : null;
  return done(200, { ...call.choices.adorn(0), data: rows.map((row) => show(row)), next_cursor: next, has_more: next !== null });
}

/** What a cursor may not be used without: everything asked but the page itself. */
function bindingOf({ choices, route, path, query }: Call): string {
  const bound = Object.entries(query).filter(
    ([name]) => name !== "cursor" && name !== "include" && (choices.cursorBindsLimit || name !== "limit"),
  );
  return JSON.stringify([route, path, bound.sort(([a], [b]) => a.localeCompare(b))]);
}

/** A token that tells the place, or the name of a row in a table that holds the rest of the walk. */
function issue(call: Call, rest: unknown[], offset: number): string {
  const binding = bindingOf(call);
  if (call.choices.cursors === "offset") return Buffer.from(JSON.stringify([offset, binding])).toString("base64");
  const name = randomBytes(9).toString("hex");
  call.workspace.cursors.set(name, { binding, rest });
  return name;
}

function resume<Row>(call: Call, cursor: string, all: readonly Row[]): { rest: Row[] } | undefined {
  if (call.choices.cursors === "table") {
    const kept = call.workspace.cursors.get(cursor);
    return kept?.binding === bindingOf(call) ? { rest: kept.rest as Row[] } : undefined;
  }
  const [offset, binding] = readToken(cursor);
  return typeof offset === "number" && binding === bindingOf(call) ? { rest: all.slice(offset) } : undefined;
}

function readToken(cursor: string): unknown[] {
  try {
    const value: unknown = JSON.parse(Buffer.from(cursor, "base64").toString());
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
  }
}

/** A cursor that another list or filter gave is `invalid_cursor`; for one that nobody gave the variant may have another refusal. */
function forged({ choices, query, workspace }: Call): Reply {
  const known =
    choices.cursors === "table" ? workspace.cursors.has(query.cursor ?? "") : readToken(query.cursor ?? "").length > 0;
  return known || choices.forgedCursorHttp === 400
    ? refuse(400, "invalid_request_error", "invalid_cursor", "This cursor does not go with this list")
    : refuse(404, "not_found", choices.code("no such cursor"), "Nobody was given this cursor");
}
