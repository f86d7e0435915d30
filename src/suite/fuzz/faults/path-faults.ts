import fc, { type Arbitrary } from "fast-check";
import type { Fault } from "./fault.js";
import type { Operation } from "./operation.js";
import { anyCodePoint } from "./text-values.js";

/** Path segments that often cause errors, as they are sent. */
const faultySegments: Readonly<Record<string, readonly string[]>> = {
  "an encoded slash": ["%2F", "a%2Fb", "a%2F", "%5C"],
  "encoded dots": ["..%2F..%2Fapi%2Frepos", "%2e%2e%2f", "%2E%2E%5C", "...", "%2e%2e%2e"],
  "a NUL": ["%00", "main%00", "%00SERVICE-1"],
  "control characters": ["%0d%0ax-a:%20b", "%1b%5b31m", "%09", "%20"],
  "a broken encoding": ["%", "%2", "%zz", "%C3", "%ED%A0%80", "%FF%FE", "%C0%AF"],
  "other scripts": ["%C3%BC", "%F0%9F%98%80", "%E2%80%AE", "%EF%BB%BF", "e%CC%81"],
  "marks of syntax": ["a;b=c", "*", "%7Bjob_id%7D", "%27--", "%3Cscript%3E", "%3F", "%23", "a@b", "a:b"],
  "a name of a prototype": ["null", "undefined", "0", "-1", "NaN", "__proto__", "constructor", "toString"],
  "nearly a reference": [
    "SERVICE-",
    "SERVICE-1e0",
    "SERVICE-0x1",
    "service-1",
    "SERVICE--1",
    "SERVICE-1.0",
    `SERVICE-${"9".repeat(40)}`,
  ],
  "great length": ["x".repeat(3000), "%F0%9F%98%80".repeat(200)],
};

/** Well-formed ids that do not exist (OBS-REF-UNKNOWN and similar). */
const unknownIds: Readonly<Record<string, readonly string[]>> = {
  ref: ["SERVICE-999999999", "SERVICE-88888888"],
  job_id: ["no-such-job", "00000000-0000-4000-8000-000000000000"],
  key_id: ["no-such-key", "key_0000000000"],
};

/** Draws the faults of path variables: an id that does not exist, and malformed segments. */
export function drawPathFaults({ variables }: Operation): Arbitrary<Fault>[] {
  return variables.flatMap((name) => [
    fc
      .constantFrom(...(unknownIds[name] ?? ["no-such-name", "nobody-at-all"]))
      .map((value): Fault => ({ kind: "unknown", name, value })),
    ...Object.entries({ ...faultySegments, "any text": [] }).map(([how, values]) =>
      (values.length > 0 ? fc.constantFrom(...values) : anySegment).map(
        (value): Fault => ({ kind: "segment", name, how, value }),
      ),
    ),
  ]);
}

const anySegment = fc
  .string({ unit: anyCodePoint, minLength: 1, maxLength: 20 })
  .map((text) => encodeURIComponent(text))
  .filter((text) => !/^(\.|%2e){1,2}$/i.test(text));
