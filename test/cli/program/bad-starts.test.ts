import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { serveRaw } from "../../engine/raw.js";
import { type Handler, serve } from "../../engine/server.js";
import {
  closeLater,
  examine,
  getKey,
  LIST,
  mockUrl,
  openServer,
  openStarts,
  ownDirectory,
  repos,
  startBehind,
} from "../starts.js";

openStarts();

const page = (title: string) => `<!DOCTYPE html><title>${title}</title><h1>${title}</h1>`;
const always =
  (status: number, body: unknown, headers: Record<string, string> = {}): Handler =>
  (_, response) =>
    response(status, body, headers);
const html = { "content-type": "text/html" };
const tooMany = { error: { type: "rate_limit_error", code: "rate_limit_qps", message: "slower", request_id: "r1" } };

describe("a key that does not work", () => {
  const unusable: [what: string, key: () => string, sentence: RegExp][] = [
    ["made up", () => "made-up-by-nobody-at-all", /refused with 401 \(\w+_key\)/],
    ["revoked", () => getKey("revoked"), /refused with 401 \(revoked_key\)/],
    ["expired", () => getKey("expired"), /refused with 401 \(expired_key\)/],
    [
      "of a viewer",
      () => getKey("viewer"),
      /lacks the scopes submit_audit_jobs .*, or use --profile read-only, which only reads/,
    ],
    ["with a line end", () => `${getKey("full")}\n`, /has a space, a line end/],
  ];
  test.each(unusable)("%s gives one sentence and no finding", async (_, key, sentence) => {
    const { code, first, out } = await examine(await startBehind(), { key: key(), lines: repos() });
    expect([code, first, out]).toEqual([2, expect.stringMatching(sentence), ""]);
    expect(first).toMatch(/^counterpart: The key of role full .*COUNTERPART_KEY or keys\.full/);
    expect(first).not.toContain(key().trim());
  });

  test("of a viewer is enough for the read-only profile", async () => {
    const { code } = await examine(await startBehind(), {
      key: getKey("viewer"),
      lines: repos(),
      args: ["--profile", "read-only"],
    });
    expect(code).toBe(0);
  });

  test("can read repositories, which a read-only run uses when the target file names none", async () => {
    const key = getKey("viewer");
    const reading = await examine(await startBehind(), { key, args: ["--profile", "read-only"] });
    expect([reading.code, reading.first]).toEqual([
      0,
      expect.stringMatching(/^! The target file names no repos: .*acme\/web\/main/),
    ]);
  });

  test("of another role excludes scenarios that need that role", async () => {
    const lines = [...repos(), "keys: { viewer: { value: made-up-by-nobody } }", "allow: { paid: true }"];
    const args = ["--only", LIST, "--only", "scope-view-submit"];
    const { code, first, out } = await examine(await startBehind(), { key: getKey("full"), lines, args });
    expect([code, first]).toEqual([3, expect.stringMatching(/^! The key of role viewer was refused with 401 .*keys\.viewer/)]);
    expect(out).toMatch(/the target offers no key\.viewer/);
  });

  test("is missing although a target file names its variable", async () => {
    const lines = ["keys: { full: { env: NO_SUCH_FULL }, viewer: { env: NO_SUCH_VIEWER } }"];
    const { code, first, out } = await examine(await startBehind(), { lines });
    expect([code, first, out]).toEqual([2, expect.stringContaining("NO_SUCH_FULL for keys.full, and it is not set."), ""]);
    const given = await examine(await startBehind(), { lines, key: getKey("full") });
    expect([given.code, given.first]).toEqual([3, expect.stringContaining("not set: NO_SUCH_VIEWER (keys.viewer)")]);
  });

  test("is given although the target creates worlds with keys", async () => {
    const { code, first } = await examine(mockUrl(), { key: "made-up-by-nobody" });
    expect([code, first]).toEqual([
      0,
      expect.stringMatching(/^! The given key is not used: POST \/__mock\/worlds makes a world/),
    ]);
  });

  test("comes with a world", async () => {
    const { url } = await openServer(({ path }, response) =>
      path === "/worlds"
        ? response(201, { id: "w", keys: { full: "made-up" } })
        : response(401, { error: { type: "authentication_error", code: "invalid_key" } }),
    );
    const { code, first } = await examine(url, { lines: ["worlds: { create: { http: POST /worlds } }"] });
    expect([code, first]).toEqual([2, expect.stringMatching(/refused with 401 .*: check POST \/worlds, which returned it/)]);
  });
});

