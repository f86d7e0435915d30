import type { IncomingCall, Reply } from "../../src/service/call.js";
import { changing, each } from "./family.js";
import { type Mutant, withAnswer } from "./mutant.js";

/** Faults on last pages that hold so much of what they may. */
export const pageEndMutants: Mutant[] = [
  ...each("CURSOR-LAST", "page end", "promises more on a last page that is *", (end) =>
    changing(
      (reply, call) => endOf(reply, call) === end,
      (reply) => withAnswer(reply, { has_more: true }),
    ),
  ),
  ...each("CURSOR-LAST", "page end", "hands out a cursor on a last page that is *", (end) =>
    changing(
      (reply, call) => endOf(reply, call) === end,
      (reply) => withAnswer(reply, { next_cursor: "end" }),
    ),
  ),
];

function endOf({ body }: Reply, { query }: IncomingCall): string | undefined {
  const { data, has_more } = (body ?? {}) as { data?: unknown[]; has_more?: boolean };
  if (!data || has_more !== false) return undefined;
  if (query.cursor) return "after a full page";
  if (data.length === 0) return "empty";
  return data.length === Number(query.limit?.[0]) ? "full" : "in part full";
}
