import { countBefore } from "./lists.js";
import type { Job, Observation, Repo, World } from "./world.js";

/** The tables that are listed page by page. */
export interface Rows {
  jobs: Job;
  observations: Observation;
  repos: Repo;
}
/** One of these tables. */
export type Table = keyof Rows;

/** Where a row stands in an order: compared number by number, ascending; the last number is the row's own, so no two are equal. */
export type Rank = readonly number[];

/** A filtered, ordered list of one table. `name` tells it from every other of its table. */
export interface View<T extends Table> {
  table: T;
  name: string;
  /** The name of its rank, where many views share one: they are then filtered from one sorted list, not sorted each. */
  order?: string;
  /** Rows ranked from here on are left out. Not part of the name: lists that differ in it alone share their rows. */
  until?: Rank;
  holds(row: Rows[T]): boolean;
  rank(row: Rows[T]): Rank;
}

interface Entry<T extends Table> {
  rank: Rank;
  id: string;
  /** A row is changed in place, so this is always the row of that id. */
  row: Rows[T];
}

/** A view that has been asked for, kept in line with its table. */
interface ViewIndex<T extends Table> {
  view: View<T>;
  /** Sorted by rank. */
  entries: Entry<T>[];
  /** The rank that each id was entered under; made when a row first changes. */
  rankOf: Map<string, Rank> | null;
}

type Tables = { [T in Table]: Readonly<Record<string, Rows[T]>> };
type Indexes = { [T in Table]: Map<string, ViewIndex<T>> };

/** How many views a world keeps of one table; the least recently asked goes first. */
const kept = 128;

const indexes = new WeakMap<World, Indexes>();

/** At most `limit` rows of a view behind a rank, and whether more follow. The cost does not depend on how many rows there are. */
export function page<T extends Table>(
  world: World,
  view: View<T>,
  after: Rank | null,
  limit: number,
): { rows: Rows[T][]; more: boolean } {
  const { entries } = indexOf(world, view);
  const start = after ? countUpTo(entries, after) : 0;
  const end = view.until ? countUpTo(entries, view.until) : entries.length;
  const rows = entries.slice(start, Math.min(start + limit, end)).map((entry) => entry.row);
  return { rows, more: start + limit < end };
}

/** How many rows a view has. */
export function count<T extends Table>(world: World, view: View<T>): number {
  return indexOf(world, view).entries.length;
}

/** Brings the views in line after a row was added or changed. Every function that writes a listed row ends with this. */
export function touch<T extends Table>(world: World, table: T, id: string): void {
  const rows: Tables = world;
  const row = rows[table][id];
  const views: Indexes[T] | undefined = indexes.get(world)?.[table];
  for (const index of views?.values() ?? []) {
    const before = ranksOf(index).get(id);
    const rank = row && index.view.holds(row) ? index.view.rank(row) : undefined;
    if (before && rank && compare(before, rank) === 0) continue; // it stays where it is
    if (before) remove(index, id, before);
    if (row && rank) insert(index, { rank, id, row });
  }
}

/** Lets go of every view of a table, to be built anew when asked for: cheaper than `touch` where thousands of rows change at once. */
export function forget(world: World, table: Table): void {
  indexes.get(world)?.[table].clear();
}

function indexOf<T extends Table>(world: World, view: View<T>): ViewIndex<T> {
  const views: Indexes[T] = indexesOf(world)[view.table];
  const index = views.get(view.name) ?? build(world, view);
  // behind all others, as the one asked for last
  views.delete(view.name);
  views.set(view.name, index);
  for (const name of views.keys()) {
    if (views.size <= kept) break;
    views.delete(name);
  }
  return index;
}

function indexesOf(world: World): Indexes {
  let found = indexes.get(world);
  if (!found) {
    found = { jobs: new Map(), observations: new Map(), repos: new Map() };
    indexes.set(world, found);
  }
  return found;
}

function build<T extends Table>(world: World, view: View<T>): ViewIndex<T> {
  const entries = view.order === undefined ? sort(world, view) : narrow(world, view, view.order);
  return { view, entries, rankOf: null };
}

function sort<T extends Table>(world: World, view: View<T>): Entry<T>[] {
  const tables: Tables = world;
  const rows: Readonly<Record<string, Rows[T]>> = tables[view.table];
  const entries: Entry<T>[] = [];
  for (const [id, row] of Object.entries(rows)) {
    if (view.holds(row)) entries.push({ rank: view.rank(row), id, row });
  }
  return entries.sort((a, b) => compare(a.rank, b.rank));
}

function narrow<T extends Table>(world: World, { table, holds, rank }: View<T>, order: string): Entry<T>[] {
  const everything: View<T> = { table, name: `everything by ${order}`, holds: () => true, rank };
  return indexOf(world, everything).entries.filter((entry) => holds(entry.row));
}

function remove<T extends Table>(index: ViewIndex<T>, id: string, rank: Rank): void {
  index.entries.splice(countUpTo(index.entries, rank) - 1, 1);
  ranksOf(index).delete(id);
}

function insert<T extends Table>(index: ViewIndex<T>, entry: Entry<T>): void {
  index.entries.splice(countUpTo(index.entries, entry.rank), 0, entry);
  ranksOf(index).set(entry.id, entry.rank);
}

function ranksOf<T extends Table>(index: ViewIndex<T>): Map<string, Rank> {
  index.rankOf ??= new Map(index.entries.map((entry) => [entry.id, entry.rank]));
  return index.rankOf;
}

/** How many entries rank at most so. */
function countUpTo<T extends Table>(entries: Entry<T>[], rank: Rank): number {
  return countBefore(entries, (entry) => compare(entry.rank, rank) > 0);
}

function compare(a: Rank, b: Rank): number {
  for (let i = 0; i < a.length; i++) {
    const x = a[i];
    const y = b[i];
    if (x !== undefined && y !== undefined && x !== y) return x - y;
  }
  return 0;
}
