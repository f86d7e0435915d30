import fc from "fast-check";
import type { CaseOutcome, DrawContext, Property, SystemUnderTest } from "../../../engine/property/property.js";
import { observationParameter, observationParameters, PAGE_LIMIT } from "../../statements/lists.js";
import { inconclusive } from "../outcome.js";
import { difference } from "./difference.js";
import { isUnchanged, readRows } from "./listing.js";
import { conformingFilters, drawFilters, drawLimit, type Filters, readList, withoutFilters } from "./queries.js";
import { readingFailure, sequenceFailure } from "./reading-failures.js";

type Order = keyof (typeof observationParameters)["order"]["clauses"];

/** Filters of the list of observations, one order, and the page size. */
interface Case {
  base: Filters;
  order: Order;
  limit: number;
}

const { clauses: clauseOf, onlyForStatus }: { clauses: Record<Order, string>; onlyForStatus: Partial<Record<Order, string>> } =
  observationParameters.order;
/** The default order of a list. OBS-ORDER-DEFAULT. */
const DEFAULT_ORDER: Order = "recency";

/** OBS-ORDER-*: an order only changes the sequence of the rows; recency is the default sequence. */
export const listOrder: Property<Case> = {
  id: "list-order",
  title: "Every order returns the rows of the list once each, and recency is the default sequence",
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
  run: runCase,
};

async function runCase(sut: SystemUnderTest, { base, order, limit }: Case): Promise<CaseOutcome> {
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
  const mismatch = difference(whole.keys, part.keys);
  const moved = order === DEFAULT_ORDER && whole.keys.some((key, index) => key !== part.keys[index]);
  if (!mismatch && !moved) return { verdict: "passed", subjects: whole.rows.length + 1 };
  if (!(await isUnchanged(sut, "observations", whole))) return inconclusive("the list changed while it was read");
  return mismatch
    ? readingFailure({ list: "observations", whole, part, before: [], clauses }, mismatch)
    : sequenceFailure({ whole, part, before: [], clauses });
}

/** Returns the filters restricted to rows of one status, without filters that conflict with it. */
function ofStatus(filters: Filters, status: string): Filters {
  const conflicts = (name: string) => {
    const { excludes: other, pairedWith = {} } = observationParameter(name);
    return other === "status" || "status" in pairedWith;
  };
  return { ...withoutFilters(filters, conflicts), status };
}
