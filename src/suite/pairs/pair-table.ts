import fc from "fast-check";
import type { Coverage } from "../../engine/property/coverage.js";
import type {
  CaseOutcome,
  DrawContext,
  Failure,
  JudgedPoint,
  Property,
  SystemUnderTest,
} from "../../engine/property/property.js";
import type { Effect } from "../../engine/scenario/format.js";
import { groupCovers } from "../laws/limits/judged-points.js";

/** A row of a table of pairs: a value of each of two dimensions. */
export interface PairRow {
  name: string;
  /** The points that the row judges. */
  judges: readonly JudgedPoint[];
}

/** The result of a row: passed (`judged` states whether the responses were sufficient for its points), inconclusive or failed. */
export type RowOutcome = { verdict: "passed"; judged: boolean } | { verdict: "inconclusive"; why: string } | Failure;

/** A table of rows, of which one environment tries several. */
export interface PairTable<Row extends PairRow, Context> {
  id: string;
  title: string;
  /** Coverage kind of the rows. */
  kind: string;
  needs: readonly string[];
  effects: readonly Effect[];
  /** Clauses that a failure may name. */
  proves: readonly string[];
  rows: readonly Row[];
  /** Finds or creates what all rows need. */
  open(sut: SystemUnderTest): Promise<{ ok: true; context: Context } | { ok: false; why: string }>;
  tryRow(sut: SystemUnderTest, context: Context, row: Row): Promise<RowOutcome>;
}

/** Number of cases that try all rows of a table. */
const CASES_PER_RUN = 4;

/** Returns the property that tries every row of a table. A run with fewer cases tries a part of them. */
export function createTableProperty<Row extends PairRow, Context>(table: PairTable<Row, Context>): Property<string[]> {
  const { id, title, needs, effects, proves, rows } = table;
  return {
    ...{ id, title, needs, effects, proves: [...new Set(proves)], runs: CASES_PER_RUN, max: CASES_PER_RUN },
    covers: groupCovers(rows.flatMap(({ judges }) => judges)),
    coverageGuided: true,
    cases: (context) => drawRows(table, context),
    run: (sut, listNames) =>
      tryRows(
        sut,
        table,
        rows.filter(({ name }) => listNames.includes(name)),
      ),
  };
}

/** The rows that each run has tried, with any result. */
const triedRows = new WeakMap<Coverage, Set<string>>();

/** Draws consecutive rows, which share their needs; untried rows come first. */
function drawRows({ kind, rows }: Pick<PairTable<PairRow, unknown>, "kind" | "rows">, { coverage }: DrawContext) {
  const listNames = rows.map(({ name }) => name);
  coverage.expect(kind, listNames);
  const before = triedRows.get(coverage) ?? new Set(listNames.filter((name) => coverage.visits(kind, name) > 0));
  triedRows.set(coverage, before);
  const unmet = listNames.filter((name) => !before.has(name));
  const left = unmet.length > 0 ? unmet : listNames;
  const size = Math.min(left.length, Math.ceil(listNames.length / CASES_PER_RUN));
  const begin = unmet.length === listNames.length ? left.length - 1 : 0;
  return fc.nat(begin).map((start) => [...left.slice(start), ...left.slice(0, start)].slice(0, size));
}

async function tryRows<Row extends PairRow, Context>(
  sut: SystemUnderTest,
  { kind, open, tryRow }: PairTable<Row, Context>,
  rows: readonly Row[],
): Promise<CaseOutcome> {
  const result = await open(sut);
  if (!result.ok) return { verdict: "inconclusive", why: result.why };
  const judgedPoints: JudgedPoint[] = [];
  let subjects = 0;
  let why = "no row was tried";
  for (const row of rows) {
    triedRows.get(sut.coverage)?.add(row.name);
    const outcome = await tryRow(sut, result.context, row);
    if (outcome.verdict === "failed") return outcome;
    if (outcome.verdict !== "passed") {
      why = `${row.name}: ${outcome.why}`;
      continue;
    }
    subjects += 1;
    sut.coverage.reach(kind, row.name);
    if (outcome.judged) judgedPoints.push(...row.judges);
  }
  return subjects > 0 ? { verdict: "passed", subjects, judged: judgedPoints } : { verdict: "inconclusive", why };
}
