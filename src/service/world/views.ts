import { insert, remove, reorder, rowsOf, type Sequence, sequenceOf, sizeOf, visit } from "./sequence.js";
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

/** An order of a table's rows. Its name tells it from every other of its table. */
export interface Order<T extends Table> {
  name: string;
  rank(row: Rows[T]): Rank;
  /** What kinds of row a row is, as bits; the same in every order of a table. */
  traits?(row: Rows[T]): number;
}

/** A filtered, ordered list of one table. `name` tells it from every other of its table. */
export interface View<T extends Table> {
  table: T;
  name: string;
  order: Order<T>;
  /** Rows ranked from here on are left out. Not part of the name: lists that differ in it alone share their rows. */
  until?: Rank;
  /** Traits of its order that each of its rows has. */
  traits?: number;
  holds(row: Rows[T]): boolean;
}

/** Rows of a table that are kept in an order: those that the test holds of. */
interface Index<T extends Table> {
  rows: Sequence<Rows[T]>;
  rank(row: Rows[T]): Rank;
  holds(row: Rows[T]): boolean;
}

/** What is kept beside a table, by name: all of its rows in each order asked for, and views that few of the rows are in. */
interface Indexes<T extends Table> {
  orders: Map<string, Index<T>>;
  views: Map<string, Index<T>>;
}

type Tables = { [T in Table]: Readonly<Record<string, Rows[T]>> };

/** How many views a world keeps of one table; the least recently asked goes first. */
const mostViews = 128;

/** A page that is not full after so many rows is of a view that is worth keeping. */
const patience = 20_000;

const kept = new WeakMap<World, { [T in Table]: Indexes<T> }>();

/**
 * At most `limit` rows of a view behind a rank, and whether more follow. The cost does not depend on how many rows there are: a view that
 * many rows are in is picked from the rows in their order, one that few are in is kept when first asked for.
 */
export function page<T extends Table>(
  world: World,
  view: View<T>,
  after: Rank | null,
  limit: number,
): { rows: Rows[T][]; more: boolean } {
  const find = (index: Index<T>) => pick(index, view, after, limit + 1);
  const rows = find(viewOf(world, view) ?? orderOf(world, view)) ?? find(keep(world, view)) ?? [];
  return { rows: rows.slice(0, limit), more: rows.length > limit };
}

/** How many rows a view has. */
export function count<T extends Table>(world: World, view: View<T>): number {
  return sizeOf((viewOf(world, view) ?? keep(world, view)).rows);
}

/** Puts a row that was added in its place in the lists. */
export function enter<T extends Table>(world: World, table: T, row: Rows[T]): void {
  for (const index of indexesIn(world, table)) move(index, row, null, rankIn(index, row));
}

/**
 * Gives a row that was changed its place in the lists anew; `before` is a copy of it as it was. Every function that writes a listed row
 * ends with this.
 */
export function change<T extends Table>(world: World, table: T, row: Rows[T], before: Rows[T]): void {
  for (const index of indexesIn(world, table)) {
    const [from, to] = [rankIn(index, before), rankIn(index, row)];
    if (from && to && compare(from, to) === 0 && index.rows.traits(before) === index.rows.traits(row)) continue; // it stays where it is
    move(index, row, from, to);
  }
}

/** Takes a row that was dropped out of the lists. */
export function leave<T extends Table>(world: World, table: T, row: Rows[T]): void {
  for (const index of indexesIn(world, table)) move(index, row, rankIn(index, row), null);
}

/** Lets go of every view of a table, to be kept anew when asked for: for changes of what thousands of rows are in, which leave their order. */
export function forget(world: World, table: Table): void {
  tableOf(world, table).views.clear();
}

/** Brings a table in an order before it is asked for. */
export function arrange<T extends Table>(world: World, table: T, { name, rank, traits = noTraits }: Order<T>): Index<T> {
  const { orders } = tableOf(world, table);
  const [other] = orders.values();
  const rows = other?.rows ?? sequenceOf(rowsIn(world, table), traits);
  const index: Index<T> = { rows: reorder(rows, placesBy(rank, rowsOf(rows))), rank, holds: () => true };
  orders.set(name, index);
  return index;
}

