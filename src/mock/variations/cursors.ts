import { rebuildBody } from "./fields.js";
import type { VariationFunction } from "./variation.js";

/** A form of cursors: its encoder, and its decoder, which returns null for another form. */
interface Form {
  write(cursor: string): string;
  read(cursor: string): string | null;
}

const [long, signs] = [`v2:${"0".repeat(300)}:`, "+/=&%20#"];

const forms: readonly Form[] = [
  { write: (cursor) => long + cursor, read: (cursor) => (cursor.startsWith(long) ? cursor.slice(long.length) : null) },
  {
    write: (cursor) => reverseText(cursor) + signs,
    read: (cursor) => (cursor.endsWith(signs) ? reverseText(cursor.slice(0, -signs.length)) : null),
  },
  {
    write: (cursor) => `0x${Buffer.from(cursor).toString("hex")}`,
    read: (cursor) => (/^0x([0-9a-f]{2})*$/.test(cursor) ? Buffer.from(cursor.slice(2), "hex").toString() : null),
  },
];

/** Replaces the cursor of a page with another form of it. */
export const disguiseCursor: VariationFunction = (response, _, dice) => {
  const form = dice.pick(forms);
  return rebuildBody(response, (fields) =>
    form && "has_more" in fields && typeof fields.next_cursor === "string"
      ? { ...fields, next_cursor: form.write(fields.next_cursor) }
      : fields,
  );
};

/** Returns the service's own cursor for a cursor of any form. */
export function readPlainCursor(cursor: string): string {
  for (const form of forms) {
    const plain = form.read(cursor);
    if (plain !== null) return plain;
  }
  return cursor;
}

/** Returns whether this mock made a cursor, perhaps for another list. Such a cursor is a seal of 14 characters and a list of numbers. */
export function isSealed(cursor: string): boolean {
  try {
    const place: unknown = JSON.parse(Buffer.from(readPlainCursor(cursor), "base64url").toString().slice(14));
    return Array.isArray(place);
  } catch {
    return false;
  }
}

function reverseText(text: string): string {
  return Array.from(text).reverse().join("");
}
