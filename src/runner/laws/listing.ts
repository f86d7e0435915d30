import { at } from "../expect/pointer.js";
import type { Scene } from "../property/property.js";
import type { Step } from "../scenario/format.js";
import { isRecord } from "../scenario/interpolate.js";
import { bodyJson, type WireResponse } from "../wire/exchange.js";
import { LISTS, type ListName, type Query, readList } from "./lists.js";

/** A list as it was read: its rows and their keys. */
export interface Listing {
  step: Step;
  rows: readonly Record<string, unknown>[];
  keys: readonly string[];
}

/** What could not be done, and why: the case then says nothing. */
export type Unread = { ok: false; why: string };

/** Reads a list as a step says. An answer that is no page is nothing to compare. */
export async function readRows(scene: Scene, list: ListName, step: Step): Promise<({ ok: true } & Listing) | Unread> {
  const sent = await scene.send(step);
  if (!sent.ok) return { ok: false, why: sent.why };
  const rows = rowsOf(sent.response);
  if (!rows) return { ok: false, why: `${step.rest} answered ${sent.response.status} and no page` };
  return { ok: true, step, rows, keys: keysOf(list, rows) };
}

/** Whether a list still reads as it did, so that two readings in between can be compared. */
export async function isSteady(scene: Scene, list: ListName, { step, rows }: Listing): Promise<boolean> {
  const again = await readRows(scene, list, step);
  return again.ok && outlines(list, again.rows) === outlines(list, rows);
}

/** What tells the rows of a list apart. */
export function keysOf(list: ListName, rows: readonly unknown[]): string[] {
  return rows.map((row) => JSON.stringify(at(row, LISTS[list].id)) ?? "");
}

/** A bound in time that falls exactly on a row of a list: the step that saves it as `{since}`. Undefined when no row shows a time. */
export async function sinceRow(scene: Scene, query: Query, index: number): Promise<Step | undefined> {
  const step = readList(query, { limit: 200 }, false);
  const listing = await readRows(scene, query.list, step);
  if (!listing.ok || listing.rows.length === 0) return undefined;
  const place = index % listing.rows.length;
  const field = latestTime(listing.rows[place] ?? {});
  if (field === undefined) return undefined;
  const saving: Step = { ...step, save: { since: `/data/${place}/${field}` } };
  const sent = await scene.send(saving);
  return sent.ok && scene.look("since") !== undefined ? saving : undefined;
}

/** The rows of a page; undefined for any other answer. */
export function rowsOf(response: WireResponse): Record<string, unknown>[] | undefined {
  const body = response.status === 200 ? bodyJson(response) : undefined;
  const data = body?.ok && isRecord(body.value) ? body.value.data : undefined;
  return Array.isArray(data) && data.every(isRecord) ? data : undefined;
}

/** Rows and their sequence by what the text names; other fields may be of the moment, such as an age. */
function outlines(list: ListName, rows: readonly Record<string, unknown>[]): string {
  const { fields } = LISTS[list];
  return JSON.stringify(rows.map((row) => (fields.length === 0 ? row : fields.map((field) => row[field]))));
}

/** The field of a row that holds its latest time, whatever the field is called. */
function latestTime(row: Record<string, unknown>): string | undefined {
  const times = Object.entries(row).filter(
    (pair): pair is [string, string] => typeof pair[1] === "string" && /^\d{4}-\d\d-\d\dT/.test(pair[1]),
  );
  return times.sort(([, a], [, b]) => Date.parse(b) - Date.parse(a))[0]?.[0];
}
