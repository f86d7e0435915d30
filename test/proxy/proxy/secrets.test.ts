import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { createServer as createSocketServer, connect as openSocket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { openProxy } from "../../../src/proxy/proxy.js";
import { send } from "../../mock/client.js";
import { openProxyWithServer, startProxy, waitUntil } from "../open.js";

const here = mkdtempSync(join(tmpdir(), "proxy-secrets-"));
afterAll(() => rmSync(here, { recursive: true }));

const fields = ["access_token", "refresh_token", "id_token", "api_key", "password", "client_secret"];
const getSecret = (where: string, field: string) => `${where}-${field}-Zx81`;
const getBody = (where: string) => Object.fromEntries(fields.map((field) => [field, getSecret(where, field)]));

describe("a recording of the proxy", () => {
  test("contains no secret of a body, form, query or cookie, even if it became known later", async () => {
    const later = "tok_7fK29xQm41Zp";
    const url = await openProxyWithServer((request, response) => {
      const body =
        request.url === "/api/first"
          ? { note: `use ${later}`, encoded: Buffer.from(later).toString("base64") }
          : getBody("answer");
      response
        .writeHead(200, { "content-type": "application/json", "set-cookie": "sid=cookie-of-answer-1" })
        .end(JSON.stringify(body));
    });
    const record = join(here, "recording.ndjson");
    const proxy = await openProxy({ upstream: url, host: "127.0.0.1", port: 0, timeoutSeconds: 5, record });
    await send(`GET ${proxy.url}/api/first`);
    const query = new URLSearchParams(getBody("query"));
    await send(`POST ${proxy.url}/api/second?${query}`, {
      json: { deep: [getBody("request")] },
      headers: { cookie: "sid=cookie-of-request-1" },
    });
    const form = new URLSearchParams(getBody("form")).toString();
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    await fetch(`${proxy.url}/api/third`, { method: "POST", body: form, headers });
    await send(`GET ${proxy.url}/api/fourth?echo=${getSecret("form", "password")}`, { key: later });
    const before = readFileSync(record, "utf8");
    const places = ["answer", "request", "query", "form"].flatMap((where) => fields.map((field) => getSecret(where, field)));
    for (const secret of [...places, "cookie-of-answer-1", "cookie-of-request-1"]) expect(before).not.toContain(secret);
    const report = JSON.stringify(proxy.report());
    await proxy.close();
    const text = readFileSync(record, "utf8");
    for (const secret of [...places, later, Buffer.from(later).toString("base64")]) expect(text + report).not.toContain(secret);
    expect(
      text
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line).number),
    ).toEqual([undefined, 1, 2, 3, 4]);
    expect([statSync(record).mode & 0o777, readdirSync(here)]).toEqual([0o600, ["recording.ndjson"]]);
  });

  test("and its report hide a short secret that a finding repeats", async () => {
    const url = await openProxyWithServer((_, response) =>
      response.writeHead(200, { "content-type": "text/event-stream" }).end('data: {"token":"Zx81"}\n\n'),
    );
    const { proxy, lines } = await startProxy(url);
    await send(`GET ${proxy.url}/api/jobs`, { key: "a-key-of-the-client-1", headers: { accept: "x; password=Qy92" } });
    await waitUntil(() => lines.length > 0);
    const report = proxy.report();
    expect(report.server.violations.length + report.client.findings.length).toBeGreaterThan(0);
    expect(JSON.stringify([report, lines])).not.toMatch(/Zx81|Qy92/);
  });

  test("leaves out bodies with more than 10,000 values, and passes them on", async () => {
    const text = `[${'{"password":"p"},'.repeat(12_000)}0]`;
    const url = await openProxyWithServer((_, response) =>
      response.writeHead(200, { "content-type": "application/json" }).end(text),
    );
    const { proxy, lines } = await startProxy(url);
    const response = await fetch(`${proxy.url}/api/jobs`, {
      method: "POST",
      body: text,
      headers: { "content-type": "application/json" },
    });
    expect(await response.text()).toBe(text);
    await waitUntil(() => lines.length > 0);
    expect([lines[0]!.body, lines[0]!.answer.body]).toEqual(["(too long to be kept)", undefined]);
  });

  test("has a verdict that masking cannot hide", async () => {
    const url = await openProxyWithServer((_, response) =>
      response.writeHead(404, { "content-type": "application/json" }).end('{"no":1}'),
    );
    const { proxy } = await startProxy(url);
    await send(`GET ${proxy.url}/api/jobs`, { key: "findings" });
    expect(proxy.report().server.verdict).toBe("findings");
  });
});

