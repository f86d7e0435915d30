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
import type { Covers } from "../../engine/scenario/dimensions.js";
import type { Effect } from "../../engine/scenario/format.js";

/** One row of a table of pairs: a value of each of two dimensions. */
export interface PairRow {
  name: string;
  /** The clauses that it judges, and of what. */
  judges: readonly JudgedPoint[];
}

/** What trying a row came to: it is kept, and whether the answers were such that it is judged; or nothing can be said. */
export type RowOutcome = { verdict: "kept"; judged: boolean } | { verdict: "unsaid" | "inconclusive"; why: string } | Failure;

/** A table of which every row is tried, several in one environment. */
export interface PairTable<Row extends PairRow, Context> {
  id: string;
  title: string;
  /** What its rows are called in the coverage. */
  kind: string;
  needs: readonly string[];
  effects: readonly Effect[];
  /** Clauses that a failure may blame. */
  proves: readonly string[];
  rows: readonly Row[];
  /** Finds or makes what all rows need. */
  open(sut: SystemUnderTest): Promise<{ ok: true; context: Context } | { ok: false; why: string }>;
  tryRow(sut: SystemUnderTest, context: Context, row: Row): Promise<RowOutcome>;
}

/** Cases in which all rows of a table are tried. */
const CASES = 4;

/** The property that tries every row of a table, and of fewer cases a part by the seed. */
export function propertyOfTable<Row extends PairRow, Context>(table: PairTable<Row, Context>): Property<string[]> {
  const { id, title, needs, effects, proves, rows } = table;
  return {
    ...{ id, title, needs, effects, proves: [...new Set(proves)], runs: CASES, most: CASES },
    covers: coversOf(rows.flatMap(({ judges }) => judges)),
    coverageGuided: true,
    cases: (context) => drawRows(table, context),
    run: (sut, names) =>
      tryRows(
        sut,
        table,
        rows.filter(({ name }) => names.includes(name)),
      ),
  };
}

/** The rows that were tried in a run, whether anything could be said of them or not. */
const tried = new WeakMap<Coverage, Set<string>>();

/** Rows that lie together share what they need; those that were not tried yet come first. */
function drawRows({ kind, rows }: Pick<PairTable<PairRow, unknown>, "kind" | "rows">, { coverage }: DrawContext) {
  const names = rows.map(({ name }) => name);
  coverage.expect(kind, names);
  const before = tried.get(coverage) ?? new Set(names.filter((name) => coverage.visits(kind, name) > 0));
  tried.set(coverage, before);
  const unmet = names.filter((name) => !before.has(name));
  const left = unmet.length > 0 ? unmet : names;
  const size = Math.min(left.length, Math.ceil(names.length / CASES));
  const begin = unmet.length === names.length ? left.length - 1 : 0;
  return fc.nat(begin).map((start) => [...left.slice(start), ...left.slice(0, start)].slice(0, size));
}

async function tryRows<Row extends PairRow, Context>(
  sut: SystemUnderTest,
  { kind, open, tryRow }: PairTable<Row, Context>,
  rows: readonly Row[],
): Promise<CaseOutcome> {
  const opened = await open(sut);
  if (!opened.ok) return { verdict: "inconclusive", why: opened.why };
  const judged: JudgedPoint[] = [];
  let subjects = 0;
  let unsaid = "there was no row to try";
  for (const row of rows) {
    tried.get(sut.coverage)?.add(row.name);
    const outcome = await tryRow(sut, opened.context, row);
    if (outcome.verdict === "failed") return outcome;
    if (outcome.verdict !== "kept") {
      unsaid = `${row.name}: ${outcome.why}`;
      continue;
    }
    subjects += 1;
    sut.coverage.reach(kind, row.name);
    if (outcome.judged) judged.push(...row.judges);
  }
  return subjects > 0 ? { verdict: "passed", subjects, judged } : { verdict: "inconclusive", why: unsaid };
}

/** What points cover together: clause -> surface -> dimension -> values. */
function coversOf(points: readonly JudgedPoint[]): Record<string, Covers> {
  const covers: Record<string, Record<string, Record<string, string[]>>> = {};
  for (const { clause, surface, covers: values } of points) {
    const ofClause = covers[clause] ?? {};
    const reached = ofClause[surface] ?? {};
    for (const [dimension, value] of Object.entries(values))
      reached[dimension] = [...new Set([...(reached[dimension] ?? []), value])];
    covers[clause] = { ...ofClause, [surface]: reached };
  }
  return covers;
}
