import { formatJson } from "../../common/escape/visible.js";
import { isPlainObject } from "../../common/plain-object.js";

/** A turn of the event loop ends after this many milliseconds of work, and after the item that it works on. */
const maxTurnMs = 10;

/** JSON in lists and objects down to this level is written in several parts. A row of a snapshot is on this level. */
const maxLevel = 3;

/** Length of a piece of JSON text in characters, and at most one part more. */
const pieceLength = 65_536;

/** The turn of the reader that asked last. Each reader has a turn alone, so that many readers stop other requests no longer than one. */
let lastTurn = Promise.resolve();

/** Yields the items in turns of the event loop, so that the server answers other requests in between. */
export async function* runInSlices<Item>(items: Iterable<Item>): AsyncGenerator<Item> {
  let begun = Number.NEGATIVE_INFINITY;
  for (const item of items) {
    if (performance.now() - begun > maxTurnMs) {
      await nextTurn();
      begun = performance.now();
    }
    yield item;
  }
}

/** Returns a JSON value as pieces of text in UTF-8. Writes them in turns of the event loop. */
export async function writeJsonInSlices(value: unknown): Promise<Buffer[]> {
  const pieces: Buffer[] = [];
  let text = "";
  for await (const part of runInSlices(getParts(value, 0))) {
    text += part;
    if (text.length < pieceLength) continue;
    pieces.push(Buffer.from(text));
    text = "";
  }
  return [...pieces, Buffer.from(text)];
}

/** Yields the parts of a JSON text in order. */
function* getParts(value: unknown, level: number): Generator<string> {
  if (Array.isArray(value) && level < maxLevel) {
    let before = "[";
    for (const item of value as unknown[]) {
      yield before;
      yield* getParts(item ?? null, level + 1);
      before = ",";
    }
    yield before === "[" ? "[]" : "]";
  } else if (isPlainObject(value) && !("toJSON" in value) && level < maxLevel) {
    let before = "{";
    for (const [name, part] of Object.entries(value)) {
      if (part === undefined) continue;
      yield `${before}${formatJson(name)}:`;
      yield* getParts(part, level + 1);
      before = ",";
    }
    yield before === "{" ? "{}" : "}";
  } else yield formatJson(value);
}

function nextTurn(): Promise<void> {
  lastTurn = lastTurn.then(() => new Promise((resolve) => setImmediate(resolve)));
  return lastTurn;
}
