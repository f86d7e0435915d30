import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Mock, startMock } from "../../src/mock/server.js";
import { type AroundWire, openProxy } from "../mutants/wire.js";
import { describeWith } from "../needs.js";
import { canCertify, certify } from "../runner/certificate.js";
import { serveRaw } from "../runner/raw.js";
import { type Handler, serve } from "../runner/server.js";
import { counterpartIn, type Ended } from "./counterpart.js";

/** A scenario of reads with the key of all scopes. A file is read faster than the whole suite. */
const LIST = "scenarios/8-limits/page-limit.yaml";
const directory = mkdtempSync(join(tmpdir(), "bad-starts-"));
const open: { close(): unknown }[] = [];
let mock: Mock;

beforeAll(async () => {
  mock = await startMock({ clock: "frozen" });
});
afterAll(async () => {
  await Promise.all(open.map((each) => each.close()));
  rmSync(directory, { recursive: true });
  await mock.close();
});

/** Examines a server by a few scenarios, with a target file of these lines if there are any. */
async function examine(url: string, { lines = [], key, args = [], env = {} }: Start = {}): Promise<Ended & { first: string }> {
  const own = mkdtempSync(join(directory, "start-")); // starts run side by side
  const target = join(own, "target.yaml");
  writeFileSync(target, [`base_url: ${url}`, ...lines].join("\n"));
  const where = lines.length > 0 ? ["--target", target] : [url];
  const with_ = { PATH: process.env.PATH, ...(key !== undefined && { COUNTERPART_KEY: key }), ...env };
  const only = args.includes("--only") ? [] : ["--only", LIST];
  const ended = await counterpartIn(with_, "verify", ...where, ...only, "--out", join(own, "out"), ...args);
  const [first = ""] = (ended.out || ended.err).split("\n");
  return { ...ended, first };
}
interface Start {
  lines?: string[];
  key?: string;
  args?: string[];
  env?: NodeJS.ProcessEnv;
}

async function serving(handler: Handler) {
  const server = await serve(handler);
  open.push(server);
  return server;
}

/** The mock's API host behind a proxy that does not describe itself, so that there are no worlds. */
async function behind(around: AroundWire = (asked, send) => send(asked)): Promise<string> {
  const proxy = await openProxy("api", mock.api_url, async (asked, send) =>
    asked.path.startsWith("/__mock/") ? { status: 404, headers: {}, text: "" } : around(asked, send),
  );
  open.push(proxy);
  return proxy.url;
}

const keyOf = (role: string) => mock.keys[role] as string;
const repos = () => [`repos: [${mock.repos.join(", ")}]`];
const page = (title: string) => `<!DOCTYPE html><title>${title}</title><h1>${title}</h1>`;
const always =
  (status: number, body: unknown, headers: Record<string, string> = {}): Handler =>
  (_, reply) =>
    reply(status, body, headers);
const html = { "content-type": "text/html" };
const tooMany = { error: { type: "rate_limit_error", code: "rate_limit_qps", message: "slower", request_id: "r1" } };

