import fc, { type Arbitrary } from "fast-check";
import { type Fault, type Place, pastBound, type Wrong } from "./fault.js";
import type { Fields, Schema } from "./operation.js";
import { fitted, hostileText, ofLength } from "./texts.js";

/** A value of every JSON type; no text that a lenient reader takes for a number, and no number that is one of several types. */
const samples: Readonly<Record<string, unknown>> = {
  string: "word",
  integer: 7,
  number: 7.5,
  boolean: true,
  array: ["word"],
  object: { word: 1 },
};

/** Characters of one, two and four bytes, one and two UTF-16 units. */
const characters = ["x", "é", "😀"];

/** Draws each way in which one field of a place can be wrong or at the edge of what it takes. */
export function fieldFaults(place: Place, { properties, required }: Fields): Arbitrary<Fault>[] {
  const missing = required.map((name) => fc.constant<Fault>({ kind: "missing", in: place, name }));
  const of = Object.entries(properties).flatMap(([name, schema]) => faultsOfField(place, name, schema, required.includes(name)));
  const extra = fc
    .constantFrom("no_such_field", "__proto__", "constructor", "limit[]", "Status", "x".repeat(200))
    .map((name): Fault => ({ kind: "extra", in: place, name, value: "word" }));
  return [...missing, ...of, extra];
}

/** Null is of another type where a field must be there; of one that may be left out it may say just that. */
function faultsOfField(place: Place, name: string, schema: Schema, isNeeded: boolean): Arbitrary<Fault>[] {
  const typed = place === "body" && typesOf(schema).length > 0;
  const nothing: [Wrong, unknown][] = isNeeded && typed ? [["type", null]] : [];
  const wrong = [...wrongValues(place, schema), ...nothing];
  const sorts = new Map(wrong.map((one) => [sortOf(one), wrong.filter((other) => sortOf(other) === sortOf(one))]));
  const odd = [...sorts.values()].map((alike) =>
    fc.constantFrom(...alike).map(([how, value]): Fault => ({ kind: "wrong", in: place, name, how, value })),
  );
  const words = wordsOf(schema);
  const bounds = [...edgeValues(schema).map((value) => [value]), ...(words.length > 0 ? [words] : [])];
  const edges = bounds.map((values) => {
    const drawn = fc.constantFrom(...values).map((value): Fault => ({ kind: "edge", in: place, name, value }));
    return shrinking(drawn, smaller(place, name, schema, values[0]));
  });
  return [...odd, ...edges, ...(isFreeText(schema) ? [freeText(place, name, schema)] : [])];
}

/** An arbitrary that tries one other value first when it shrinks: a text of a bound's length has no shorter one of its kind. */
function shrinking(drawn: Arbitrary<Fault>, first: Fault | undefined): Arbitrary<Fault> {
  if (!first) return drawn;
  // the library only falls back on what it might have drawn itself
  return fc.oneof({ withCrossShrink: true }, { weight: 1, arbitrary: fc.constant(first) }, { weight: 1000, arbitrary: drawn });
}

/** The shortest text that a field takes with the character of a longer one in it. */
function smaller(place: Place, name: string, schema: Schema, value: unknown): Fault | undefined {
  if (typeof value !== "string" || !isFreeText(schema)) return undefined;
  const [character = ""] = value;
  return { kind: "text", in: place, name, value: fitted(character, schema) };
}

/** Values that are wrong alike: in the same way, and as far from a bound. */
function sortOf([how, value]: [how: Wrong, value: unknown]): string {
  return `${how} ${pastBound(how, value)}`;
}

/** Values that are none of a schema, one thing wrong with each, by what is wrong. */
function wrongValues(place: Place, schema: Schema): [how: Wrong, value: unknown][] {
  const pick = withoutNull(schema);
  const types = typesOf(pick);
  // in a query everything is text: only a text that reads as nothing of the type is of another
  const other = place === "query" ? (types.includes("integer") ? ["word", "1e", "--1"] : []) : othersThan(types);
  return [
    ...other.map((value): [Wrong, unknown] => ["type", value]),
    ...wrongLengths(pick),
    ...wrongNumbers(pick),
    ...wrongWords(pick),
    ...(pick.items ? wrongValues(place, pick.items).map(([how, value]): [Wrong, unknown] => [how, [value]]) : []),
  ];
}

