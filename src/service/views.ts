import type { Job, Observation, Repo, World } from "./world.js";

/** The tables that are listed page by page. */
interface Rows {
  jobs: Job;
  observations: Observation;
  repos: Repo;
}
type Table = keyof Rows;

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

interface Entry {
  rank: Rank;
  id: string;
  /** A row is changed in place, so this is always the row of that id. */
  row: Rows[Table];
}

interface Materialised {
  view: View<Table>;
  /** Sorted by rank. */
  entries: Entry[];
  /** The rank that each id was entered under; made when a row first changes. */
  rankOf: Map<string, Rank> | null;
}

/** How many views a world keeps of one table; the least recently asked goes first. */
const kept = 128;

const materialised = new WeakMap<World, Record<Table, Map<string, Materialised>>>();

/** At most `limit` rows of a view behind a rank, and whether more follow. The cost does not depend on how many rows there are. */
export function page<T extends Table>(
  world: World,
  view: View<T>,
  after: Rank | null,
  limit: number,
): { rows: Rows[T][]; more: boolean } {
  const { entries } = materialise(world, view);
  const start = after ? firstBehind(entries, after) : 0;
  const end = view.until ? firstBehind(entries, view.until) : entries.length;
  const rows = entries.slice(start, Math.min(start + limit, end)).map((entry) => entry.row as Rows[T]);
  return { rows, more: start + limit < end };
}

/** How many rows a view has. */
export function count<T extends Table>(world: World, view: View<T>): number {
  return materialise(world, view).entries.length;
}

/** Brings the views in line after a row was added or changed. Every function that writes a listed row ends with this. */
export function touch<T extends Table>(world: World, table: T, id: string): void {
  const row = world[table][id] as Rows[Table] | undefined;
  for (const view of materialised.get(world)?.[table].values() ?? []) {
    remove(view, id);
    if (row && view.view.holds(row as never)) insert(view, { rank: view.view.rank(row as never), id, row });
  }
}

/** Lets go of every view of a table, to be built anew when asked for: cheaper than `touch` where thousands of rows change at once. */
export function forget(world: World, table: Table): void {
  materialised.get(world)?.[table].clear();
}

function materialise<T extends Table>(world: World, view: View<T>): Materialised {
  const views = viewsOf(world)[view.table];
  let found = views.get(view.name);
  if (found) views.delete(view.name);
  else found = build(world, view as unknown as View<Table>);
  views.set(view.name, found);
  if (views.size > kept) views.delete(views.keys().next().value!);
  return found;
}

function viewsOf(world: World): Record<Table, Map<string, Materialised>> {
  let views = materialised.get(world);
  if (!views) {
    views = { jobs: new Map(), observations: new Map(), repos: new Map() };
    materialised.set(world, views);
  }
  return views;
}

function build(world: World, view: View<Table>): Materialised {
  const entries = view.order === undefined ? sort(world, view) : narrow(world, view, view.order);
  return { view, entries, rankOf: null };
}

function sort(world: World, view: View<Table>): Entry[] {
  const entries: Entry[] = [];
  for (const [id, row] of Object.entries(world[view.table])) {
    if (view.holds(row as never)) entries.push({ rank: view.rank(row as never), id, row });
  }
  return entries.sort((a, b) => compare(a.rank, b.rank));
}

function narrow(world: World, { table, holds, rank }: View<Table>, order: string): Entry[] {
  const everything: View<Table> = { table, name: `everything by ${order}`, holds: () => true, rank };
  return materialise(world, everything).entries.filter((entry) => holds(entry.row as never));
}

function remove(view: Materialised, id: string): void {
  const ranks = ranksOf(view);
  const rank = ranks.get(id);
  if (!rank) return;
  view.entries.splice(firstBehind(view.entries, rank) - 1, 1);
  ranks.delete(id);
}

function insert(view: Materialised, entry: Entry): void {
  view.entries.splice(firstBehind(view.entries, entry.rank), 0, entry);
  ranksOf(view).set(entry.id, entry.rank);
}

function ranksOf(view: Materialised): Map<string, Rank> {
  view.rankOf ??= new Map(view.entries.map((entry) => [entry.id, entry.rank]));
  return view.rankOf;
}

/** The first position whose rank is greater. */
function firstBehind(entries: Entry[], rank: Rank): number {
  let low = 0;
  let high = entries.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compare(entries[middle]!.rank, rank) <= 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

function compare(a: Rank, b: Rank): number {
  for (let i = 0; i < a.length; i++) {
    const difference = a[i]! - b[i]!;
    if (difference !== 0) return difference;
  }
  return 0;
}