describe.concurrent("a key that does not work", () => {
  test.each([
    ["made up", () => "made-up-by-nobody-at-all", /refused with 401 \(\w+_key\)/],
    ["revoked", () => keyOf("revoked"), /refused with 401 \(revoked_key\)/],
    ["expired", () => keyOf("expired"), /refused with 401 \(expired_key\)/],
    ["of a viewer", () => keyOf("viewer"), /lacks the scopes submit_audit_jobs .*, or only read, with --profile read-only/],
    ["with a line end", () => `${keyOf("full")}\n`, /has a space, a line end/],
  ])("%s is one sentence and no finding", async (_, key, sentence) => {
    const { code, first, out } = await examine(await behind(), { key: key(), lines: repos() });
    expect([code, first, out]).toEqual([2, expect.stringMatching(sentence), ""]);
    expect(first).toMatch(/^counterpart: The key of role full .*COUNTERPART_KEY or keys\.full/);
    expect(first).not.toContain(key().trim());
  });

  test("of a viewer is good enough where only reads are asked for", async () => {
    const { code } = await examine(await behind(), { key: keyOf("viewer"), lines: repos(), args: ["--profile", "read-only"] });
    expect(code).toBe(0);
  });

  test("of another role leaves out what needs that role", async () => {
    const lines = [...repos(), "keys: { viewer: { value: made-up-by-nobody } }", "allow: { paid: true }"];
    const args = ["--only", LIST, "--only", "scenarios/5-authentication/scope-view-submit.yaml"];
    const { code, first, out } = await examine(await behind(), { key: keyOf("full"), lines, args });
    expect([code, first]).toEqual([3, expect.stringMatching(/^! The key of role viewer was refused with 401 .*keys\.viewer/)]);
    expect(out).toMatch(/the target offers no key\.viewer/);
  });

  test("is not there, though a target file names its variable", async () => {
    const lines = ["keys: { full: { env: NO_SUCH_FULL }, viewer: { env: NO_SUCH_VIEWER } }"];
    const { code, first, out } = await examine(await behind(), { lines });
    expect([code, first]).toEqual([3, expect.stringContaining("NO_SUCH_FULL (keys.full), NO_SUCH_VIEWER (keys.viewer)")]);
    expect(out.split("\n")[1]).toMatch(/^! There is no key of role full: set COUNTERPART_KEY/);
    expect(out.split("\n").length).toBeLessThan(25);
  });

  test("is given, where the target makes worlds with keys of their own", async () => {
    const { code, first } = await examine(mock.api_url, { key: "made-up-by-nobody" });
    expect([code, first]).toEqual([
      0,
      expect.stringMatching(/^! The given key is not used: POST \/__mock\/worlds makes a world/),
    ]);
  });

  test("comes with a world", async () => {
    const { url } = await serving(({ path }, reply) =>
      path === "/worlds"
        ? reply(201, { id: "w", keys: { full: "made-up" } })
        : reply(401, { error: { type: "authentication_error", code: "invalid_key" } }),
    );
    const { code, first } = await examine(url, { lines: ["worlds: { create: { http: POST /worlds } }"] });
    expect([code, first]).toEqual([2, expect.stringMatching(/refused with 401 .*: look at POST \/worlds, which gave it/)]);
  });
});

describe.concurrent("a server that cannot be examined now", () => {
  test.each<[string, Handler, string[], RegExp]>([
    [
      "asks to wait for an hour",
      always(429, tooMany, { "retry-after": "3600" }),
      [],
      /rate limit: GET \S+\/api\/repos answered 429 and asks to wait 3600 s, and a wait may last 2 s: .*--max-wait 3601/,
    ],
    [
      "does not say how long to wait",
      always(429, tooMany),
      ["timing: { rate_minute_s: 0.2 }"],
      /answered 429 and does not say for how long: run again later/,
    ],
    [
      "is at its rate limit behind a gateway",
      always(429, page("slow down"), html),
      ["timing: { rate_minute_s: 0.2 }"],
      /rate limit: .*answered 429/,
    ],
    [
      "is not available",
      always(503, page("back soon"), { ...html, "retry-after": "600" }),
      [],
      /is not available: .* answered 503 and asks to wait 600 s/,
    ],
    ["is down behind its gateway", always(502, page("Bad Gateway"), html), [], /out of order.*answered 502 with an HTML page/],
    [
      "never answers",
      () => {},
      ["timing: { request_timeout_s: 0.3 }"],
      /no whole answer within 0\.3 s\. .*timing\.request_timeout_s/,
    ],
    ["breaks every connection", (_, __, response) => void response.socket?.destroy(), [], /closed the connection/],
    [
      "makes no worlds",
      ({ path }, reply) => (path === "/w" ? reply(500) : reply(401, tooMany)),
      ["worlds: { create: { http: POST /w } }"],
      /no world could be made: POST \/w: status 500/,
    ],
  ])("is one that %s", async (_, handler, lines, sentence) => {
    const { url } = await serving(handler);
    const { code, first, out } = await examine(url, {
      key: "some-key",
      lines: ["name: it", ...lines],
      args: ["--max-wait", "2"],
    });
    expect([code, first, out]).toEqual([3, expect.stringMatching(sentence), ""]);
  });

  test("is slow, but not too slow", async () => {
    const url = await behind(async (asked, send) => {
      await new Promise((resolve) => setTimeout(resolve, 60));
      return send(asked);
    });
    expect((await examine(url, { key: keyOf("full"), lines: repos() })).code).toBe(0);
  });

  test("waits out what it may", async () => {
    let refused = 0;
    const url = await behind((asked, send) =>
      refused++ < 1 ? Promise.resolve({ status: 429, headers: { "retry-after": "0" }, text: "{}" }) : send(asked),
    );
    expect((await examine(url, { key: keyOf("full"), lines: repos() })).code).toBe(0);
  });
});

