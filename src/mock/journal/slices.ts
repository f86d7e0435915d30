import { jsonText } from "../../common/escape/visible.js";
import { isPlainObject } from "../../common/plain-object.js";

/** The number of items of one turn of the event loop. Reading one of the longest journal entries takes about five milliseconds. */
const itemsInTurn = 2;

/** Yields the items in turns of the event loop, two in each, so that the server answers other requests in between. */
export async function* inSlices<Item>(items: readonly Item[]): AsyncGenerator<Item> {
  for (const [index, item] of items.entries()) {
    if (index % itemsInTurn === 0) await new Promise<void>((resolve) => setImmediate(resolve));
    yield item;
  }
}

/** Returns a JSON value as text. Writes the items of its lists in turns of the event loop. */
export async function jsonInSlices(value: unknown): Promise<string> {
  const parts: string[] = [];
  if (Array.isArray(value)) {
    for await (const item of inSlices(value)) parts.push(jsonText(item));
    return `[${parts.join(",")}]`;
  }
  if (!isPlainObject(value)) return jsonText(value);
  for (const [name, part] of Object.entries(value))
    if (part !== undefined) parts.push(`${jsonText(name)}:${await jsonInSlices(part)}`);
  return `{${parts.join(",")}}`;
}
