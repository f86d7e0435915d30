import type { SystemUnderTest } from "../../../engine/property/property.js";
import type { Row, Step } from "../../../engine/scenario/format.js";
import type { RowOutcome } from "../../pairs/pair-table.js";
import { type DataTool, findToolData } from "../../statements/tool-data.js";
import { isUnchanged, type Listing } from "../lists/listing.js";
import { createFailure, createInconclusive } from "../outcome.js";
import { findDifferingField, nestAt, readToolRows, type ToolRows } from "./tool-rows.js";

type Fields = Readonly<Record<string, unknown>>;

/** A call of a tool that lists, and the same rows in REST. */
export interface ListComparison {
  tool: DataTool & ("list_observations" | "list_jobs");
  arguments: Row;
  /** Lists of REST, together with every row that the tool may show. */
  sources: readonly Listing[];
  /** The list of REST whose rows the tool must show, of those that `isRequired` accepts. */
  required: Listing;
  isRequired(row: Fields): boolean;
  /** Returns steps with `{row}` that prove that the filters exclude a row; undefined if they do not exclude it. */
  exclusion(row: Fields): readonly Step[] | undefined;
  /** The number of rows that the tool shows without filters: it shows a shorter list completely. 0 with a page size. */
  max: number;
}

/** The value of `{row}` as a whole word, because one id may be the beginning of another. */
export const ROW_PATTERN = "(^|[^A-Za-z0-9_-]){row}([^A-Za-z0-9_-]|$)";

/** Compares a list of a tool with lists of REST: no excluded row, no missing row, and equal fields. */
export async function compareList(sut: SystemUnderTest, read: ListComparison): Promise<RowOutcome> {
  const step: Step = { mcp: { tool: read.tool, arguments: read.arguments } };
  const sent = await sut.send(step);
  if (!sent.ok) return createInconclusive(sent.why);
  const toolRows = readToolRows(sent.response, findToolData(read.tool).key);
  if (!toolRows) return createInconclusive(`${read.tool} refuses its filters`);
  const failure =
    findStrangeRow(read, step, toolRows) ?? findMissingRow(read, step, toolRows) ?? findDifferingRow(read, step, toolRows);
  if (!failure) return { verdict: "passed", judged: true };
  const list = read.tool === "list_jobs" ? "jobs" : "observations";
  for (const source of read.sources)
    if (!(await isUnchanged(sut, list, source))) return createInconclusive("the list changed while it was read");
  return failure;
}

/** Finds a row that a filter excludes. Searches a text only for observations, because it may name other resources. */
function findStrangeRow({ tool, sources, exclusion }: ListComparison, step: Step, toolRows: ToolRows): RowOutcome | undefined {
  const { key, filterClause = "" } = findToolData(tool);
  if (toolRows.objects.length === 0 && tool === "list_jobs") return undefined;
  for (const source of sources)
    for (const row of source.rows) {
      const id = String(row[key]);
      const proof = toolRows.shows(id) ? exclusion(row) : undefined;
      if (!proof || (toolRows.objects.length === 0 && isMentioned(id, row, sources))) continue;
      return createFailure([filterClause], `${tool} with ${describe(step)} shows a row that a filter excludes`, [
        addSave(source, row, key),
        ...proof,
        { ...step, expect: { content: { not: { matches: ROW_PATTERN } } } },
      ]);
    }
  return undefined;
}

function findMissingRow(
  { tool, required, isRequired, max }: ListComparison,
  step: Step,
  toolRows: ToolRows,
): RowOutcome | undefined {
  const { key, clause, filterClause = clause } = findToolData(tool);
  const rows = required.rows.filter(isRequired);
  const row = toolRows.hasMore || rows.length > max / 2 ? undefined : rows.find((one) => !toolRows.shows(String(one[key])));
  const isFiltered = Object.keys(step.mcp?.arguments ?? {}).length > 0;
  return (
    row &&
    createFailure([isFiltered ? filterClause : clause], `${tool} with ${describe(step)} lacks a row that REST shows`, [
      addSave(required, row, key),
      { ...step, expect: { content: { matches: ROW_PATTERN } } },
    ])
  );
}

function findDifferingRow({ tool, sources }: ListComparison, step: Step, { objects }: ToolRows): RowOutcome | undefined {
  const data = findToolData(tool);
  const { key, clause } = data;
  for (const { path, value } of objects)
    for (const source of sources) {
      const row = source.rows.find((one) => one[key] === String(value[key]));
      const field = row && findDifferingField(data, row, value);
      if (!row || field === undefined) continue;
      return createFailure([clause], `${tool} shows another ${field} than REST`, [
        addSave(source, row, key, field),
        { ...step, expect: { result: nestAt(path, { [key]: "{row}", [field]: createExpected(row[field]) }) } },
      ]);
    }
  return undefined;
}

/** Returns the step of a list that saves the key of a row as `{row}`, and one of its fields as `{value}`. */
export function addSave({ step, rows }: Listing, row: Fields, key: string, field?: string): Step {
  const place = rows.indexOf(row);
  const isNull = field === undefined || (row[field] ?? null) === null;
  return { ...step, save: { row: `/data/${place}/${key}`, ...(!isNull && { value: `/data/${place}/${field}` }) } };
}

/** Returns the expectation of a field whose value is saved as `{value}`, or is absent. */
export function createExpected(value: unknown): unknown {
  return (value ?? null) === null ? { absentOrNull: true } : "{value}";
}

/** Returns whether another row names this one, for example in its description. */
function isMentioned(id: string, row: Fields, sources: readonly Listing[]): boolean {
  return sources.some(({ rows }) => rows.some((other) => other !== row && JSON.stringify(other).includes(id)));
}

function describe({ mcp }: Step): string {
  const given = Object.entries(mcp?.arguments ?? {}).map(([name, value]) => `${name}=${value}`);
  return given.length === 0 ? "no filter" : given.join(" and ");
}
