import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parseStrictJson } from "../../src/common/strict-json.js";
import { packageRoot } from "../../src/contract/load.js";

const REFUSED: [what: string, text: string, why: string | RegExp][] = [
  ["a name twice", '{"status":500,"status":200}', 'has the name "status" twice in one object'],
  [
    "a name twice, once with an escape",
    String.raw`{"st\u0061tus":500,"status":200}`,
    'has the name "status" twice in one object',
  ],
  [
    "a name twice, apart, with white space",
    '{"a" :1,\n"b":[{"a":1}],\n"a"\t: 2}\n',
    'has the name "a" twice in one object (line 3)',
  ],
  ["a name twice in an inner object", '[{"a":{"b":1,"b":1}}]', 'has the name "b" twice in one object'],
  ["__proto__ twice", '{"__proto__":1,"__proto__":2}', 'has the name "__proto__" twice in one object'],
  ["an empty name twice", '{"":1,"":2}', 'has the name "" twice in one object'],
  ["a quote in a name twice", String.raw`{"\"":1,"\u0022":2}`, String.raw`has the name "\"" twice in one object`],
  ["a long name twice", `{"${"x".repeat(99)}":1,"${"x".repeat(99)}":1}`, `has the name "${"x".repeat(60)}…" twice in one object`],
  ["too many levels", `${"[".repeat(513)}${"]".repeat(513)}`, "has more than 512 levels of objects and lists"],
  ["a million levels", `${"[".repeat(1e6)}${"]".repeat(1e6)}`, "has more than 512 levels of objects and lists"],
  ["a byte order mark", "\uFEFF{}", "begins with a byte order mark; save it without one"],
  ["nothing", "", /^is not JSON/],
  ["NaN", '{"a":NaN}', /^is not JSON/],
  ["Infinity", "[Infinity]", /^is not JSON/],
  ["a leading zero", "[01]", /^is not JSON/],
  ["a comma at the end", "[1,]", /^is not JSON/],
  ["a comment", "{} // x", /^is not JSON/],
  ["two values", "{}{}", /^is not JSON/],
  ["a control character in a string", '"\u0001"', /^is not JSON/],
];

describe("a strict reader of JSON", () => {
  test.each(REFUSED)("refuses %s", (_, text, why) => {
    expect(parseStrictJson(text)).toEqual({ ok: false, why: typeof why === "string" ? why : expect.stringMatching(why) });
  });

  test.each([
    '{"a":{"a":1},"b":[{"a":1},{"a":2}],"c":"a","d":"\\"a\\":"}',
    String.raw`["\\", "\\\"", "a\"", {"\\":1, "\\\\":2, "a":"\\"}]`,
    String.raw`"\ud800"`,
    `${"[".repeat(512)}${"]".repeat(512)}`,
    "-0.5e3",
    ' {"a":\r\n1} ',
  ])("reads %s as JSON.parse does", (text) => {
    expect(parseStrictJson(text)).toEqual({ ok: true, value: JSON.parse(text) });
  });

  test("quotes no value of a text that is not JSON", () => {
    expect(JSON.stringify(parseStrictJson('{"key": secret-of-mine}'))).not.toContain("secret");
  });

  test("sets no prototype", () => {
    expect(parseStrictJson('{"__proto__":{"polluted":1}}')).toMatchObject({ ok: true });
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });

  test.each<[string, (n: number) => string]>([
    ["backslashes", (n) => `"${"\\\\".repeat(n)}"`],
    ["escaped quotes", (n) => `"${'\\"'.repeat(n)}"`],
    ["blanks behind a name", (n) => `{"a"${" ".repeat(n)}:1}`],
    ["names", (n) => `{${Array.from({ length: n / 10 }, (_, i) => `"${i}":1`).join()}}`],
    ["strings", (n) => `["${'","'.repeat(n)}"]`],
  ])("takes linear time over many %s", (_, textOf) => {
    const text = textOf(2_000_000);
    const begun = performance.now();
    expect(parseStrictJson(text).ok).toBe(true);
    expect(performance.now() - begun).toBeLessThan(5000);
  });
});

/** Files of `src` that call `JSON.parse` directly, with reasons. Files of users and other programs go through the strict reader. */
const OWN_TEXT = "text that this package wrote";
const ANSWER = "a body of HTTP or MCP, read as clients and servers read it";
const ALLOWED: Record<string, string> = {
  "client-report/exchange.ts": ANSWER,
  "client-report/rules/cursors.ts": OWN_TEXT,
  "cli/bare-program.ts": OWN_TEXT,
  "common/strict-json.ts": "the strict reader",
  "console/composer.tsx": "text that a person types into the page",
  "console/follow.ts": OWN_TEXT,
  "contract/load.ts": OWN_TEXT,
  "engine/execute/mcp-session.ts": OWN_TEXT,
  "engine/execute/request.ts": "a body of a scenario, which may be no JSON on purpose",
  "engine/execute/write-effects.ts": ANSWER,
  "engine/http/exchange.ts": ANSWER,
  "engine/http/excerpt.ts": ANSWER,
  "cli/reference/pages.ts": OWN_TEXT,
  "engine/http/mcp.ts": ANSWER,
  "engine/http/mcp-revisions.ts": "a body of a scenario, which may be no JSON on purpose",
  "engine/schema.ts": OWN_TEXT,
  "engine/second-opinion/opinion.ts": ANSWER,
  "engine/verdict/editions.ts": OWN_TEXT,
  "mock/http/body.ts": ANSWER,
  "mock/worlds/fixture-file.ts": OWN_TEXT,
  "mock/worlds/fixtures.ts": OWN_TEXT,
  "mock/variations/cursors.ts": OWN_TEXT,
  "mock/journal/read-entry.ts": OWN_TEXT,
  "mock/input/plain-json.ts": OWN_TEXT,
  "mock/cluster/store/acquire.ts": OWN_TEXT,
  "mock/cluster/store/stored-world.ts": OWN_TEXT,
  "service/world/cursors.ts": OWN_TEXT,
  "mock/control/result-schemas.ts": OWN_TEXT,
  "mock/docs/texts.ts": OWN_TEXT,
  "mock/mcp/tool-server.ts": OWN_TEXT,
  "mock/replay/difference.ts": ANSWER,
  "mock/replay/record-file.ts": OWN_TEXT,
  "mock/replay/replay-log.ts": ANSWER,
  "mock/cluster/workers/passed-on.ts": OWN_TEXT,
  "mock/cluster/workers/peers.ts": OWN_TEXT,
  "suite/fuzz/faults/sent-fault.ts": ANSWER,
  "suite/laws/frame/frame-requests.ts": OWN_TEXT,
  "suite/laws/limits/path-buckets.ts": OWN_TEXT,
  "suite/laws/limits/rate-trial.ts": OWN_TEXT,
  "suite/model/rules/job-submissions.ts": OWN_TEXT,
  "suite/digest.ts": OWN_TEXT,
  "suite/suite.ts": OWN_TEXT,
};

test("only files that read no user files call JSON.parse; others use parseStrictJson", () => {
  const src = join(packageRoot, "src");
  const calling = readdirSync(src, { recursive: true, encoding: "utf8" })
    .filter((name) => /\.tsx?$/.test(name) && readFileSync(join(src, name), "utf8").includes("JSON.parse("))
    .map((name) => name.replaceAll("\\", "/"))
    .sort();
  expect(calling.filter((name) => !(name in ALLOWED))).toEqual([]);
  expect(Object.keys(ALLOWED).filter((name) => !calling.includes(name))).toEqual([]);
});
