import { countBefore } from "./lists.js";

/** Rows in an order, in blocks of a hundred or so, so that putting one in or taking one out moves few of the others. */
export interface Sequence<Row> {
  /** None is empty. */
  blocks: Block<Row>[];
  /** Says by bits what kinds of row a row is, up to 31 of them: many rows of the wrong kind are passed over without a look at them. */
  traits(row: Row): number;
}

interface Block<Row> {
  rows: Row[];
  /** The traits of each. */
  traits: number[];
}

/** Whether a row lies behind a place; in a sequence all behind such a row do too. */
export type Behind<Row> = (row: Row) => boolean;

/** Rows of a block when it is made. */
const usual = 64;
/** A block with more rows becomes two. */
const most = 2 * usual;

/** Makes a sequence of rows that are in order. */
export function sequenceOf<Row>(sorted: readonly Row[], traits: Sequence<Row>["traits"]): Sequence<Row> {
  const blocks: Block<Row>[] = [];
  for (let i = 0; i < sorted.length; i += usual) {
    const rows = sorted.slice(i, i + usual);
    blocks.push({ rows, traits: rows.map(traits) });
  }
  return { blocks, traits };
}

/** Brings the rows of a sequence in another order, told by their places; the traits of each are known already. */
export function reorder<Row>(sequence: Sequence<Row>, places: Uint32Array): Sequence<Row> {
  const rows = rowsOf(sequence);
  const traits = joined(sequence.blocks.map((block) => block.traits));
  const blocks: Block<Row>[] = [];
  for (let i = 0; i < places.length; i += usual) {
    const here = [...places.subarray(i, i + usual)];
    blocks.push({ rows: here.map((place) => rows[place]!), traits: here.map((place) => traits[place]!) }); // each is a place of a row
  }
  return { ...sequence, blocks };
}

/** Puts a row in front of the first that lies behind its place. */
export function insert<Row>({ blocks, traits }: Sequence<Row>, row: Row, isBehind: Behind<Row>): void {
  const at = Math.min(blockOf(blocks, isBehind), Math.max(0, blocks.length - 1));
  const block = blocks[at] ?? { rows: [], traits: [] };
  blocks[at] = block;
  const place = countBefore(block.rows, isBehind);
  block.rows.splice(place, 0, row);
  block.traits.splice(place, 0, traits(row));
  if (block.rows.length <= most) return;
  blocks.splice(at + 1, 0, { rows: block.rows.splice(usual), traits: block.traits.splice(usual) });
}

/** Takes a row out, which is the first that lies behind the place. */
export function remove<Row>({ blocks }: Sequence<Row>, row: Row, isBehind: Behind<Row>): void {
  const near = blockOf(blocks, isBehind);
  // somebody may have written into rows that are listed, so that they are not in order any more
  const at = blocks[near]?.rows.includes(row) ? near : blocks.findIndex(({ rows }) => rows.includes(row));
  const block = blocks[at];
  if (!block) return;
  const place = block.rows.indexOf(row);
  block.rows.splice(place, 1);
  block.traits.splice(place, 1);
  if (block.rows.length === 0) blocks.splice(at, 1);
}

/** Shows the rows behind a place that have all of the traits, one after the other, for as long as more are wanted. */
export function visit<Row>(
  { blocks }: Sequence<Row>,
  wanted: number,
  isBehind: Behind<Row>,
  wantsMore: (row: Row) => boolean,
): void {
  const first = blockOf(blocks, isBehind);
  let place = countBefore(blocks[first]?.rows ?? [], isBehind);
  for (const { rows, traits } of blocks.slice(first)) {
    for (; place < rows.length; place++) {
      if ((traits[place]! & wanted) === wanted && !wantsMore(rows[place]!)) return; // both are as long
    }
    place = 0;
  }
}

/** All rows in their order. */
export function rowsOf<Row>({ blocks }: Sequence<Row>): Row[] {
  return joined(blocks.map(({ rows }) => rows));
}

/** How many rows there are. */
export function sizeOf({ blocks }: Sequence<unknown>): number {
  return blocks.reduce((sum, { rows }) => sum + rows.length, 0);
}

/** The entries of all lists; of a million `flat` takes a second. */
function joined<Entry>(lists: readonly Entry[][]): Entry[] {
  const found: Entry[] = [];
  for (const list of lists) for (const entry of list) found.push(entry);
  return found;
}

/** The first block whose last row lies behind the place. */
function blockOf<Row>(blocks: readonly Block<Row>[], isBehind: Behind<Row>): number {
  return countBefore(blocks, ({ rows }) => isBehind(rows[rows.length - 1]!)); // no block is empty
}