describe.concurrent("an address", () => {
  test("where nobody listens", async () => {
    const { url, close } = await serve(always(200, {}));
    await close();
    const { code, first, err } = await examine(url);
    expect([code, first]).toEqual([
      4,
      `counterpart: ${url} cannot be examined: nobody listens at this address. Start the server, or give another address.`,
    ]);
    expect(err.trim().split("\n")).toHaveLength(1);
  });

  test.each<[string, Handler, RegExp]>([
    [
      "a static site",
      ({ path }, reply) => reply(path === "/" ? 200 : 404, page("Welcome"), html),
      /answered 404 with an HTML page, which is not the service/,
    ],
    ["one page for all paths", always(200, page("App"), html), /answered 200 with an HTML page, which is not the service/],
    [
      "another JSON API",
      always(404, { detail: "Not Found" }),
      /answered 404 with the JSON \{"detail":"Not Found"\}, which is not the service/,
    ],
    [
      "another one that likes everything",
      always(200, { ok: true }),
      /answered 200 with the JSON \{"ok":true\}, which is not the service/,
    ],
  ])("of %s", async (_, handler, sentence) => {
    const { url } = await serving(handler);
    const { code, first, out } = await examine(url, { key: "some-key" });
    expect([code, first, out]).toEqual([2, expect.stringMatching(sentence), ""]);
    expect(first).toMatch(/give the address of the API host, without \/api\.$/);
  });

  test.each(["/api", "/api/", "/some/where"])("with the path %s too many", async (path) => {
    const url = await behind();
    const { code, first } = await examine(url + path, { key: keyOf("full") });
    expect([code, first]).toEqual([
      2,
      expect.stringContaining(`it is at ${url}, so give that, without ${path.replace(/\/$/, "")}`),
    ]);
  });

  test.each([301, 302, 307, 308])("that redirects elsewhere by %i: nobody else is asked, nor gets a key", async (status) => {
    const other = await serving(always(200, { data: [] }));
    const { url, received } = await serving(({ path }, reply) => reply(status, "", { location: other.url + path }));
    const { code, first } = await examine(url, { key: "some-key" });
    expect([code, first]).toEqual([
      2,
      expect.stringMatching(new RegExp(`answered ${status} to ${other.url}/api/repos.*, give ${other.url}`)),
    ]);
    expect(other.received).toEqual([]);
    expect(received.filter(({ headers }) => headers.authorization)).toEqual([]);
  });

  test("that redirects to itself for ever", async () => {
    const { url, received } = await serving(({ path }, reply) => reply(302, "", { location: path }));
    const { code, first } = await examine(url, { key: "some-key" });
    expect([code, first, received.length]).toEqual([2, expect.stringContaining("redirects are not followed"), 2]);
  });

  test("of something that speaks no HTTP", async () => {
    const server = await serveRaw((socket) => void socket.end("220 mail.example ESMTP\r\n"));
    open.push(server);
    expect(await examine(server.url)).toMatchObject({ code: 3, first: expect.stringMatching(/cannot be examined: .*HTTP/) });
  });

  test("of a server that describes itself as it may not", async () => {
    const trap = join(directory, "sprung");
    const description = (url: string) => ({
      base_url: url,
      clock: { now: { command: ["touch", trap] }, advance: { command: ["touch", trap] } },
      worlds: { create: { http: "POST https://elsewhere.example/x", headers: { x: { env: "HOME" } } } },
    });
    const server = await serving(({ headers }, reply) => reply(200, description(`http://${headers.host}`)));
    const { code, first } = await examine(server.url);
    expect([code, existsSync(trap)]).toEqual([2, false]);
    expect(first).toMatch(
      /the command touch .*the address https:\/\/elsewhere\.example\/x, the environment variable HOME.*--target/,
    );
  });
});

