import type { Socket } from "node:net";
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import { afterEach, describe, expect, test } from "vitest";
import type { Exchange } from "../../../../src/engine/http/exchange.js";
import { readBodyText } from "../../../../src/engine/http/exchange.js";
import { openWire } from "../../../../src/engine/http/rest.js";
import { responseText, serveRaw } from "../../raw.js";

const JSON_TEXT = '{"a":1}';
const CHUNKED = "transfer-encoding: chunked";
const open: { close(): Promise<void> }[] = [];

afterEach(async () => {
  await Promise.all(open.splice(0).map((each) => each.close()));
});

async function sendTo(response: (socket: Socket, request: string) => void, times = 1, timeoutMs = 5000): Promise<Exchange[]> {
  const server = await serveRaw(response);
  const wire = openWire({ timeoutMs, maxBytes: 1_000_000 });
  open.push(wire, server);
  const exchanges: Exchange[] = [];
  for (let n = 0; n < times; n++) exchanges.push(await wire.send({ method: "GET", url: `${server.url}/${n}`, headers: {} }));
  return exchanges;
}

const getOutcome = ({ response, failure }: Exchange) => (response ? readBodyText(response) : failure.kind);

/** Writes a response in chunks, each in a separate packet. */
function sendSlowly(socket: Socket, chunks: readonly (string | Buffer)[]): void {
  const [chunk, ...rest] = chunks;
  if (chunk === undefined || socket.destroyed) return;
  socket.write(chunk, () => setTimeout(() => sendSlowly(socket, rest), 2));
}

describe("an unusual but complete answer is accepted", () => {
  test.each<[string, Buffer | string]>([
    ["of HTTP/1.0, which ends with its connection", responseText(JSON_TEXT, ["connection: close"], "HTTP/1.0 200 OK")],
    [
      "after informational answers",
      `HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n${responseText(JSON_TEXT)}`,
    ],
    [
      "in chunks, with extensions and trailers",
      responseText(`3;x=y\r\n{"a\r\n4\r\n":1}\r\n0\r\nx-sum: 7\r\n\r\n`, [CHUNKED, "trailer: x-sum"]),
    ],
    ["with gzip", responseText(gzipSync(JSON_TEXT), ["content-encoding: gzip"])],
    ["with GZIP in capitals", responseText(gzipSync(JSON_TEXT), ["Content-Encoding:  GZIP "])],
    ["with deflate", responseText(deflateSync(JSON_TEXT), ["content-encoding: deflate"])],
    ["with raw deflate", responseText(deflateRawSync(JSON_TEXT), ["content-encoding: deflate"])],
    ["with brotli", responseText(brotliCompressSync(JSON_TEXT), ["content-encoding: br"])],
    ["with two codings", responseText(brotliCompressSync(gzipSync(JSON_TEXT)), ["content-encoding: gzip, br"])],
    [
      "with two codings in two headers",
      responseText(gzipSync(gzipSync(JSON_TEXT)), ["content-encoding: gzip", "content-encoding: gzip"]),
    ],
    ["with the coding identity", responseText(JSON_TEXT, ["content-encoding: identity"])],
    ["with a byte order mark", responseText(`\ufeff${JSON_TEXT}`)],
    [
      "with 900 headers",
      responseText(
        JSON_TEXT,
        Array.from({ length: 900 }, (_, n) => `x-${n}: ${n}`),
      ),
    ],
    ["with a header of 30 KB", responseText(JSON_TEXT, [`x-a: ${"a".repeat(30_000)}`])],
    ["with an unknown status", responseText(JSON_TEXT, [], "HTTP/1.1 799 Odd")],
  ])("%s", async (_, bytes) => {
    expect((await sendTo((socket) => socket.end(bytes))).map(getOutcome)).toEqual([JSON_TEXT]);
  });

  test.each([
    ["with the answer", [`HTTP/1.1 100 Continue\r\n\r\n${responseText(JSON_TEXT)}`]],
    ["before the answer", ["HTTP/1.1 100 Continue\r\nx-a: b\r\n\r\n", "HTTP/1.1 100 Continue\r\n\r\n", responseText(JSON_TEXT)]],
  ])("after an unrequested 100, sent %s", async (_, chunks) => {
    expect((await sendTo((socket) => sendSlowly(socket, chunks), 3)).map(getOutcome)).toEqual([JSON_TEXT, JSON_TEXT, JSON_TEXT]);
  });

  test("sent byte by byte", async () => {
    const bytes = [...responseText(JSON_TEXT, [CHUNKED]).subarray(0, -JSON_TEXT.length)].map((byte) => Buffer.from([byte]));
    expect(
      (await sendTo((socket) => sendSlowly(socket, [...bytes, "7\r\n", ...JSON_TEXT, "\r\n0", "\r\n", "\r\n"]))).map(getOutcome),
    ).toEqual([JSON_TEXT]);
  });

  test("with repeated headers", async () => {
    const twice = ["content-type: application/json", "content-type: application/json", "vary: a", "vary: b"];
    const [{ response } = {}] = await sendTo((socket) => socket.end(responseText(JSON_TEXT, twice)));
    expect(response?.headers).toMatchObject({ "content-type": "application/json", vary: "a, b" });
  });
});