describe("a server that cannot be examined now", () => {
  const unready: [what: string, handler: Handler, lines: string[], sentence: RegExp][] = [
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
    ["is down and has a gateway", always(502, page("Bad Gateway"), html), [], /server is broken.*answered 502 with an HTML page/],
    [
      "never answers",
      () => {},
      ["timing: { request_timeout_s: 0.3 }"],
      /no complete answer within 0\.3 s\. .*timing\.request_timeout_s/,
    ],
    ["breaks every connection", (_, __, response) => void response.socket?.destroy(), [], /closed the connection/],
    [
      "makes no worlds",
      ({ path }, response) => (path === "/w" ? response(500) : response(401, tooMany)),
      ["worlds: { create: { http: POST /w } }"],
      /no world could be created: POST \/w: status 500/,
    ],
  ];
  test.each(unready)("is one that %s", async (_, handler, lines, sentence) => {
    const { url } = await openServer(handler);
    const { code, first, out } = await examine(url, {
      key: "some-key",
      lines: ["name: it", ...lines],
      args: ["--max-wait", "2"],
    });
    expect([code, first, out]).toEqual([3, expect.stringMatching(sentence), ""]);
  });

  test("is slow, but starts in time", async () => {
    const url = await startBehind(async (relayedRequest, send) => {
      await new Promise((resolve) => setTimeout(resolve, 60));
      return send(relayedRequest);
    });
    expect((await examine(url, { key: getKey("full"), lines: repos() })).code).toBe(0);
  });

  test("is busy, and the run waits", async () => {
    let refused = 0;
    const url = await startBehind((relayedRequest, send) =>
      refused++ < 1 ? Promise.resolve({ status: 429, headers: { "retry-after": "0" }, text: "{}" }) : send(relayedRequest),
    );
    expect((await examine(url, { key: getKey("full"), lines: repos() })).code).toBe(0);
  });
});

