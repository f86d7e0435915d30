import { countSequenceRows, createSequence, insert, listRows, remove, reorder, type Sequence, visit } from "./sequence.js";
import type { Job, Observation, Repo, World } from "./world.js";

/** The tables that have paginated lists. */
export interface Rows {
  jobs: Job;
  observations: Observation;
  repos: Repo;
}
/** The name of such a table. */
export type Table = keyof Rows;

/** The sort key of a row, compared number by number, ascending. The last number is unique, so no two keys are equal. */
export type Rank = readonly number[];

/** An order of a table's rows. `name` is unique in the table. */
export interface Order<T extends Table> {
  name: string;
  rank(row: Rows[T]): Rank;
  /** Returns the bits of the filters that a row passes; the same in every order of a table. */
  filterBits?(row: Rows[T]): number;
}

/** A filtered, ordered list of one table. `name` is unique in the table. */
export interface View<T extends Table> {
  table: T;
  name: string;
  order: Order<T>;
  /**
   * Leaves out rows with this sort key or a later one. Not part of the name: views that differ only in `until` share their rows.
   */
  until?: Rank;
  /** Bits that every row of the view has. */
  filterBits?: number;
  includes(row: Rows[T]): boolean;
}

/** The sorted rows of a table that pass a test. */
interface Index<T extends Table> {
  rows: Sequence<Rows[T]>;
  rank(row: Rows[T]): Rank;
  includes(row: Rows[T]): boolean;
}

/** The indexes of a table, by name: all rows in each used order, and the rows of views that match few rows. */
interface Indexes<T extends Table> {
  orders: Map<string, Index<T>>;
  views: Map<string, Index<T>>;
}

type Tables = { [T in Table]: Readonly<Record<string, Rows[T]>> };

/** The most views kept for one table. The least recently used is dropped first. */
const maxViews = 128;

/** A page that needs more scanned rows than this gets its own index. */
const scanLimit = 20_000;

const indexesByWorld = new WeakMap<World, { [T in Table]: Indexes<T> }>();

/**
 * Returns up to `limit` rows of a view after a sort key, and whether more follow. The cost does not grow with the table: a view
 * that matches many rows is scanned, one that matches few gets an index at the first call.
 */
export function readPage<T extends Table>(
  world: World,
  view: View<T>,
  after: Rank | null,
  limit: number,
): { rows: Rows[T][]; more: boolean } {
  const find = (index: Index<T>) => scanRows(index, view, after, limit + 1);
  const rows = find(findView(world, view) ?? findOrder(world, view)) ?? find(materialize(world, view)) ?? [];
  return { rows: rows.slice(0, limit), more: rows.length > limit };
}

/** Returns the number of rows in a view. */
export function countRows<T extends Table>(world: World, view: View<T>): number {
  return countSequenceRows((findView(world, view) ?? materialize(world, view)).rows);
}

/** Inserts a new row into the indexes. */
export function insertIntoViews<T extends Table>(world: World, table: T, row: Rows[T]): void {
  for (const index of listAllIndexes(world, table)) move(index, row, null, readRank(index, row));
}

/**
 * Moves a changed row to its new position in the indexes. `before` is a copy of the row before the change. Every function that
 * modifies a listed row must end with this call.
 */
export function updateViews<T extends Table>(world: World, table: T, row: Rows[T], before: Rows[T]): void {
  for (const index of listAllIndexes(world, table)) {
    const [from, to] = [readRank(index, before), readRank(index, row)];
    if (from && to && compare(from, to) === 0 && index.rows.filterBits(before) === index.rows.filterBits(row)) continue; // the position is unchanged
    move(index, row, from, to);
  }
}

/** Removes a deleted row from the indexes. */
export function removeFromViews<T extends Table>(world: World, table: T, row: Rows[T]): void {
  for (const index of listAllIndexes(world, table)) move(index, row, readRank(index, row), null);
}

/** Drops every view of a table; the next page builds it again. For changes that touch thousands of rows and keep their order. */
export function clearViews(world: World, table: Table): void {
  findIndexes(world, table).views.clear();
}

/** Sorts a table ahead of the first page in this order. */
export function sortTable<T extends Table>(
  world: World,
  table: T,
  { name, rank, filterBits = noFilterBits }: Order<T>,
): Index<T> {
  const { orders } = findIndexes(world, table);
  const [other] = orders.values();
  const rows = other?.rows ?? createSequence(listTableRows(world, table), filterBits);
  const index: Index<T> = { rows: reorder(rows, sortPositions(rank, listRows(rows))), rank, includes: () => true };
  orders.set(name, index);
  return index;
}