test("an error during judging prints one sentence, and the proxy continues", async () => {
  const url = await openProxyWithServer((_, response) =>
    response.writeHead(200, { "content-type": "application/json" }).end("{}"),
  );
  const problems: string[] = [];
  const onExchange = () => {
    throw new Error("of secret-of-the-client");
  };
  const onProblem = (sentence: string) => void problems.push(sentence);
  const proxy = await openProxy({ upstream: url, host: "127.0.0.1", port: 0, timeoutSeconds: 5, onExchange, onProblem });
  for (const _ of [1, 2]) expect((await send(`GET ${proxy.url}/api/jobs`, { key: "secret-of-the-client" })).status).toBe(200);
  await proxy.close();
  expect(new Set(problems)).toEqual(
    new Set(["The proxy could not judge or record GET /api/jobs (of ***). The report may lack this exchange."]),
  );
  expect(problems).toHaveLength(2);
});

test("headers that `Connection` names are removed in both directions", async () => {
  let received = "";
  const server = createSocketServer((socket) => {
    socket.on("error", () => {});
    socket.on("data", (piece) => {
      received += piece;
      const head = ["HTTP/1.1 200 OK", "Connection: X-Inner, keep-alive", "X-Inner: server-1", "X-Outer: 1", "Content-Length: 2"];
      if (received.includes("\r\n\r\n")) socket.write(`${head.join("\r\n")}\r\n\r\n{}`);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { proxy } = await startProxy(`http://127.0.0.1:${(server.address() as { port: number }).port}`);
  const head = ["GET /api/jobs HTTP/1.1", "Host: localhost", "Connection: X-Hop , close", "X-Hop: client-1", "X-End: 1"];
  const response = await exchange(proxy.url, `${head.join("\r\n")}\r\n\r\n`);
  server.close();
  expect([/x-hop: client-1/i.test(received), /x-end: 1/i.test(received)]).toEqual([false, true]);
  expect([/x-inner/i.test(response), /x-outer: 1/i.test(response)]).toEqual([false, true]);
});

describe("the proxy is never blocked for long by", () => {
  const large = 500_000;
  const inBody = (text: string) => ({ path: "/api/jobs", text });
  const hostile: [what: string, request: { path: string; text: string }][] = [
    ["a long URL of `&`", { path: `/api/jobs?${"&".repeat(14_000)}`, text: "" }],
    ["a long URL of names", { path: `/api/jobs?${"key".repeat(4600)}`, text: "" }],
    ["a long URL of `?key`", { path: `/api/jobs?${"?key".repeat(3500)}`, text: "" }],
    ["malformed percent codes", { path: `/api/jobs?${"%25%".repeat(3500)}=%zz`, text: "" }],
    ["a huge query", { path: `/api/jobs?${Array.from({ length: 2500 }, (_, n) => `a${n % 9}=b`).join("&")}`, text: "" }],
    ["deep JSON", inBody(`${"[".repeat(large / 2)}${"]".repeat(large / 2)}`)],
    ["many small lists", inBody(`[${"[],".repeat(large / 3)}0]`)],
    ["many fields", inBody(`{${Array.from({ length: large / 12 }, (_, n) => `"k${n}":1`).join(",")}}`)],
    ["many passwords", inBody(`[${Array.from({ length: 4000 }, (_, n) => `{"password":"p${n * 7919}-secret"}`).join(",")}]`)],
    ["a long password", inBody(JSON.stringify({ password: "a1".repeat(large / 2) }))],
    ["backslashes", inBody(JSON.stringify({ note: "\\".repeat(large / 2) }))],
    ["text that is not JSON", inBody(`token=${'="'.repeat(large / 2)}`)],
  ];

  test.each(hostile)("%s", async (_, { path, text }) => {
    const url = await openProxyWithServer((request, response) => {
      request
        .resume()
        .on("end", () =>
          response.writeHead(200, { "content-type": "application/json" }).end(request.url === "/api/jobs" ? text : "{}"),
        );
    });
    const { proxy, lines } = await startProxy(url);
    await send(`GET ${proxy.url}/api/repos`, { key: "a-key-of-the-client-1" });
    let [longest, last] = [0, performance.now()];
    const watch = setInterval(() => {
      longest = Math.max(longest, performance.now() - last);
      last = performance.now();
    }, 1);
    const length = Buffer.byteLength(text);
    const head = `POST ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: ${length}`;
    await exchange(proxy.url, `${head}\r\n\r\n${text}`);
    await waitUntil(() => lines.length > 1);
    clearInterval(watch);
    expect(lines.length).toBe(2);
    expect(longest).toBeLessThan(1000);
  });
});

/** Sends bytes and returns all that comes back until the connection ends. */
async function exchange(url: string, bytes: string): Promise<string> {
  const { hostname, port } = new URL(url);
  const socket = openSocket(Number(port), hostname);
  let response = "";
  socket.on("data", (piece) => {
    response += piece;
  });
  socket.on("error", () => {});
  socket.write(bytes);
  await once(socket, "close");
  return response;
}
