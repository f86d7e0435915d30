import fc from "fast-check";
import type { CaseOutcome, DrawContext, Property, SystemUnderTest } from "../../../engine/property/property.js";
import { findObservationParameter, observationParameters, PAGE_LIMIT } from "../../statements/lists.js";
import { createInconclusive } from "../outcome.js";
import { findDifference } from "./difference.js";
import { isUnchanged, readRows } from "./listing.js";
import { drawFilters, drawLimit, type Filters, omitFilters, pickConformingFilters, readList } from "./queries.js";
import { createReadingFailure, createSequenceFailure } from "./reading-failures.js";

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
  const filters = status === undefined ? rest : pickConformingFilters(filterByStatus(rest, status));
  const query = { list: "observations" as const, filters };
  const whole = await readRows(sut, "observations", readList(query, { limit: PAGE_LIMIT }));
  if (!whole.ok) return createInconclusive(whole.why);
  const size = Math.max(limit, Math.ceil(whole.rows.length / 40));
  const part = await readRows(sut, "observations", readList(query, { order, limit: size }));
  if (!part.ok) return createInconclusive(part.why);
  const clauses = [clauseOf[order]];
  const mismatch = findDifference(whole.keys, part.keys);
  const moved = order === DEFAULT_ORDER && whole.keys.some((key, index) => key !== part.keys[index]);
  if (!mismatch && !moved) return { verdict: "passed", subjects: whole.rows.length + 1 };
  if (!(await isUnchanged(sut, "observations", whole))) return createInconclusive("the list changed while it was read");
  return mismatch
    ? createReadingFailure({ list: "observations", whole, part, before: [], clauses }, mismatch)
    : createSequenceFailure({ whole, part, before: [], clauses });
}

/** Returns the filters restricted to rows of one status, without filters that conflict with it. */
function filterByStatus(filters: Filters, status: string): Filters {
  const conflicts = (name: string) => {
    const { excludes: other, pairedWith = {} } = findObservationParameter(name);
    return other === "status" || "status" in pairedWith;
  };
  return { ...omitFilters(filters, conflicts), status };
}
