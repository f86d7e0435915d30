import { connect } from "node:net";
import { expect, test } from "vitest";
import { openProxyWithServer, startProxy, waitUntil } from "./open.js";

const requests: [what: string, bytes: string, answer: string, line: object][] = [
  ["no HTTP", "hello\r\n\r\n", "400 Bad Request", { method: "(unreadable)", failure: /with 400: it is not valid HTTP/ }],
  ["an unknown method", "FETCH /api/jobs HTTP/1.1\r\nhost: a\r\n\r\n", "400 Bad Request", { method: "FETCH", url: "/api/jobs" }],
  ["HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "400 Bad Request", { method: "PRI", url: "*" }],
  [
    "two lengths",
    "POST /api/jobs HTTP/1.1\r\nhost: a\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n{}",
    "400 Bad Request",
    { method: "POST", url: "/api/jobs", status: null },
  ],
  [
    "long headers",
    `GET /api/jobs?token=secret-4711 HTTP/1.1\r\nhost: a\r\nx-a: ${"a".repeat(20_000)}\r\n\r\n`,
    "431 Request Header Fields Too Large",
    { method: "GET", url: "/api/jobs?token=***", failure: /with 431: its headers are too long/ },
  ],
  [
    "a tunnel",
    "CONNECT a.example:443 HTTP/1.1\r\nhost: a\r\n\r\n",
    "405 Method Not Allowed",
    { method: "CONNECT", url: "a.example:443" },
  ],
];

test.each(requests)(
  "the proxy answers and records a request with %s, and reports no finding about the server",
  async (_, bytes, response, line) => {
    const { proxy, lines } = await startProxy(await openProxyWithServer((_, response) => response.end("{}")));
    const text = await exchange(proxy.url, bytes);
    expect(text).toMatch(new RegExp(`^HTTP/1.1 ${response}\r\n.*"code":"bad_request"`, "s"));
    await waitUntil(() => lines.length > 0);
    const { failure, ...rest } = line as { failure?: RegExp };
    expect(lines).toMatchObject([{ number: 1, failure: expect.stringMatching(failure ?? /the proxy refused it with/), ...rest }]);
    expect(proxy.report()).toMatchObject({ requests: 1, server: { unanswered: 1, unreachable: 0, violations: [] } });
  },
);

const passed: [what: string, head: string][] = [
  ["an upgrade", "GET /api/jobs HTTP/1.1\r\nhost: localhost\r\nconnection: upgrade\r\nupgrade: websocket\r\n"],
  ["an unknown expectation", "GET /api/jobs HTTP/1.1\r\nhost: localhost\r\nexpect: cake\r\n"],
  ["no host", "GET /api/jobs HTTP/1.1\r\n"],
  ["the asterisk form", "OPTIONS * HTTP/1.1\r\nhost: localhost\r\n"],
  ["dots in its path", "GET /api/../%2e%2E/a HTTP/1.1\r\nhost: localhost\r\n"],
];

test.each(passed)("a request with %s reaches the server unchanged and is recorded", async (_, head) => {
  const { proxy, lines } = await startProxy(
    await openProxyWithServer(({ method, url }, response) => response.end(`${method} ${url}`)),
  );
  const requestLine = /^\S+ \S+/.exec(head)?.[0] ?? "";
  const response = await exchange(proxy.url, `${head}connection: close\r\n\r\n`);
  expect(response).toMatch(/^HTTP\/1.1 200 OK\r\n/);
  expect(response).toContain(requestLine);
  await waitUntil(() => lines.length > 0);
  expect(lines.map(({ method, url, status }) => `${method} ${url} ${status}`)).toEqual([`${requestLine} 200`]);
});

/** Sends bytes and returns the response. */
function exchange(url: string, bytes: string): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    let text = "";
    const socket = connect(Number(port), hostname, () => void socket.write(bytes));
    socket.on("data", (part) => (text += String(part)));
    socket.on("close", () => resolve(text));
    socket.on("error", () => resolve(text));
  });
}

test.each([
  ["a page of another origin", "host: 127.0.0.1\r\norigin: http://evil.example", undefined],
  ["a page without an origin", "host: localhost\r\norigin: null", undefined],
  ["a name that an attacker points to this machine", "host: evil.example", undefined],
  ["another name than the allowed one", "host: b.example", ["a.example"]],
])("the proxy forwards nothing for %s", async (_, headers, allowHost) => {
  let forwarded = 0;
  const upstream = await openProxyWithServer((_, response) => response.end(String(++forwarded)));
  const { proxy, lines } = await startProxy(upstream, 10, allowHost);
  const text = await exchange(proxy.url, `GET /api/jobs HTTP/1.1\r\n${headers}\r\n\r\n`);
  expect(text).toMatch(/^HTTP\/1.1 403 Forbidden\r\n.*"code":"permission_denied"/s);
  expect([forwarded, lines]).toMatchObject([0, [{ failure: expect.stringMatching(/refused it with 403: .* proxy/) }]]);
});

test.each([
  ["this machine", "host: localhost:1\r\norigin: http://localhost:3000", undefined],
  ["an allowed name", "host: a.example", ["a.example"]],
  ["no name", "accept: */*", undefined],
])("the proxy forwards a request for %s", async (_, headers, allowHost) => {
  const { proxy } = await startProxy(await openProxyWithServer((_, response) => response.end("{}")), 10, allowHost);
  expect(await exchange(proxy.url, `GET /api/jobs HTTP/1.1\r\n${headers}\r\nconnection: close\r\n\r\n`)).toMatch(
    /^HTTP\/1.1 200 /,
  );
});