describe.concurrent("a host beside the API host", () => {
  test("that has no tool server", async () => {
    const url = await behind((asked, send) =>
      asked.path.startsWith("/mcp") ? Promise.resolve({ status: 404, headers: html, text: page("no") }) : send(asked),
    );
    const args = ["--only", LIST, "--only", "scenarios/mcp/protocol.yaml"];
    const { code, first, out } = await examine(url, { key: keyOf("full"), lines: repos(), args });
    expect([code, first]).toEqual([
      3,
      expect.stringMatching(/^! There is no tool server: POST \S+\/mcp\/ answered 404 .*mcp_url/),
    ]);
    expect(out).toMatch(/the target offers no surface\.mcp/);
    expect(out).not.toContain("✗");
  });

  test.each([
    ["not named", [], /^! No docs host is named: set docs_url/],
    [
      "not there",
      ["docs_url: http://127.0.0.1:1"],
      /^! The docs host cannot be examined: GET http:\/\/127\.0\.0\.1:1\/openapi\.json got no answer/,
    ],
  ])("of docs that is %s", async (_, more, sentence) => {
    const args = ["--only", LIST, "--only", "scenarios/1-service/docs-openapi.yaml"];
    const { code, first, out } = await examine(await behind(), { key: keyOf("full"), lines: [...repos(), ...more], args });
    expect([code, first]).toEqual([3, expect.stringMatching(sentence)]);
    expect(out).toMatch(/the target offers no surface\.docs/);
  });
});

test("a mistake in a target file is named by its place", async () => {
  const { code, err } = await examine("http://127.0.0.1:1", { lines: ["keyz: {}"] });
  expect([code, err]).toEqual([2, expect.stringMatching(/target\.yaml:2:1: .*keyz/)]);
});

describeWith({ name: "openssl", found: canCertify }, "TLS", () => {
  /** A server with a certificate that answers as the service does to nobody. */
  async function secured(name: string, options: { expired?: boolean } = {}) {
    const certificate = certify(name, options);
    const server = createTlsServer(certificate, (_, response) => response.end('{"data":[]}'));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    open.push({ close: () => [server.close(), server.closeAllConnections(), certificate.remove()] });
    return { port: (server.address() as AddressInfo).port, file: certificate.file };
  }

  test.each([
    ["signed by itself", "127.0.0.1", {}, false, /certificate is signed by itself/],
    ["of another host", "elsewhere.example", {}, true, /certificate is for another host/],
    ["that is expired", "127.0.0.1", { expired: true }, true, /certificate has expired/],
  ])("by a certificate %s is not trusted", async (_, name, options, known, sentence) => {
    const { port, file } = await secured(name, options);
    const env = known ? { NODE_EXTRA_CA_CERTS: file } : {};
    const { code, first } = await examine(`https://127.0.0.1:${port}`, { key: "some-key", env });
    expect([code, first]).toEqual([4, expect.stringMatching(sentence)]);
    expect(first).toContain("NODE_EXTRA_CA_CERTS");
  });

  test("by a certificate of a known authority is spoken", async () => {
    const { port, file } = await secured("127.0.0.1");
    const { code } = await examine(`https://127.0.0.1:${port}`, { key: "some-key", env: { NODE_EXTRA_CA_CERTS: file } });
    expect([1, 3]).toContain(code);
  });

  test("is missing where it is asked for, and there where it is not", async () => {
    const plain = new URL(await behind());
    expect(await examine(`https://${plain.host}`)).toMatchObject({
      code: 2,
      first: expect.stringContaining(`speaks http, not https: give http://${plain.host}.`),
    });
    const { port } = await secured("127.0.0.1");
    expect(await examine(`http://127.0.0.1:${port}`)).toMatchObject({
      code: 2,
      first: expect.stringContaining(`speaks https, not http: give https://127.0.0.1:${port}.`),
    });
  });
});