describe("an invalid or incomplete answer is a failure", () => {
  test.each<[string, Buffer | string, string]>([
    ["fewer bytes than its content-length", responseText(JSON_TEXT, ["content-length: 99"]), "reset"],
    ["two lengths", responseText(JSON_TEXT, ["content-length: 7", "content-length: 8"]), "protocol"],
    ["incomplete chunks", responseText("7\r\n", [CHUNKED]), "reset"],
    ["chunks without a valid size", responseText("zz\r\n", [CHUNKED]), "protocol"],
    ["an unknown coding", responseText(JSON_TEXT, ["content-encoding: rot13"]), "protocol"],
    ["a coding that was not applied", responseText(JSON_TEXT, ["content-encoding: gzip"]), "protocol"],
    ["half of a gzip", responseText(gzipSync(JSON_TEXT).subarray(0, 15), ["content-encoding: gzip"]), "protocol"],
    ["headers of 100 KB", responseText(JSON_TEXT, [`x-a: ${"a".repeat(100_000)}`]), "too-large"],
    ["JSON of 5000 levels", responseText("[".repeat(5000) + "]".repeat(5000)), "too-large"],
    ["no HTTP", "hello\r\n\r\n", "protocol"],
    ["an alert of TLS", Buffer.from([0x15, 3, 1, 0, 2, 2, 0x46]), "protocol"],
    ["an unrequested upgrade", "HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n", "protocol"],
    ["nothing", "", "reset"],
  ])("%s", async (_, bytes, kind) => {
    expect((await sendTo((socket) => socket.end(bytes))).map(getOutcome)).toEqual([kind]);
  });

  test("brackets in a string do not count as nesting", async () => {
    const text = JSON.stringify({ a: `\\"${"[{".repeat(5000)}` });
    expect((await sendTo((socket) => socket.end(responseText(text)))).map(getOutcome)).toEqual([text]);
  });

  test("a slow stream that exceeds the timeout", async () => {
    const sendSlowBytes = (socket: Socket) => {
      socket.write(`HTTP/1.1 200 OK\r\n${CHUNKED}\r\n\r\n`);
      const timer = setInterval(() => socket.write("1\r\n \r\n"), 20);
      socket.on("close", () => clearInterval(timer));
    };
    expect((await sendTo(sendSlowBytes, 1, 300)).map(getOutcome)).toEqual(["timeout"]);
  });
});

describe("a server that closes connections", () => {
  test("gets a new connection for each later request", async () => {
    let answered = 0;
    const server = await serveRaw((socket) => {
      answered += 1;
      socket.end(responseText(JSON_TEXT));
    });
    const wire = openWire({ timeoutMs: 5000 });
    open.push(wire, server);
    const send = () => wire.send({ method: "POST", url: server.url, headers: {} });
    await send();
    await new Promise((resolve) => setTimeout(resolve, 20)); // about as long as the preflight takes
    const later = [];
    for (let n = 0; n < 200; n++) later.push(getOutcome(await send()));
    expect(new Set(later)).toEqual(new Set([JSON_TEXT]));
    expect([answered, server.connections()]).toEqual([201, 201]);
  });

  test("keeps one connection until the server closes it", async () => {
    const server = await serveRaw((socket) => void socket.write(responseText(JSON_TEXT)));
    const wire = openWire({ timeoutMs: 5000 });
    open.push(wire, server);
    for (let n = 0; n < 20; n++) await wire.send({ method: "GET", url: server.url, headers: {} });
    expect(server.connections()).toBeLessThan(4);
  });

  test("gets each connection closed when an event stream has sent enough or an answer is too large", async () => {
    const held = new Set<Socket>();
    const server = await serveRaw((socket, request) => {
      held.add(socket);
      socket.on("close", () => held.delete(socket));
      const stream = responseText('data: {"jsonrpc":"2.0","id":1,"result":{}}\n\n', [
        "content-type: text/event-stream",
        "connection: close",
      ]);
      socket.write(request.includes("/large") ? responseText("x".repeat(2000), ["content-length: 99999"]) : stream);
    });
    const wire = openWire({ timeoutMs: 60_000, maxBytes: 1000 });
    open.push(wire, server);
    const send = (path: string) => wire.send({ method: "POST", url: server.url + path, headers: {} });
    expect((await Promise.all([send("/"), send("/"), send("/large")])).map(getOutcome)).toEqual([
      expect.stringContaining("result"),
      expect.stringContaining("result"),
      "too-large",
    ]);
    await expect.poll(() => held.size).toBe(0);
  });
});