function othersThan(types: readonly string[]): unknown[] {
  if (types.length === 0) return [];
  const taken = (type: string) => types.includes(type) || (type === "integer" && types.includes("number"));
  return Object.entries(samples).flatMap(([type, value]) => (taken(type) ? [] : [value]));
}

/** A schema that takes null as well as one type, without the null: each server refuses that on grounds of its own. */
function withoutNull(schema: Schema): Schema {
  const [type, another] = typesOf(schema).filter((one) => one !== "null");
  return type !== undefined && another === undefined ? { ...schema, type } : schema;
}

function typesOf({ type }: Schema): string[] {
  return type === undefined ? [] : [type].flat();
}

function wrongLengths({ minLength, maxLength }: Schema): [Wrong, unknown][] {
  const short = minLength === undefined ? [] : [minLength - 1, 0];
  const long = maxLength === undefined ? [] : [maxLength + 1, maxLength * 2];
  return [
    ...short.flatMap((length) => characters.map((one): [Wrong, unknown] => ["short", ofLength(length, one)])),
    ...long.flatMap((length) => characters.map((one): [Wrong, unknown] => ["long", ofLength(length, one)])),
  ];
}

function wrongNumbers({ minimum, maximum, exclusiveMinimum, type }: Schema): [Wrong, unknown][] {
  const low = [
    ...(minimum === undefined ? [] : [minimum - 1, -1, -1000]),
    ...(exclusiveMinimum === undefined ? [] : [exclusiveMinimum, -0.5]),
  ];
  const high = maximum === undefined ? [] : [maximum + 1, maximum * 50];
  return [
    ...low.map((value): [Wrong, unknown] => ["low", value]),
    ...high.map((value): [Wrong, unknown] => ["high", value]),
    ...(type === "integer" ? [["type", 1.5] as [Wrong, unknown]] : []),
  ];
}

function wrongWords({ enum: words, format, pattern }: Schema): [Wrong, unknown][] {
  if (words) return ["no_such", `${words[0]}s`, "__proto__", `${words[0]},${words.at(-1)}`].map((value) => ["word", value]);
  if (format === "date-time") return ["yesterday", "2030-13-45T99:00:00Z", "20-1-1", "word"].map((value) => ["timestamp", value]);
  return pattern ? [["pattern", "word"]] : [];
}

/** Values on the bounds of a schema. */
function edgeValues({ minLength, maxLength, minimum, maximum }: Schema): unknown[] {
  const lengths = [minLength, maxLength].filter((length) => length !== undefined && length > 0) as number[];
  return [
    ...lengths.flatMap((length) => characters.map((one) => ofLength(length, one))),
    ...(maxLength === undefined ? [] : [ofLength(maxLength / 2, "😀")]),
    ...[minimum, maximum].filter((bound) => bound !== undefined),
  ];
}

/** The words that a schema lists. */
function wordsOf({ enum: words, type }: Schema): unknown[] {
  return words ?? (type === "boolean" ? [true, false] : []);
}

function isFreeText({ type, enum: words, pattern, format }: Schema): boolean {
  return type === "string" && !words && !pattern && !format;
}

function freeText(place: Place, name: string, schema: Schema): Arbitrary<Fault> {
  // how long a line of a request may be is the transport's to say
  const lengths = place === "query" ? [ofLength(1500), ofLength(100, "😀")] : [ofLength(5000), ofLength(1500, "😀")];
  const long = schema.maxLength === undefined ? [fc.constantFrom(...lengths)] : [];
  return fc
    .oneof({ weight: 6, arbitrary: hostileText(place === "body") }, ...long.map((arbitrary) => ({ weight: 1, arbitrary })))
    .map((text): Fault => ({ kind: "text", in: place, name, value: fitted(text, schema) }));
}
