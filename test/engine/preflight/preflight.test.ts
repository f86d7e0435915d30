import { afterEach, describe, expect, test } from "vitest";
import { openWire } from "../../../src/engine/http/rest.js";
import { type Preflight, runPreflight } from "../../../src/engine/preflight/preflight.js";
import type { PreflightRules } from "../../../src/engine/preflight/rules.js";
import { startRun } from "../../../src/engine/run/connect.js";
import type { Profile } from "../../../src/engine/scenario/effects.js";
import { parseTarget } from "../../../src/engine/target/target.js";
import { suite } from "../../../src/suite/suite.js";
import { type Handler, serve } from "../server.js";

const open: { close(): unknown }[] = [];
afterEach(async () => void (await Promise.all(open.splice(0).map((one) => one.close()))));

/** The preflight rules of an invented library: two lists, and the return of a book that is not borrowed. */
const library: PreflightRules = {
  basePath: "/v2",
  reads: ["/v2/books", "/v2/loans"],
  docsPath: "/description",
  isOfService: (body) => typeof body === "object" && body !== null && "shelves" in body,
  isRefused: (role) => role === "banned",
  scopeProbes: {
    reads: [{ scope: "look", rest: "GET /v2/books" }],
    writes: [
      { scope: "lend", rest: "DELETE /v2/loans/none" },
      { scope: "mark", rest: "PUT /v2/books/none/mark" },
    ],
  },
};
const responses = { ...suite.answers, errorCode: (body: unknown) => (body as { word?: string }).word };
const rules = { ...suite, defaultRole: "reader", preflight: library, answers: responses };

/** A library that answers as it should, but for this. */
const answering =
  (doOtherwise: Handler): Handler =>
  (received, response, ...rest) => {
    const { path, headers } = received;
    let hasReplied = false;
    const once: typeof response = (...serverResponse) => {
      hasReplied = true;
      response(...serverResponse);
    };
    doOtherwise(received, once, ...rest);
    if (hasReplied) return;
    if (headers.authorization === undefined) return response(401, { shelves: null });
    response(path.endsWith("/none") || path.endsWith("/mark") ? 404 : 200, { shelves: [] });
  };

/** Looks at a library at a path of its address, with a target file of these lines. */
async function look(
  handler: Handler,
  { lines = [] as string[], at = "", profile = "full" as Profile } = {},
): Promise<Preflight & { asked: string[] }> {
  const server = await serve(handler);
  const targetResult = parseTarget(
    { toolServerPath: "/tools/", selfDescriptionPath: "/about" },
    "library.yaml",
    [`base_url: ${server.url}${at}`, ...lines].join("\n"),
    {},
  );
  if (!targetResult.ok) throw new Error(targetResult.mistakes.join("\n"));
  const wire = openWire({ timeoutMs: 5000 });
  open.push(server, wire);
  const run = startRun(rules, { profile, maxWait: 1 }, targetResult.target, wire);
  const foundPreflight = await runPreflight(rules, run, { scenarios: [], properties: [] }, {});
  return { ...foundPreflight, asked: server.received.map(({ method, path }) => `${method} ${path}`) };
}

const READER = "keys: { reader: { value: key-of-a-reader } }";
const doNothing: Handler = () => {};

describe("a preflight", () => {
  test("of a running service sends the requests of the rules, and changes nothing", async () => {
    const { stop, notes, asked } = await look(answering(doNothing), { lines: [READER] });
    expect([stop, notes]).toEqual([undefined, []]);
    expect(asked).toEqual(["GET /v2/books", "GET /v2/books", "DELETE /v2/loans/none", "PUT /v2/books/none/mark"]);
  });

  test("continues when a request without a key gets another refusal, because the run examines refusals", async () => {
    const { stop } = await look(
      answering(({ headers }, response) => void (headers.authorization ?? response(401, { detail: "No." }))),
      { lines: [READER] },
    );
    expect(stop).toBeUndefined();
  });

  test.each([
    ["a page", "<!doctype html><p>Sign in", {}],
    ["the sign-in of a gateway", "no", { "www-authenticate": 'Basic realm="staging"' }],
  ])("stops, and shows no key, when %s refuses it", async (_, text, headers) => {
    const { stop, asked } = await look((_asked, response) => response(401, text, headers), { lines: [READER] });
    expect([stop?.exitCode, asked.length]).toEqual([2, 2]);
  });

  test("with a read-only profile checks scopes with reads only", async () => {
    const { stop, asked } = await look(answering(doNothing), { lines: [READER], profile: "read-only" });
    expect([stop, asked]).toEqual([undefined, Array(3).fill("GET /v2/books")]);
  });

  test.each<[string, Handler, RegExp]>([
    [
      "is another",
      (_, response) => response(200, { stock: [] }),
      /^GET \S+\/v2\/books answered 200 with the JSON \{"stock":\[\]\}, which is not the service: give the address of the API host, without \/v2\.$/,
    ],
    [
      "refuses the key",
      answering(({ headers }, response) => void (headers.authorization && response(401, { word: "stranger" }))),
      /^The key of role reader was refused with 401 \(stranger\) by GET \S+: set COUNTERPART_KEY or keys\.reader in the target file/,
    ],
    [
      "creates the key without a scope",
      answering(({ path }, response) => void (/none/.test(path) && response(403, { word: "no" }))),
      /^The key of role reader lacks the scopes lend \(DELETE \S+ answered 403 \(no\)\), mark \(PUT .*, with every scope, or use --profile read-only/,
    ],
  ])("of a service that %s stops with a message", async (_, handler, sentence) => {
    const { stop } = await look(handler, { lines: [READER] });
    expect(stop).toEqual({ exitCode: 2, why: expect.stringMatching(sentence) });
  });

  test("of a key that lacks one scope of several is a note", async () => {
    const handler = answering(({ path }, response) => void (path.endsWith("/mark") && response(403, { word: "no" })));
    const { stop, notes } = await look(handler, { lines: [READER] });
    expect([stop, notes]).toEqual([undefined, [expect.stringMatching(/^The key of role reader lacks the scopes mark \(/)]]);
  });

  test.each([
    ["as far as requested", (by: number) => by, undefined],
    ["always as far", () => 2, /^the hook clock\.advance was to move the clock by 9 s, but clock\.now moved by 2 s/],
    ["not at all", () => 0, /was to move the clock by 2 s, but clock\.now moved by 0 s/],
  ])("keeps a clock that its hook moves %s, with the reason why it cannot be used", async (_, moved, reason) => {
    let now = 1_900_000_000;
    const handler = answering(({ path, body }, response) => {
      if (path === "/now") response(200, { now: new Date(now * 1000).toISOString() });
      if (path !== "/move") return;
      now += moved(Number.parseInt((JSON.parse(body) as { by: string }).by, 10));
      response(200);
    });
    const hooks = "clock: { now: { http: GET /now }, advance: { http: POST /move } }";
    const { target, notes } = await look(handler, { lines: [READER, hooks] });
    expect(target.clock?.untrue ?? "").toMatch(reason ?? /^$/);
    expect(notes.filter((note) => note.startsWith("The clock of the target cannot be used"))).toHaveLength(reason ? 1 : 0);
  });

  test("suggests the address without the path of the API", async () => {
    const { stop } = await look(
      answering(({ path }, response) => void (path.startsWith("/v2/v2") && response(404, {}))),
      { lines: [READER], at: "/v2" },
    );
    expect(stop?.why).toMatch(/the service is at http:\/\/\S+:\d+: give this address, without \/v2\.$/);
  });
});
