import fc, { type Arbitrary } from "fast-check";
import type { RouteName } from "../../../contract/types.js";
import { describeSize, type Fault, type FieldFault, type Place } from "./fault.js";
import type { Fields, Schema } from "./operation.js";
import { drawHostileText, fitText, repeatToLength } from "./text-values.js";

/** A value of every JSON type. No text looks like a number, and no number belongs to several types. */
const sampleValues: Readonly<Record<string, unknown>> = {
  string: "word",
  integer: 7,
  number: 7.5,
  boolean: true,
  array: ["word"],
  object: { word: 1 },
};

/** Characters of one, two and four bytes, and of one and two UTF-16 units. */
const textCharacters = ["x", "é", "😀"];

/** Draws the invalid values and the boundary values of every field of a place. */
export function drawFieldFaults(place: Place, { properties, required }: Fields): Arbitrary<Fault>[] {
  const missing = required.map((name) => fc.constant<Fault>({ kind: "missing", in: place, name }));
  const of = Object.entries(properties).flatMap(([name, schema]) => drawFaults(place, name, schema, required.includes(name)));
  const extra = fc
    .constantFrom("no_such_field", "__proto__", "constructor", "limit[]", "Status", "x".repeat(200))
    .map((name): Fault => ({ kind: "extra", in: place, name, value: "word" }));
  return [...missing, ...of, extra];
}

/** Draws the faults of one field. Null is invalid only for a required field; an optional field may treat it as absent. */
function drawFaults(place: Place, name: string, schema: Schema, isNeeded: boolean): Arbitrary<Fault>[] {
  const typed = place === "body" && listTypes(schema).length > 0;
  const nullFault: [FieldFault, unknown][] = isNeeded && typed ? [["type", null]] : [];
  const wrong = [...listWrongValues(place, schema), ...nullFault];
  const faultsByKey = new Map<string, typeof wrong>();
  for (const one of wrong) faultsByKey.set(createFaultKey(one), [...(faultsByKey.get(createFaultKey(one)) ?? []), one]);
  const invalidValues = [...faultsByKey.values()].map((alike) =>
    fc.constantFrom(...alike).map(([how, value]): Fault => ({ kind: "wrong", in: place, name, how, value })),
  );
  const words = listWords(schema);
  const bounds = [...listEdgeValues(schema).map((value) => [value]), ...(words.length > 0 ? [words] : [])];
  const edges = bounds.map((values) => {
    const drawn = fc.constantFrom(...values).map((value): Fault => ({ kind: "edge", in: place, name, value }));
    return addShrinkTarget(drawn, shrinkTarget(place, name, schema, values[0]));
  });
  return [...invalidValues, ...edges, ...(isFreeText(schema) ? [freeText(place, name, schema)] : [])];
}

/** Returns an arbitrary that first shrinks to another value. A text at a length limit has no shorter variant of the same kind. */
function addShrinkTarget(drawn: Arbitrary<Fault>, first: Fault | undefined): Arbitrary<Fault> {
  if (!first) return drawn;
  // fast-check only shrinks to values that the other branch can draw
  return fc.oneof({ withCrossShrink: true }, { weight: 1, arbitrary: fc.constant(first) }, { weight: 1000, arbitrary: drawn });
}

/** Returns the shortest valid text that contains the first character of a longer one. */
function shrinkTarget(place: Place, name: string, schema: Schema, value: unknown): Fault | undefined {
  if (typeof value !== "string" || !isFreeText(schema)) return undefined;
  const [character = ""] = value;
  return { kind: "text", in: place, name, value: fitText(character, schema) };
}

/** Returns a key for values with the same fault and the same distance from a limit. */
function createFaultKey([how, value]: [how: FieldFault, value: unknown]): string {
  return `${how} ${describeSize(how, value)}`;
}

/** Returns invalid values of a schema by kind of fault. Each value has one fault. */
function listWrongValues(place: Place, schema: Schema): [how: FieldFault, value: unknown][] {
  const pick = removeNull(schema);
  const types = listTypes(pick);
  // query values are strings, so only a string that no parser reads as an integer has the wrong type
  const other = place === "query" ? (types.includes("integer") ? ["word", "1e", "--1"] : []) : listOtherTypes(types);
  return [
    ...other.map((value): [FieldFault, unknown] => ["type", value]),
    ...listWrongLengths(pick),
    ...listWrongNumbers(pick),
    ...listWrongWords(pick),
    ...(pick.items ? listWrongValues(place, pick.items).map(([how, value]): [FieldFault, unknown] => [how, [value]]) : []),
  ];
}

function listOtherTypes(types: readonly string[]): unknown[] {
  if (types.length === 0) return [];
  const isAccepted = (type: string) => types.includes(type) || (type === "integer" && types.includes("number"));
  return Object.entries(sampleValues).flatMap(([type, value]) => (isAccepted(type) ? [] : [value]));
}

