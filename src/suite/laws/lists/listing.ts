import { parseBodyJson, resolvePointer, type WireResponse } from "../../../engine/http/exchange.js";
import type { SystemUnderTest } from "../../../engine/property/property.js";
import type { Step } from "../../../engine/scenario/format.js";
import { isRecord } from "../../../engine/scenario/interpolate.js";
import { findListStatement, type ListName, PAGE_LIMIT } from "../../statements/lists.js";
import { type Query, readList } from "./queries.js";

/** A list as it was read: its rows and their keys. */
export interface Listing {
  step: Step;
  rows: readonly Record<string, unknown>[];
  keys: readonly string[];
}

/** Why a list could not be read. The case is then inconclusive. */
export type ReadFailure = { ok: false; why: string };

/** Reads a list with a step; fails when the response is not a page. */
export async function readRows(
  sut: SystemUnderTest,
  list: ListName,
  step: Step,
): Promise<({ ok: true } & Listing) | ReadFailure> {
  const sent = await sut.send(step);
  if (!sent.ok) return { ok: false, why: sent.why };
  const rows = readListRows(sent.response);
  if (!rows) return { ok: false, why: `${step.rest} returned status ${sent.response.status} instead of a page` };
  return { ok: true, step, rows, keys: listKeys(list, rows) };
}

/** Returns whether a list is unchanged since it was read, so that readings in between can be compared. */
export async function isUnchanged(sut: SystemUnderTest, list: ListName, { step, rows }: Listing): Promise<boolean> {
  const again = await readRows(sut, list, step);
  return again.ok && outlineRows(list, again.rows) === outlineRows(list, rows);
}

/** Returns the keys of rows. */
export function listKeys(list: ListName, rows: readonly unknown[]): string[] {
  return rows.map((row) => JSON.stringify(resolvePointer(row, findListStatement(list).key)) ?? "");
}

/** Returns the step that saves the time of a row as `{since}`; undefined when the row shows no time. */
export async function saveSince(sut: SystemUnderTest, query: Query, index: number): Promise<Step | undefined> {
  const step = readList(query, { limit: PAGE_LIMIT }, false);
  const listing = await readRows(sut, query.list, step);
  if (!listing.ok || listing.rows.length === 0) return undefined;
  const place = index % listing.rows.length;
  const field = findLatestTime(listing.rows[place] ?? {});
  if (field === undefined) return undefined;
  const saving: Step = { ...step, save: { since: `/data/${place}/${field}` } };
  const sent = await sut.send(saving);
  return sent.ok && sut.lookup("since") !== undefined ? saving : undefined;
}

/** Returns the rows of a page; undefined for any other response. */
export function readListRows(response: WireResponse): Record<string, unknown>[] | undefined {
  const body = response.status === 200 ? parseBodyJson(response) : undefined;
  const data = body?.ok && isRecord(body.value) ? body.value.data : undefined;
  return Array.isArray(data) && data.every(isRecord) ? data : undefined;
}

/** Returns the order of rows by the fields that the contract names. Other fields may depend on the time, such as an age. */
function outlineRows(list: ListName, rows: readonly Record<string, unknown>[]): string {
  const { fields } = findListStatement(list);
  return JSON.stringify(rows.map((row) => (fields.length === 0 ? row : fields.map((field) => row[field]))));
}

/** Returns the field of a row with the latest time, because the contract does not name it. */
function findLatestTime(row: Record<string, unknown>): string | undefined {
  const times = Object.entries(row).filter(
    (pair): pair is [string, string] => typeof pair[1] === "string" && /^\d{4}-\d\d-\d\dT/.test(pair[1]),
  );
  return times.sort(([, a], [, b]) => Date.parse(b) - Date.parse(a))[0]?.[0];
}
