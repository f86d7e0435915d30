import { contract } from "../../contract/load.js";
import { routes } from "../../contract/routes.js";
import { type Call, type Outcome, type Refusal, refuse, succeed } from "../call.js";
import { openCursor, sealCursor } from "./cursors.js";
import { type Rank, type Rows, readPage, type Table, type View } from "./views.js";
import type { World } from "./world.js";

/**
 * Returns one page of a view in the pagination envelope. A cursor is bound to route, path, workspace, filters and order; `limit`
 * and `include` may change. CURSOR-FILTERS, CURSOR-ENDPOINT, CURSOR-LAST.
 */
export function listPage<T extends Table>(world: World, call: Call, view: View<T>, show: (row: Rows[T]) => unknown): Outcome {
  const binding = `${call.route} ${view.name} ${view.until ?? ""}`;
  const place = readPosition(call, binding);
  if ("refusal" in place) return place;
  const { rows, more } = readPage(world, view, place.after, readLimit(call));
  const last = rows.at(-1);
  return buildEnvelope(rows.map(show), more && last ? sealCursor(binding, view.order.rank(last)) : null);
}

/**
 * Returns one page of a short list that is not a table, in the given order. `name` distinguishes it from the route's other lists.
 * PAGE-LISTS-UNSHOWN.
 */
export function listShort<Row>(call: Call, name: string, rows: readonly Row[], show: (row: Row) => unknown): Outcome {
  const binding = `${call.route} ${name}`;
  const place = readPosition(call, binding);
  if ("refusal" in place) return place;
  const start = place.after?.[0] ?? 0;
  const end = start + readLimit(call);
  return buildEnvelope(rows.slice(start, end).map(show), end < rows.length ? sealCursor(binding, [end]) : null);
}

/** Returns the position in the call's cursor, null for the first page, or a refusal for a cursor of another list. */
function readPosition(call: Call, binding: string): { after: Rank | null } | { refusal: Refusal } {
  const cursor = call.query.cursor as string | undefined;
  if (cursor === undefined) return { after: null };
  const after = openCursor(binding, cursor);
  return after ? { after } : refuse("invalid_cursor");
}

function buildEnvelope(data: unknown[], next_cursor: string | null): Outcome {
  return succeed(200, { data, next_cursor, has_more: next_cursor !== null });
}

function readLimit(call: Call): number {
  const size = routes[call.route].operation["x-list"]?.size ?? "default_limit";
  return (call.query.limit as number | undefined) ?? contract.limits.page[size];
}