/** The rows of a view behind a rank, at most so many; null when that would take long. */
function pick<T extends Table>(
  { rows }: Index<T>,
  { order: { rank }, until, traits = 0, holds }: View<T>,
  after: Rank | null,
  most: number,
): Rows[T][] | null {
  const found: Rows[T][] = [];
  let seen = 0;
  visit(
    rows,
    traits,
    (row) => after === null || compare(rank(row), after) > 0,
    (row) => {
      if (until && compare(rank(row), until) > 0) return false;
      if (holds(row)) found.push(row);
      return found.length < most && ++seen < patience;
    },
  );
  return seen < patience ? found : null;
}

function viewOf<T extends Table>(world: World, { table, name }: View<T>): Index<T> | undefined {
  const { views } = tableOf(world, table);
  const index = views.get(name);
  // behind all others, as the one asked for last
  if (index && views.delete(name)) views.set(name, index);
  return index;
}

function orderOf<T extends Table>(world: World, { table, order }: View<T>): Index<T> {
  return tableOf(world, table).orders.get(order.name) ?? arrange(world, table, order);
}

function keep<T extends Table>(world: World, view: View<T>): Index<T> {
  const { views } = tableOf(world, view.table);
  const { order, traits = 0, holds } = view;
  const rows: Rows[T][] = [];
  visit(
    orderOf(world, view).rows,
    traits,
    () => true,
    (row) => !holds(row) || rows.push(row) > 0,
  );
  const index: Index<T> = { rows: sequenceOf(rows, order.traits ?? noTraits), rank: order.rank, holds };
  views.set(view.name, index);
  for (const name of views.keys()) {
    if (views.size <= mostViews) break;
    views.delete(name);
  }
  return index;
}

function tableOf<T extends Table>(world: World, table: T): Indexes<T> {
  let found = kept.get(world);
  if (!found) {
    found = { jobs: none(), observations: none(), repos: none() };
    kept.set(world, found);
  }
  return found[table];
}

function none<T extends Table>(): Indexes<T> {
  return { orders: new Map(), views: new Map() };
}

function indexesIn<T extends Table>(world: World, table: T): Index<T>[] {
  const { orders, views } = tableOf(world, table);
  return [...orders.values(), ...views.values()];
}

function rankIn<T extends Table>({ holds, rank }: Index<T>, row: Rows[T]): Rank | null {
  return holds(row) ? rank(row) : null;
}

function move<T extends Table>({ rows, rank }: Index<T>, row: Rows[T], from: Rank | null, to: Rank | null): void {
  // it has changed already, and stands where it stood
  if (from) remove(rows, row, (other) => compare(other === row ? from : rank(other), from) >= 0);
  if (to) insert(rows, row, (other) => compare(rank(other), to) > 0);
}

/** The rows of a table, of a million in a third of the time that `Object.values` takes. */
function rowsIn<T extends Table>(world: World, table: T): Rows[T][] {
  const rows: Tables[T] = (world as Tables)[table];
  return Object.keys(rows).map((id) => rows[id]!);
}

function noTraits(): number {
  return 0;
}

/** The places of rows in an order. Their ranks are worked out once and lie side by side: a million rows have no room for an object each. */
function placesBy<Row>(rank: (row: Row) => Rank, rows: readonly Row[]): Uint32Array {
  const [first] = rows;
  const width = first ? rank(first).length : 0;
  const ranks = new Float64Array(rows.length * width);
  rows.forEach((row, place) => {
    ranks.set(rank(row), place * width);
  });
  const places = new Uint32Array(rows.length).map((_, place) => place);
  places.sort((a, b) => {
    for (let i = 0; i < width; i++) {
      const difference = ranks[a * width + i]! - ranks[b * width + i]!; // every row has as many numbers
      if (difference !== 0) return difference;
    }
    return 0;
  });
  return places;
}

function compare(a: Rank, b: Rank): number {
  for (let i = 0; i < a.length; i++) {
    const difference = a[i]! - b[i]!; // ranks of one order are of one length
    if (difference !== 0) return difference;
  }
  return 0;
}
