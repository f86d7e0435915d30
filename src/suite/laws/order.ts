import fc from "fast-check";
import type { CaseOutcome, DrawContext, Property, SystemUnderTest } from "../../engine/property/property.js";
import { observationParameter, observationParameters, PAGE_LIMIT } from "../statements/lists.js";
import { blameReading, blameSequence, inconclusive } from "./blame.js";
import { isSteady, readRows } from "./listing.js";
import { conformingFilters, drawFilters, drawLimit, type Filters, readList, without } from "./lists.js";
import { difference } from "./rows.js";

type Order = keyof (typeof observationParameters)["order"]["clauses"];

/** The list of observations under some filters in one of the orders of the text, read in pages of some size. */
interface Case {
  base: Filters;
  order: Order;
  limit: number;
}

const { clauses: clauseOf, onlyForStatus }: { clauses: Record<Order, string>; onlyForStatus: Partial<Record<Order, string>> } =
  observationParameters.order;
/** The order that a list without one has. OBS-ORDER-DEFAULT. */
const USUAL: Order = "recency";

/** OBS-ORDER-*: an order puts the rows of a list in another sequence and changes nothing else; recency is the sequence without an order. */
export const ordersPermute: Property<Case> = {
  id: "orders-permute",
  title: "Every order gives the rows of the unordered list, each once; recency gives them in the same sequence",
  proves: Object.values(clauseOf),
  needs: [],
  effects: ["read"],
  runs: 30,
  cases: (context: DrawContext) =>
    fc.record({
      base: drawFilters(context),
      order: fc.constantFrom(...observationParameters.order.values),
      limit: drawLimit(),
    }),
  run: reorder,
};

async function reorder(sut: SystemUnderTest, { base, order, limit }: Case): Promise<CaseOutcome> {
  const { order: _, ...rest } = base;
  const status = onlyForStatus[order];
  const filters = status === undefined ? rest : conformingFilters(ofStatus(rest, status));
  const query = { list: "observations" as const, filters };
  const whole = await readRows(sut, "observations", readList(query, { limit: PAGE_LIMIT }));
  if (!whole.ok) return inconclusive(whole.why);
  const size = Math.max(limit, Math.ceil(whole.rows.length / 40));
  const part = await readRows(sut, "observations", readList(query, { order, limit: size }));
  if (!part.ok) return inconclusive(part.why);
  const clauses = [clauseOf[order]];
  const odd = difference(whole.keys, part.keys);
  const moved = order === USUAL && whole.keys.some((key, index) => key !== part.keys[index]);
  if (!odd && !moved) return { verdict: "passed", subjects: whole.rows.length + 1 };
  if (!(await isSteady(sut, "observations", whole))) return inconclusive("the list changed while it was read");
  return odd
    ? blameReading({ list: "observations", whole, part, before: [], clauses }, odd)
    : blameSequence({ whole, part, before: [], clauses });
}

/** The filters for rows of one status only, without those that have another say in it. */
function ofStatus(filters: Filters, status: string): Filters {
  const speaks = (name: string) => {
    const { excludes: other, pairedWith = {} } = observationParameter(name);
    return other === "status" || "status" in pairedWith;
  };
  return { ...without(filters, speaks), status };
}
