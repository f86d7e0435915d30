import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { renderCheck } from "../../../../src/cli/show.js";
import { fileForms, printedForms, renderReport } from "../../../../src/engine/report/forms.js";
import { findChecks } from "../../../../src/engine/run/find-checks.js";
import { verify } from "../../../../src/engine/run/verify.js";
import { suite } from "../../../../src/suite/suite.js";
import type { Handler } from "../../server.js";
import { directory, execution, removeDirectories, scenario } from "../execution.js";

removeDirectories();

const SECRET = "Sk-live_4f9A7c2E/1b+8d&Zq~";
const bytes = Buffer.from(SECRET);
const hex = (code: string, width: number) => code.padStart(width, "0");
const each = (spell: (code: string) => string) => [...bytes].map((byte) => spell(byte.toString(16))).join("");

/** The forms in which a server may repeat the sent text. */
const spellings: Readonly<Record<string, string>> = {
  raw: SECRET,
  "upper case": SECRET.toUpperCase(),
  "lower case": SECRET.toLowerCase(),
  "percent-encoded": encodeURIComponent(SECRET),
  "percent-encoded in lower case": encodeURIComponent(SECRET).toLowerCase(),
  "every character percent-encoded": each((code) => `%${hex(code, 2)}`),
  "percent-encoded twice": encodeURIComponent(encodeURIComponent(SECRET)),
  "form-encoded": new URLSearchParams({ s: SECRET }).toString().slice(2),
  base64: bytes.toString("base64"),
  base64url: bytes.toString("base64url"),
  "base64 of the whole header": Buffer.from(`Bearer ${SECRET}`).toString("base64"),
  "base64 of a pair": Buffer.from(`me:${SECRET}`).toString("base64"),
  hex: bytes.toString("hex"),
  "hex in upper case": bytes.toString("hex").toUpperCase(),
  "escaped in JSON": each((code) => `\\u${hex(code, 4)}`),
  "escaped in JSON in upper case": each((code) => `\\u${hex(code, 4).toUpperCase()}`),
  "escaped in JSON within JSON": each((code) => `\\\\u${hex(code, 4)}`),
  "with slashes escaped": SECRET.replaceAll("/", "\\/"),
  "as entities of HTML": SECRET.replaceAll("&", "&amp;"),
  "as numbers of HTML": each((code) => `&#x${code};`),
  "as decimal numbers of HTML": [...bytes].map((byte) => `&#${byte};`).join(""),
};

/** Returns the texts that must not occur: the form itself and in JSON, without the characters that base64 shares with the surrounding text. */
function traces(spelling: string): string[] {
  const core = spelling.replace(/=+$/, "").slice(-20, -2);
  return [core, JSON.stringify(core).slice(1, -1)];
}

/** Runs a scenario whose response echoes a spelling everywhere, and returns all files and output. */
async function runEcho(echo: string, body: string): Promise<Record<string, string>> {
  const out = directory();
  const handler: Handler = ({ path }, _reply, response) => {
    response.writeHead(path === "/" ? 200 : 418, `told ${echo.replace(/[^\x20-\x7e]/g, "")}`, {
      "content-type": "application/json",
      "x-echo": echo,
    });
    response.end(body);
  };
  const steps =
    "  - { rest: GET /api/jobs/j1, given: { status: 418 }, save: { x: /id } }\n" +
    '  - { rest: "GET /api/jobs/{x}", expect: { status: 200, json: { id: j1 } } }\n';
  const { report, messages } = await execution(handler, scenario(steps), { key: SECRET, out, forms: fileForms });
  const files: Record<string, string> = { messages: messages.join("\n") };
  for (const name of readdirSync(out, { recursive: true, encoding: "utf8" }))
    if (/\.\w+$/.test(name)) files[name] = readFileSync(join(out, name), "utf8");
  for (const form of printedForms)
    files[`printed ${form}`] = await renderReport(form, report, suite, { colour: false, details: true });
  const findResult = await findChecks(suite, out, "under-test");
  if (!findResult.ok || !findResult.found) throw new Error("nothing is shown");
  for (const form of ["text", "curl", "json"] as const) files[`shown as ${form}`] = await renderCheck(form, findResult.found);
  return files;
}

describe.each(Object.entries(spellings))("a key that is echoed %s", (name, spelling) => {
  // a spelling with JSON escapes is in the body unchanged, any other as a string
  const isJson = name.includes("JSON") || name.includes("slashes");
  const body = isJson
    ? `{"id":"${spelling}","${spelling}":1}`
    : JSON.stringify({ id: spelling, [spelling]: 1, list: [`before ${spelling} after`] });

  test("is in no file and in no output", async () => {
    const files = await runEcho(spelling, body);
    expect(Object.keys(files)).toEqual(expect.arrayContaining(["report.json", "trace.ndjson", "printed text", "shown as curl"]));
    const filesWithSecret = Object.entries(files).filter(([, text]) =>
      [...traces(spelling), ...traces(SECRET)].some((trace) => text.includes(trace)),
    );
    expect(filesWithSecret.map(([file]) => file)).toEqual([]);
  });
});

test.each([2, 3])("a key that is split over %i fields is in no file", async (count) => {
  const size = Math.ceil(SECRET.length / count);
  const parts = Array.from({ length: count }, (_, at) => SECRET.slice(at * size, (at + 1) * size));
  const files = await runEcho("none", JSON.stringify(Object.fromEntries(parts.map((part, at) => [`part${at}`, part]))));
  for (const [file, text] of Object.entries(files))
    for (const part of parts) expect([file, text.includes(part)]).toEqual([file, false]);
});

test.each(["k", "ab", "abc"])("a key as short as %s is refused, because it could not be masked", async (key) => {
  const asked = {
    url: "http://127.0.0.1:1",
    key,
    scenarios: directory({ "one.yaml": scenario("  - { rest: GET /api/jobs, expect: { status: 200 } }\n") }),
  };
  const { exitCode, messages } = await verify(suite, asked);
  expect([exitCode, messages]).toEqual([
    2,
    [expect.stringMatching(/^the key of role full has fewer than 4 characters, .*\. Use a longer one\.$/)],
  ]);
});