/** Returns a nullable schema of one type without null, because servers may refuse null for different reasons. */
function removeNull(schema: Schema): Schema {
  const [type, another] = listTypes(schema).filter((one) => one !== "null");
  return type !== undefined && another === undefined ? { ...schema, type } : schema;
}

function listTypes({ type }: Schema): string[] {
  return type === undefined ? [] : [type].flat();
}

function listWrongLengths({ minLength, maxLength }: Schema): [FieldFault, unknown][] {
  const short = minLength === undefined ? [] : [minLength - 1, 0];
  const long = maxLength === undefined ? [] : [maxLength + 1, maxLength * 2];
  return [
    ...short.flatMap((length) =>
      textCharacters.map((character): [FieldFault, unknown] => ["short", repeatToLength(length, character)]),
    ),
    ...long.flatMap((length) =>
      textCharacters.map((character): [FieldFault, unknown] => ["long", repeatToLength(length, character)]),
    ),
  ];
}

function listWrongNumbers({ minimum, maximum, exclusiveMinimum, type }: Schema): [FieldFault, unknown][] {
  const low = [
    ...(minimum === undefined ? [] : [minimum - 1, -1, -1000]),
    ...(exclusiveMinimum === undefined ? [] : [exclusiveMinimum, -0.5]),
  ];
  const high = maximum === undefined ? [] : [maximum + 1, maximum * 50];
  return [
    ...low.map((value): [FieldFault, unknown] => ["low", value]),
    ...high.map((value): [FieldFault, unknown] => ["high", value]),
    ...(type === "integer" ? [["type", 1.5] as [FieldFault, unknown]] : []),
  ];
}

function listWrongWords({ enum: words, format, pattern }: Schema): [FieldFault, unknown][] {
  if (words) return ["no_such", `${words[0]}s`, "__proto__", `${words[0]},${words.at(-1)}`].map((value) => ["word", value]);
  if (format === "date-time") return ["yesterday", "2030-13-45T99:00:00Z", "20-1-1", "word"].map((value) => ["timestamp", value]);
  return pattern ? [["pattern", "word"]] : [];
}

/** Returns the values at the limits of a schema. */
function listEdgeValues({ minLength, maxLength, minimum, maximum }: Schema): unknown[] {
  const lengths = [minLength, maxLength].filter((length) => length !== undefined && length > 0) as number[];
  return [
    ...lengths.flatMap((length) => textCharacters.map((character) => repeatToLength(length, character))),
    ...(maxLength === undefined ? [] : [repeatToLength(maxLength / 2, "😀")]),
    ...[minimum, maximum].filter((bound) => bound !== undefined),
  ];
}

/** Returns the enum values of a schema. */
function listWords({ enum: words, type }: Schema): unknown[] {
  return words ?? (type === "boolean" ? [true, false] : []);
}

function isFreeText({ type, enum: words, pattern, format }: Schema): boolean {
  return type === "string" && !words && !pattern && !format;
}

function freeText(place: Place, name: string, schema: Schema): Arbitrary<Fault> {
  // the transport limits the length of a request line
  const lengths =
    place === "query" ? [repeatToLength(1500), repeatToLength(100, "😀")] : [repeatToLength(5000), repeatToLength(1500, "😀")];
  const long = schema.maxLength === undefined ? [fc.constantFrom(...lengths)] : [];
  return fc
    .oneof({ weight: 6, arbitrary: drawHostileText(place === "body") }, ...long.map((arbitrary) => ({ weight: 1, arbitrary })))
    .map((text): Fault => ({ kind: "text", in: place, name, value: fitText(text, schema) }));
}

/** Faults that the contract names and no schema can express: a value reserved for the service, a past time, an invalid address, a raised ceiling. */
const specialFaults: { [R in RouteName]?: [name: string, how: FieldFault, values: unknown[]][] } = {
  "POST /api/observations/{ref}/dismiss": [["dismissal_category", "service word", ["exhausted_fix_attempts"]]],
  "POST /api/keys": [
    ["expires_at", "past", ["{now-1h}", "{now-400d}", "1970-01-01T00:00:00Z"]],
    ["allowed_cidrs", "address", [["1.2.3.4/33"], ["300.1.1.1"], ["::g"], ["no address!"], ["203.0.113.0/24", "1.2.3"]]],
  ],
  "PATCH /api/keys/{key_id}": [
    ["requests_per_minute", "raised", [101, 5000]],
    ["dollars_per_hour", "raised", [5.01, 900]],
    ["requests_per_minute", "cleared", [null]],
    ["dollars_per_hour", "cleared", [null]],
  ],
};

/** Draws the faults of an operation that no schema can express. */
export function drawSpecialFaults(route: RouteName): Arbitrary<Fault>[] {
  return (specialFaults[route] ?? []).map(([name, how, values]) =>
    fc.constantFrom(...values).map((value): Fault => ({ kind: "wrong", in: "body", name, how, value })),
  );
}
