import fc, { type Arbitrary } from "fast-check";
import { bodyContents, type Fault } from "./fault.js";

type HeaderValues = readonly [name: string, how: string, values: readonly (string | null)[]];

/** Media types and encodings that differ from the body, and other spellings of the JSON media type. */
const bodyHeaders: readonly HeaderValues[] = [
  ["content-type", "none", [null]],
  ["content-type", "another", ["text/plain", "application/xml", "application/octet-stream", "application/vnd.api+json"]],
  ["content-type", "a form", ["application/x-www-form-urlencoded", "multipart/form-data; boundary=x"]],
  [
    "content-type",
    "a charset",
    ["application/json; charset=iso-8859-1", "application/json; charset=utf-7", "application/json;charset=no-such"],
  ],
  ["content-type", "no type", ["json", "*/*", "application/json, text/plain", "__proto__"]],
  ["content-type", "another spelling", ["Application/JSON;charset=UTF-8", 'application/json ; x="y"']],
  ["content-encoding", "a coding that the body does not have", ["gzip", "br", "deflate", "zstd"]],
  ["content-encoding", "an unknown coding", ["identity", "no-such-coding"]],
];

/** Headers of any request. */
const anyHeaders: readonly HeaderValues[] = [
  ["accept", "none", [null]],
  ["accept", "another", ["text/html", "application/xml", "*/*;q=0", "application/json;version=99", "no/such"]],
  ["accept-encoding", "an unknown value", ["no-such-coding", "gzip;q=0, *;q=0"]],
  ["accept-language", "an unknown value", ["xx-no-such", "*", "\u00e9"]],
  ["if-none-match", "a tag", ['"no-such-tag"']],
  ["x-forwarded-for", "an address", ["203.0.113.9", "no address", "::1, 10.0.0.1"]],
  ["x-request-id", "odd", ["\u00e9\u00ff", "a".repeat(500), "<script>"]],
  ["cookie", "no session", ["theme=dark", "session", ";;=", "a=b; c"]],
  ["idempotency-key", "odd", ["", "a".repeat(2000), "\u00e9\u00ff", "__proto__"]],
];

/** Authorization headers without a valid key. */
const malformedCredentials: Readonly<Record<string, readonly string[]>> = {
  "a scheme without a key": ["Bearer", "no-such-scheme"],
  "an unknown key": ["Bearer no-such-key", "Bearer a b"],
  "a name of a prototype": ["Bearer null", "Bearer __proto__", "Bearer undefined"],
  "odd characters": ["Bearer \u00e9\u00ff", "Bearer {}", "Bearer '--"],
  "great length": [`Bearer ${"a".repeat(2000)}`],
  "another scheme": ["Basic dXNlcjpwYXNz", "Token token=abc", "Digest username=a"],
};

/** The name of a missing credential. */
const NO_CREDENTIAL = "none";

/** Draws one faulty header per case. */
export function drawHeaderFaults(hasBody: boolean): Arbitrary<Fault>[] {
  return [...(hasBody ? bodyHeaders : []), ...anyHeaders].map(([name, how, values]) =>
    fc.constantFrom(...values).map((value): Fault => ({ kind: "header", name, how, value })),
  );
}

/** Draws faulty bodies. */
export function drawContentFaults(): Arbitrary<Fault>[] {
  return bodyContents.map((how) => fc.constant<Fault>({ kind: "content", how }));
}

/** Draws invalid credentials. */
export function drawCredentialFaults(): Arbitrary<Fault & { kind: "credential" }>[] {
  const none = fc.constant({ kind: "credential" as const, how: NO_CREDENTIAL, value: null });
  const malformed = Object.entries(malformedCredentials).map(([how, values]) =>
    fc.constantFrom(...values).map((value) => ({ kind: "credential" as const, how, value })),
  );
  return [none, ...malformed];
}
