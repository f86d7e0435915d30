import { escapeLine } from "../../common/escape/visible.js";
import type { Entry } from "./read-entry.js";

const pathWidth = 44;

/** Returns one line about a call for the terminal: time, caller, call, status and reason. */
export function formatCallLine(entry: Entry, world: string): string {
  const { at, request, route, role, status } = entry;
  const [method = "", path = ""] = request.split(" ", 2);
  const isTool = path.startsWith("/mcp/") && route !== null;
  const what = isTool ? `${path} ${route}` : path;
  const where = world === "default" ? "" : `${world}  `;
  return escapeLine(
    `${at.slice(11, 19)}  ${where}${method.padEnd(6)} ${what.padEnd(pathWidth)}  ${(role ?? "-").padEnd(8)}  ${status ?? "---"}  ${formatReason(entry)}`,
  );
}

function formatReason({ rule, fault, variations, forced, changes, unread, nearest, buckets }: Entry): string {
  const full = buckets.find(
    ({ requests_per_minute, after }) => rule.gate === "rate" && rule.code !== null && after >= requests_per_minute,
  );
  const parts = [
    fault && `fault ${fault}`,
    variations.length > 0 && `varied: ${variations.join(", ")}`,
    forced && "as the client preferred",
    rule.code,
    rule.clause,
    full && `bucket ${full.bucket} is full: ${full.after} of ${full.requests_per_minute}`,
    nearest[0] && `nearest: ${nearest[0]}`,
    ...changes.slice(0, 3).map(({ kind, id, to }) => `${kind} ${id} ${to}`),
    changes.length > 3 && `and ${changes.length - 3} more`,
    unread.length > 0 && `not read: ${unread.join(", ")}`,
  ];
  return parts.filter(Boolean).join("; ");
}