describe("an address", () => {
  test("where no server listens", async () => {
    const { url, close } = await serve(always(200, {}));
    await close();
    const { code, first, err } = await examine(url);
    expect([code, first]).toEqual([
      4,
      `counterpart: ${url} cannot be examined: no server listens at this address. Start the server, or give another address.`,
    ]);
    expect(err.trim().split("\n")).toHaveLength(1);
  });

  const others: [what: string, handler: Handler, sentence: RegExp][] = [
    [
      "a static site",
      ({ path }, response) => response(path === "/" ? 200 : 404, page("Welcome"), html),
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
  ];
  test.each(others)("of %s", async (_, handler, sentence) => {
    const { url } = await openServer(handler);
    const { code, first, out } = await examine(url, { key: "some-key" });
    expect([code, first, out]).toEqual([2, expect.stringMatching(sentence), ""]);
    expect(first).toMatch(/give the address of the API host, without \/api\.$/);
  });

  test.each(["/api", "/api/"])("with the path %s of the routes is used without it, with a message", async (path) => {
    const url = await startBehind();
    const { first } = await examine(url + path, { key: getKey("full") });
    expect(first).toContain(`the address of the API host must not end in /api: using ${url}`);
  });

  test("with an additional path", async () => {
    const [url, path] = [await startBehind(), "/some/where"];
    const { code, first } = await examine(url + path, { key: getKey("full") });
    expect([code, first]).toEqual([2, expect.stringContaining(`the service is at ${url}: give this address, without ${path}`)]);
  });

  test.each([301, 302, 307, 308])(
    "that redirects elsewhere with %i: the other server gets no request and no key",
    async (status) => {
      const other = await openServer(always(200, { data: [] }));
      const { url, received } = await openServer(({ path }, response) => response(status, "", { location: other.url + path }));
      const { code, first } = await examine(url, { key: "some-key" });
      expect([code, first]).toEqual([
        2,
        expect.stringMatching(new RegExp(`answered ${status} with a redirect to ${other.url}/api/repos.*, use ${other.url}`)),
      ]);
      expect(other.received).toEqual([]);
      expect(received.filter(({ headers }) => headers.authorization)).toEqual([]);
    },
  );

  test("that redirects to itself for ever", async () => {
    const { url, received } = await openServer(({ path }, response) => response(302, "", { location: path }));
    const { code, first } = await examine(url, { key: "some-key" });
    expect([code, first, received.length]).toEqual([2, expect.stringContaining("does not follow redirects"), 2]);
  });

  test("of a server without HTTP", async () => {
    const server = closeLater(await serveRaw((socket) => void socket.end("220 mail.example ESMTP\r\n")));
    expect(await examine(server.url)).toMatchObject({ code: 3, first: expect.stringMatching(/cannot be examined: .*HTTP/) });
  });

  test("of a server whose description names a command", async () => {
    const trapFile = join(ownDirectory(), "sprung");
    const description = (url: string) => ({
      base_url: url,
      clock: { now: { command: ["touch", trapFile] }, advance: { command: ["touch", trapFile] } },
      worlds: { create: { http: "POST https://elsewhere.example/x", headers: { x: { env: "HOME" } } } },
    });
    const server = await openServer(({ headers }, response) => response(200, description(`http://${headers.host}`)));
    const { code, first } = await examine(server.url);
    expect([code, existsSync(trapFile)]).toEqual([2, false]);
    expect(first).toMatch(
      /the command touch .*the address https:\/\/elsewhere\.example\/x, the environment variable HOME.*--target/,
    );
  });
});

describe("a host beside the API host", () => {
  test("that has no tool server", async () => {
    const url = await startBehind((relayedRequest, send) =>
      relayedRequest.path.startsWith("/mcp")
        ? Promise.resolve({ status: 404, headers: html, text: page("no") })
        : send(relayedRequest),
    );
    const args = ["--only", LIST, "--only", "mcp-protocol"];
    const { code, first, out } = await examine(url, { key: getKey("full"), lines: repos(), args });
    expect([code, first]).toEqual([
      3,
      expect.stringMatching(/^! There is no tool server: POST \S+\/mcp\/ answered 404 .*mcp_url/),
    ]);
    expect(out).toMatch(/the target offers no surface\.mcp/);
    expect(out).not.toContain("✗");
  });

  test.each([
    ["not named", 0, [], /^! The target names no docs host: set docs_url/],
    [
      "not there",
      3,
      ["docs_url: http://127.0.0.1:1"],
      /^! The docs host cannot be examined: GET http:\/\/127\.0\.0\.1:1\/openapi\.json got no answer/,
    ],
  ] as const)("of docs that is %s", async (_, exitCode, more, sentence) => {
    const args = ["--only", LIST, "--only", "openapi-public"];
    const { code, first, out } = await examine(await startBehind(), { key: getKey("full"), lines: [...repos(), ...more], args });
    expect([code, first]).toEqual([exitCode, expect.stringMatching(sentence)]);
    expect(out).toMatch(/the target offers no surface\.docs/);
  });
});

test("a mistake in a target file is reported with its place", async () => {
  const { code, err } = await examine("http://127.0.0.1:1", { lines: ["keyz: {}"] });
  expect([code, err]).toEqual([2, expect.stringMatching(/target\.yaml:2:1: .*keyz/)]);
});
