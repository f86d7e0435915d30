import { at } from "../../engine/execute/expect/pointer.js";
import { bodyJson, type WireResponse } from "../../engine/http/exchange.js";
import type { SystemUnderTest } from "../../engine/property/property.js";
import type { Step } from "../../engine/scenario/format.js";
import { isRecord } from "../../engine/scenario/interpolate.js";
import { type ListName, listStatement, PAGE_LIMIT } from "../statements/lists.js";
import { type Query, readList } from "./lists.js";

/** A list as it was read: its rows and their keys. */
export interface Listing {
  step: Step;
  rows: readonly Record<string, unknown>[];
  keys: readonly string[];
}

/** What could not be done, and why: the case then says nothing. */
export type ReadFailure = { ok: false; why: string };

/** Reads a list as a step says. An answer that is no page is nothing to compare. */
export async function readRows(
  sut: SystemUnderTest,
  list: ListName,
  step: Step,
): Promise<({ ok: true } & Listing) | ReadFailure> {
  const sent = await sut.send(step);
  if (!sent.ok) return { ok: false, why: sent.why };
  const rows = rowsOf(sent.response);
  if (!rows) return { ok: false, why: `${step.rest} answered ${sent.response.status} and no page` };
  return { ok: true, step, rows, keys: keysOf(list, rows) };
}

/** Whether a list still reads as it did, so that two readings in between can be compared. */
export async function isSteady(sut: SystemUnderTest, list: ListName, { step, rows }: Listing): Promise<boolean> {
  const again = await readRows(sut, list, step);
  return again.ok && outlines(list, again.rows) === outlines(list, rows);
}

/** What tells the rows of a list apart. */
export function keysOf(list: ListName, rows: readonly unknown[]): string[] {
  return rows.map((row) => JSON.stringify(at(row, listStatement(list).key)) ?? "");
}

/** A bound in time that falls exactly on a row of a list: the step that saves it as `{since}`. Undefined when no row shows a time. */
export async function sinceRow(sut: SystemUnderTest, query: Query, index: number): Promise<Step | undefined> {
  const step = readList(query, { limit: PAGE_LIMIT }, false);
  const listing = await readRows(sut, query.list, step);
  if (!listing.ok || listing.rows.length === 0) return undefined;
  const place = index % listing.rows.length;
  const field = latestTime(listing.rows[place] ?? {});
  if (field === undefined) return undefined;
  const saving: Step = { ...step, save: { since: `/data/${place}/${field}` } };
  const sent = await sut.send(saving);
  return sent.ok && sut.lookup("since") !== undefined ? saving : undefined;
}

/** The rows of a page; undefined for any other answer. */
export function rowsOf(response: WireResponse): Record<string, unknown>[] | undefined {
  const body = response.status === 200 ? bodyJson(response) : undefined;
  const data = body?.ok && isRecord(body.value) ? body.value.data : undefined;
  return Array.isArray(data) && data.every(isRecord) ? data : undefined;
}

/** Rows and their sequence by what the text names; other fields may be of the moment, such as an age. */
function outlines(list: ListName, rows: readonly Record<string, unknown>[]): string {
  const { fields } = listStatement(list);
  return JSON.stringify(rows.map((row) => (fields.length === 0 ? row : fields.map((field) => row[field]))));
}

/** The field of a row that holds its latest time, whatever the field is called. */
function latestTime(row: Record<string, unknown>): string | undefined {
  const times = Object.entries(row).filter(
    (pair): pair is [string, string] => typeof pair[1] === "string" && /^\d{4}-\d\d-\d\dT/.test(pair[1]),
  );
  return times.sort(([, a], [, b]) => Date.parse(b) - Date.parse(a))[0]?.[0];
}
