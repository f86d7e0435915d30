import type { RouteName } from "../../contract/types.js";
import type { IncomingCall } from "../../service/call.js";
import { readPlainCursor } from "./cursors.js";
import { createCallDraws, type VariedCall } from "./variations.js";

/** Number of rows on a page of a list whose shape the contract does not show. */
const fewRows = 3;

/** The lists whose page size the contract does not show. PAGE-LISTS-UNSHOWN. */
const unshown: ReadonlySet<RouteName> = new Set<RouteName>([
  "GET /api/repos/{owner}/{repo}/{branch}/discovery",
  "GET /api/repos/{owner}/{repo}/{branch}/fix-prs",
  "GET /api/repos/{owner}/{repo}/{branch}/forecasts",
]);

/** Returns the call with the cursor in the service's form. It can shorten a list whose page size the contract leaves open. */
export function readVaried(call: VariedCall, incomingCall: IncomingCall): IncomingCall {
  const { query, target } = incomingCall;
  const cursors = query.cursor?.map(readPlainCursor);
  const isUnshown = typeof target === "object" && "route" in target && unshown.has(target.route) && query.limit === undefined;
  const isShort = isUnshown && createCallDraws(call, "page-sizes") !== null;
  if (isShort) call.applied.push("page-sizes");
  if (!cursors && !isShort) return incomingCall;
  const changes = { ...(cursors && { cursor: cursors }), ...(isShort && { limit: [String(fewRows)] }) };
  return { ...incomingCall, query: Object.assign(Object.create(null), query, changes) };
}