/** Returns up to `max` rows of a view after a sort key, or null when the scan takes too long. */
function scanRows<T extends Table>(
  { rows }: Index<T>,
  { order: { rank }, until, filterBits = 0, includes }: View<T>,
  after: Rank | null,
  max: number,
): Rows[T][] | null {
  const found: Rows[T][] = [];
  let seen = 0;
  visit(
    rows,
    filterBits,
    (row) => after === null || compare(rank(row), after) > 0,
    (row) => {
      if (until && compare(rank(row), until) > 0) return false;
      if (includes(row)) found.push(row);
      return found.length < max && ++seen < scanLimit;
    },
  );
  return seen < scanLimit ? found : null;
}

function findView<T extends Table>(world: World, { table, name }: View<T>): Index<T> | undefined {
  const { views } = findIndexes(world, table);
  const index = views.get(name);
  // moves it to the end, as the most recently used
  if (index && views.delete(name)) views.set(name, index);
  return index;
}

function findOrder<T extends Table>(world: World, { table, order }: View<T>): Index<T> {
  return findIndexes(world, table).orders.get(order.name) ?? sortTable(world, table, order);
}

function materialize<T extends Table>(world: World, view: View<T>): Index<T> {
  const { views } = findIndexes(world, view.table);
  const { order, filterBits = 0, includes } = view;
  const rows: Rows[T][] = [];
  visit(
    findOrder(world, view).rows,
    filterBits,
    () => true,
    (row) => !includes(row) || rows.push(row) > 0,
  );
  const index: Index<T> = { rows: createSequence(rows, order.filterBits ?? noFilterBits), rank: order.rank, includes };
  views.set(view.name, index);
  for (const name of views.keys()) {
    if (views.size <= maxViews) break;
    views.delete(name);
  }
  return index;
}

function findIndexes<T extends Table>(world: World, table: T): Indexes<T> {
  let found = indexesByWorld.get(world);
  if (!found) {
    found = { jobs: createEmptyIndexes(), observations: createEmptyIndexes(), repos: createEmptyIndexes() };
    indexesByWorld.set(world, found);
  }
  return found[table];
}

function createEmptyIndexes<T extends Table>(): Indexes<T> {
  return { orders: new Map(), views: new Map() };
}

function listAllIndexes<T extends Table>(world: World, table: T): Index<T>[] {
  const { orders, views } = findIndexes(world, table);
  return [...orders.values(), ...views.values()];
}

function readRank<T extends Table>({ includes, rank }: Index<T>, row: Rows[T]): Rank | null {
  return includes(row) ? rank(row) : null;
}

function move<T extends Table>({ rows, rank }: Index<T>, row: Rows[T], from: Rank | null, to: Rank | null): void {
  // the row itself has changed already, but is still at its old position
  if (from) remove(rows, row, (other) => compare(other === row ? from : rank(other), from) >= 0);
  if (to) insert(rows, row, (other) => compare(rank(other), to) > 0);
}

/** Returns the rows of a table. This takes a third of the time of `Object.values` for a million rows. */
function listTableRows<T extends Table>(world: World, table: T): Rows[T][] {
  const rows: Tables[T] = (world as Tables)[table];
  return Object.keys(rows).map((id) => rows[id]!);
}

function noFilterBits(): number {
  return 0;
}

/**
 * Returns the positions of the rows in an order. Stores the sort keys in one typed array, because a million rows have no memory
 * for an object each.
 */
function sortPositions<Row>(rank: (row: Row) => Rank, rows: readonly Row[]): Uint32Array {
  const [first] = rows;
  const width = first ? rank(first).length : 0;
  const ranks = new Float64Array(rows.length * width);
  rows.forEach((row, place) => {
    ranks.set(rank(row), place * width);
  });
  const places = new Uint32Array(rows.length).map((_, place) => place);
  places.sort((a, b) => {
    for (let i = 0; i < width; i++) {
      const difference = ranks[a * width + i]! - ranks[b * width + i]!; // all sort keys have the same length
      if (difference !== 0) return difference;
    }
    return 0;
  });
  return places;
}

function compare(a: Rank, b: Rank): number {
  for (let i = 0; i < a.length; i++) {
    const difference = a[i]! - b[i]!; // sort keys of one order have the same length
    if (difference !== 0) return difference;
  }
  return 0;
}
