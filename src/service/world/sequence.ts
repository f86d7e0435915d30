import { findLowerBound } from "./arrays.js";

/** Sorted rows in blocks of about a hundred, so that an insertion or removal moves few rows. */
export interface Sequence<Row> {
  /** Contains no empty block. */
  blocks: Block<Row>[];
  /** Returns up to 31 bits, one for each filter that the row passes. `visit` skips rows without a required bit. */
  filterBits(row: Row): number;
}

interface Block<Row> {
  rows: Row[];
  /** The filter bits of each row. */
  filterBits: number[];
}

/** Tests whether a row lies after a position. Every later row passes too. */
export type PositionTest<Row> = (row: Row) => boolean;

/** The number of rows in a new block. */
const blockSize = 64;
/** A block with more rows is split in two. */
const maxBlockSize = 2 * blockSize;

/** Returns a sequence of rows that are already sorted. */
export function createSequence<Row>(sorted: readonly Row[], filterBits: Sequence<Row>["filterBits"]): Sequence<Row> {
  const blocks: Block<Row>[] = [];
  for (let i = 0; i < sorted.length; i += blockSize) {
    const rows = sorted.slice(i, i + blockSize);
    blocks.push({ rows, filterBits: rows.map(filterBits) });
  }
  return { blocks, filterBits };
}

/** Returns the sequence in another order, given as positions. Reuses the known filter bits. */
export function reorder<Row>(sequence: Sequence<Row>, places: Uint32Array): Sequence<Row> {
  const rows = listRows(sequence);
  const filterBits = joinLists(sequence.blocks.map((block) => block.filterBits));
  const blocks: Block<Row>[] = [];
  for (let i = 0; i < places.length; i += blockSize) {
    const here = [...places.subarray(i, i + blockSize)];
    blocks.push({ rows: here.map((place) => rows[place]!), filterBits: here.map((place) => filterBits[place]!) }); // every position is a valid index
  }
  return { ...sequence, blocks };
}

/** Inserts a row before the first row that lies after its position. */
export function insert<Row>({ blocks, filterBits }: Sequence<Row>, row: Row, isBehind: PositionTest<Row>): void {
  const at = Math.min(findBlock(blocks, isBehind), Math.max(0, blocks.length - 1));
  const block = blocks[at] ?? { rows: [], filterBits: [] };
  blocks[at] = block;
  const place = findLowerBound(block.rows, isBehind);
  block.rows.splice(place, 0, row);
  block.filterBits.splice(place, 0, filterBits(row));
  if (block.rows.length <= maxBlockSize) return;
  blocks.splice(at + 1, 0, { rows: block.rows.splice(blockSize), filterBits: block.filterBits.splice(blockSize) });
}

/** Removes a row, which is the first row after the position. */
export function remove<Row>({ blocks }: Sequence<Row>, row: Row, isBehind: PositionTest<Row>): void {
  const near = findBlock(blocks, isBehind);
  // a row modified without `updateViews` can break the order, so search every block
  const at = blocks[near]?.rows.includes(row) ? near : blocks.findIndex(({ rows }) => rows.includes(row));
  const block = blocks[at];
  if (!block) return;
  const place = block.rows.indexOf(row);
  block.rows.splice(place, 1);
  block.filterBits.splice(place, 1);
  if (block.rows.length === 0) blocks.splice(at, 1);
}

/** Passes the rows after a position that have all the bits to `wantsMore`, until it returns false. */
export function visit<Row>(
  { blocks }: Sequence<Row>,
  wanted: number,
  isBehind: PositionTest<Row>,
  wantsMore: (row: Row) => boolean,
): void {
  const first = findBlock(blocks, isBehind);
  let place = findLowerBound(blocks[first]?.rows ?? [], isBehind);
  for (const { rows, filterBits } of blocks.slice(first)) {
    for (; place < rows.length; place++) {
      if ((filterBits[place]! & wanted) === wanted && !wantsMore(rows[place]!)) return; // both arrays have the same length
    }
    place = 0;
  }
}

/** Returns all rows in order. */
export function listRows<Row>({ blocks }: Sequence<Row>): Row[] {
  return joinLists(blocks.map(({ rows }) => rows));
}

/** Returns the number of rows. */
export function countSequenceRows({ blocks }: Sequence<unknown>): number {
  return blocks.reduce((sum, { rows }) => sum + rows.length, 0);
}

/** Returns the entries of all lists. `flat` takes a second for a million entries. */
function joinLists<Entry>(lists: readonly Entry[][]): Entry[] {
  const found: Entry[] = [];
  for (const list of lists) for (const entry of list) found.push(entry);
  return found;
}

/** Returns the index of the first block whose last row lies after the position. */
function findBlock<Row>(blocks: readonly Block<Row>[], isBehind: PositionTest<Row>): number {
  return findLowerBound(blocks, ({ rows }) => isBehind(rows[rows.length - 1]!)); // no block is empty
}
