import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { buildCurl } from "../../src/console/curl.js";
import type { Entry } from "../../src/mock/journal/read-entry.js";

const addresses = ["http://127.0.0.1:4010", "http://127.0.0.1:4011"];

/** A call with only these fields. */
const entryFor = (part: Partial<Entry>) => ({ request: "GET /api/jobs", headers: {}, body: null, ...part }) as Entry;

/** Returns the arguments that a shell passes to curl for a line. */
const words = (line: string) =>
  execFileSync("sh", ["-c", `curl() { for word in "$@"; do printf '%s\\0' "$word"; done; }; ${line}`], { encoding: "utf8" })
    .split("\0")
    .slice(0, -1);

describe("the command line for a call", () => {
  it("sends the same request, with the key of the call and without the headers of the connection", () => {
    const headers = {
      host: "127.0.0.1:4011",
      authorization: "Bearer ***",
      "user-agent": "x",
      "content-type": "application/json",
    };
    const line = buildCurl(entryFor({ request: "POST /api/x?a=1", headers, body: { a: [1] } }), {
      addresses,
      token: "mock_full",
    });
    expect(words(line)).toEqual([
      ...["-g", "-i", "-X", "POST", "http://127.0.0.1:4011/api/x?a=1", "-H", "Authorization: Bearer mock_full"],
      ...["-H", "content-type: application/json", "--data-binary", '{"a":[1]}'],
    ]);
  });

  it("sends no key to a host that the client chose, and no key that is unknown", () => {
    const headers = { host: "evil.example", authorization: "Bearer ***", cookie: "session=***" };
    const line = buildCurl(entryFor({ request: "GET http://evil.example/api/jobs", headers }), { addresses, token: null });
    expect(words(`COUNTERPART_KEY=k COUNTERPART_SESSION=s; ${line}`)).toEqual([
      ...["-g", "-i", "-X", "GET", "http://127.0.0.1:4010/api/jobs", "-H", "Authorization: Bearer k", "-H", "Cookie: s"],
    ]);
  });

  it.each([
    "'; touch /tmp/x; '",
    "$(touch /tmp/x) `touch /tmp/x` $HOME \\",
    "a\nb\r\u001b[201~; touch /tmp/x\u009b",
    "\u202eabc\u2066 \u200b",
    '" && echo "',
    "!!",
  ])("quotes the text of the client: %j", (hostile) => {
    const line = buildCurl(entryFor({ request: `GET /${hostile}`, headers: { "x-a": hostile }, body: { [hostile]: hostile } }), {
      addresses,
      token: null,
    });
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be there
    expect(line.replaceAll(" \\\n  ", " ")).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u200b\u202e\u2066]/);
    const given = words(line);
    expect(given).toHaveLength(9);
    expect(JSON.parse(given[8]!)).toEqual({ [hostile]: hostile });
    expect(given[4]).toMatch(/^http:\/\/127\.0\.0\.1:4010\/[\x21-\x7e]*$/);
  });
});
