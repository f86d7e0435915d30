import fc, { type Arbitrary } from "fast-check";

/** Valid strings that often cause errors in programs. */
const specialTexts: readonly string[] = [
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

/** Unpaired surrogates: JSON can escape them, UTF-8 cannot encode them. */
const unpairedSurrogates: readonly string[] = ["\ud800", "\udfff", "a\ud83d b"];

const SURROGATES = { from: 0xd800, count: 0x800 };

/** Draws any code point except surrogates. The equivalent unit of fast-check first builds a table for one second. */
export const anyCodePoint: Arbitrary<string> = fc.nat({ max: 0x10ffff - SURROGATES.count }).map(
  (index) => String.fromCodePoint(index < SURROGATES.from ? index : index + SURROGATES.count),
  (character) => findIndex(character),
);

/** Draws a text that may cause errors; it shrinks to a few characters. `withHalves` includes unpaired surrogates. */
export function drawHostileText(withHalves: boolean): Arbitrary<string> {
  return fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...specialTexts, ...(withHalves ? unpairedSurrogates : [])) },
    { weight: 1, arbitrary: fc.string({ unit: anyCodePoint, minLength: 1, maxLength: 30 }) },
    { weight: 1, arbitrary: fc.string({ unit: "grapheme", minLength: 1, maxLength: 30 }) },
  );
}

/** Returns a text of a number of code points, from one repeated character. */
export function repeatToLength(length: number, character = "x"): string {
  return character.repeat(length);
}

/** Returns the text, cut or padded to the limits of a field by every way of counting characters. */
export function fitText(
  text: string,
  { minLength = 0, maxLength = Number.POSITIVE_INFINITY }: { minLength?: number; maxLength?: number },
): string {
  let kept = "";
  for (const character of text) if (kept.length + character.length <= maxLength) kept += character;
  return kept + repeatToLength(Math.max(0, minLength - countGraphemes(kept)));
}

/** Returns whether a text has only visible characters, and none at its ends that a server may trim. */
export function isPrintable(text: string): boolean {
  return /^[^\p{C}\p{Z}]([^\p{C}\p{Zl}\p{Zp}]*[^\p{C}\p{Z}])?$/u.test(text);
}

/** Returns whether a length is within limits by every way of counting (LIMIT-CODE-POINTS is open). */
export function isWithin(text: string, min: number, max: number): boolean {
  return countGraphemes(text) >= min && text.length <= max;
}

/** Returns whether a length is outside limits by every way of counting. */
export function isOutside(text: string, min: number, max: number): boolean {
  return text.length < min || countGraphemes(text) > max;
}

const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });

/** Counts the graphemes of a text: the smallest count. UTF-16 units are the largest. */
function countGraphemes(text: string): number {
  return [...graphemes.segment(text)].length;
}

function findIndex(character: unknown): number {
  if (typeof character !== "string" || [...character].length !== 1) throw new Error("one code point is needed");
  const point = character.codePointAt(0) ?? 0;
  return point < SURROGATES.from ? point : point - SURROGATES.count;
}
