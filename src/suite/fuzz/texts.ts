import fc, { type Arbitrary } from "fast-check";

/** Strings that programs have stumbled over, each a harmless text by itself. */
const hostile: readonly string[] = [
  "\u0000",
  "a\u0000b",
  "\u0001\u0008\u001b[31m\u007f",
  "\r\nset-cookie: a=b",
  "line one\nline two\tand a tab",
  "\u202eright to left\u202c",
  "مرحبا بالعالم",
  "😀",
  "👩‍👩‍👧‍👦",
  "𝔘𝔫𝔦𝔠𝔬𝔡𝔢",
  "\ufffe\uffff",
  "\ufeffmark",
  "e\u0301\u0301\u0301",
  "\u{10ffff}",
  "{}",
  '{"a":{"b":[1,null]}}',
  '"quoted"',
  "\\u0000\\",
  "null",
  "undefined",
  "NaN",
  "-1",
  "1e400",
  "true",
  "' OR '1'='1'; DROP TABLE observations; --",
  "<script>alert(1)</script>",
  "<!DOCTYPE a [<!ENTITY b SYSTEM 'file:///etc/passwd'>]>",
  "{{7*7}}$\u007b7*7}<%= 7*7 %>",
  "$(id) `id` | id; id",
  "../../../../etc/passwd",
  "%00%0d%0a%2e%2e%2f",
  "%s%n%x",
  "__proto__",
  "constructor",
  "toString",
  "valueOf",
  "=cmd|' /C calc'!A0",
];

/** Halves of surrogate pairs: JSON can spell them, UTF-8 cannot. */
const halves: readonly string[] = ["\ud800", "\udfff", "a\ud83d b"];

const HALVES = { from: 0xd800, count: 0x800 };

/** Draws any code point that is no half of a pair. fast-check's own unit of this kind draws the same, after a second of making a table of them all. */
export const anyCodePoint: Arbitrary<string> = fc.nat({ max: 0x10ffff - HALVES.count }).map(
  (index) => String.fromCodePoint(index < HALVES.from ? index : index + HALVES.count),
  (character) => indexOf(character),
);

/** Draws text that may break something; it shrinks to a few characters. `withHalves` for places that can hold them. */
export function hostileText(withHalves: boolean): Arbitrary<string> {
  return fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...hostile, ...(withHalves ? halves : [])) },
    { weight: 1, arbitrary: fc.string({ unit: anyCodePoint, minLength: 1, maxLength: 30 }) },
    { weight: 1, arbitrary: fc.string({ unit: "grapheme", minLength: 1, maxLength: 30 }) },
  );
}

/** A text of so many code points, made of one character over and over. */
export function ofLength(length: number, character = "x"): string {
  return character.repeat(length);
}

/** The text with letters behind it up to the length that a field asks for, and no more characters than it takes, by any way of counting. */
export function fitted(
  text: string,
  { minLength = 0, maxLength = Number.POSITIVE_INFINITY }: { minLength?: number; maxLength?: number },
): string {
  let kept = "";
  for (const character of text) if (kept.length + character.length <= maxLength) kept += character;
  return kept + ofLength(Math.max(0, minLength - fewest(kept)));
}

/** Whether a text has nothing but characters that show, and none at its ends that a server may trim. */
export function isPrintable(text: string): boolean {
  return /^[^\p{C}\p{Z}]([^\p{C}\p{Zl}\p{Zp}]*[^\p{C}\p{Z}])?$/u.test(text);
}

/** Whether a length is within bounds by every way of counting (LIMIT-CODE-POINTS is not said, so only what all say is). */
export function isWithin(text: string, min: number, max: number): boolean {
  return fewest(text) >= min && text.length <= max;
}

/** Whether a length is out of bounds by every way of counting. */
export function isOutside(text: string, min: number, max: number): boolean {
  return text.length < min || fewest(text) > max;
}

const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });

/** The characters of a text as people see them, which is the fewest that anybody counts; UTF-16 units are the most. */
function fewest(text: string): number {
  return [...graphemes.segment(text)].length;
}

function indexOf(character: unknown): number {
  if (typeof character !== "string" || [...character].length !== 1) throw new Error("one code point is needed");
  const point = character.codePointAt(0) ?? 0;
  return point < HALVES.from ? point : point - HALVES.count;
}
