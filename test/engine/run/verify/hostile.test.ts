import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Report } from "../../../../src/engine/report/report.js";
import { type VerifyOptions, verify } from "../../../../src/engine/run/verify.js";
import { type Mock, startMock } from "../../../../src/mock/server.js";
import { suite } from "../../../../src/suite/suite.js";
import { sampled } from "../../../meta/sample.js";
import { getBytes, openHostile, type RawResponse, type ResponseWriter, sendSlowly } from "../hostile-proxy.js";

/** Some of everything: reads, writes, a burst, a race, a hook, refusals, and both ways to talk to the tool server. */
const SOME = [
  "page-limit",
  "bucket-fix",
  "job-retry-race",
  "observation-acknowledge",
  "scope-view-submit",
  "mcp-protocol",
  "mcp-tool-acknowledge",
];

let mock: Mock;
let clean: Record<string, string>;

beforeAll(async () => {
  mock = await startMock({ clock: "frozen" });
  clean = getVerdicts(await examine(mock.api_url));
});
afterAll(() => mock.close());

async function examine(url: string, options: VerifyOptions = {}): Promise<Report> {
  const { report, messages } = await verify(suite, { url, only: SOME, seed: 1, preflight: false, ...options });
  if (!report) throw new Error(messages.join("\n"));
  return report;
}

/** Examines the mock behind a proxy with manners. */
async function verifyBehind(
  behaviour: ResponseWriter,
  options: VerifyOptions & { timeoutSeconds?: number } = {},
): Promise<Report> {
  const proxy = await openHostile(mock, behaviour, options);
  try {
    return await examine(proxy.url, options);
  } finally {
    await proxy.close();
  }
}

function getVerdicts({ clauses, checks }: Report): Record<string, string> {
  return Object.fromEntries([...clauses, ...checks].map(({ id, verdict }) => [id, verdict]));
}

const failures = ({ checks, scenarios }: Report) => [
  ...checks.filter(({ verdict }) => verdict === "failed").map(({ id, actual }) => `${id}: ${actual}`),
  ...scenarios.filter(({ verdict }) => verdict === "harness-error").map(({ scenario, reason }) => `${scenario}: ${reason}`),
];
const joinReasons = ({ checks }: Report) => checks.map(({ reason = "" }) => reason).join("\n");

const inChunks = ({ body }: RawResponse) => {
  const [half, rest] = [body.subarray(0, body.length / 2), body.subarray(body.length / 2)];
  const chunks = [half, rest]
    .filter(({ length }) => length > 0)
    .flatMap((chunk) => [`${chunk.length.toString(16)};ext=1\r\n`, chunk, "\r\n"]);
  return Buffer.concat([...chunks, "0\r\nx-trailer: late\r\n\r\n"].map((piece) => Buffer.from(piece as string)));
};
const unknownEncoding =
  (coding: string, code: (body: Buffer) => Buffer): ResponseWriter =>
  (response, socket) =>
    socket.end(
      response.body.length === 0
        ? getBytes(response)
        : getBytes(response, { headers: [...response.headers, `content-encoding: ${coding}`], body: code(response.body) }),
    );
const getText = (response: RawResponse, change: (text: string) => string) =>
  getBytes(response, { body: change(response.body.toString()) });

describe("a server that is unusual but conforms", () => {
  const unusualServers: [what: string, manner: ResponseWriter][] = [
    [
      "writes byte by byte",
      (response, socket) =>
        sendSlowly(
          socket,
          [...getBytes(response)].length > 3000
            ? [getBytes(response)]
            : [...getBytes(response)].map((byte) => Buffer.from([byte])),
        ),
    ],
    [
      "writes in chunks with trailers",
      (response, socket) =>
        socket.end(
          response.status === 204
            ? getBytes(response)
            : getBytes(response, { body: inChunks(response), framing: ["transfer-encoding: chunked"] }),
        ),
    ],
    ["compresses with gzip", unknownEncoding("gzip", gzipSync)],
    ["compresses with deflate", unknownEncoding("deflate", deflateSync)],
    ["compresses with brotli", unknownEncoding("br", brotliCompressSync)],
    ["closes each connection without a word", (response, socket) => socket.end(getBytes(response, { framing: [] }))],
    [
      "sends its headers twice",
      (response, socket) => socket.end(getBytes(response, { headers: [...response.headers, ...response.headers] })),
    ],
    [
      "speaks HTTP/1.0",
      (response, socket) => socket.end(getBytes(response).toString("latin1").replace("HTTP/1.1", "HTTP/1.0"), "latin1"),
    ],
    [
      "informs before it answers",
      (response, socket) =>
        sendSlowly(socket, [
          Buffer.from("HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n"),
          getBytes(response),
        ]),
    ],
    [
      "says 100 to everything",
      (response, socket) => sendSlowly(socket, [Buffer.from("HTTP/1.1 100 Continue\r\n\r\n"), getBytes(response)]),
    ],
    [
      "adds 500 headers",
      (response, socket) =>
        socket.end(
          getBytes(response, {
            headers: [...response.headers, ...Array.from({ length: 500 }, (_, n) => `x-${n}: ${"v".repeat(50)}`)],
          }),
        ),
    ],
    [
      "begins with a byte order mark",
      (response, socket) => socket.end(getText(response, (text) => (text === "" ? text : `\ufeff${text}`))),
    ],
  ];
  test.each(sampled(unusualServers, 1))("%s, and no verdict changes", { timeout: 60_000 }, async (_, behaviour) => {
    expect(getVerdicts(await verifyBehind(behaviour))).toEqual(clean);
  });
});

describe("a server without a clear answer", () => {
  const page = "<!DOCTYPE html><title>Bad Gateway</title>";
  const gateway =
    (status: number): ResponseWriter =>
    (response, socket, draw) =>
      socket.end(
        draw < 0.4 ? getBytes({ ...response, status, headers: ["content-type: text/html"] }, { body: page }) : getBytes(response),
      );

  const unclear: [what: string, manner: ResponseWriter, reason: RegExp][] = [
    [
      "resets half of all connections",
      (response, socket, draw) => (draw < 0.5 ? socket.resetAndDestroy() : socket.end(getBytes(response))),
      /closed the connection/,
    ],
    [
      "breaks off half of all answers",
      (response, socket, draw) =>
        socket.end(
          draw < 0.5 ? getBytes(response, { framing: [`content-length: ${response.body.length + 9}`] }) : getBytes(response),
        ),
      /closed the connection/,
    ],
    [
      "never answers now and then",
      (response, socket, draw) => void (draw < 0.2 || socket.end(getBytes(response))),
      /no complete answer within/,
    ],
    [
      "says it compresses, and does not",
      (response, socket, draw) =>
        socket.end(
          draw < 0.5 ? getBytes(response, { headers: [...response.headers, "content-encoding: gzip"] }) : getBytes(response),
        ),
      /the body cannot be decoded with its content-encoding "gzip"/,
    ],
    [
      "compresses with an unknown coding",
      (response, socket) => socket.end(getBytes(response, { headers: [...response.headers, "content-encoding: zz"] })),
      /content-encoding "zz"/,
    ],
    ["is behind a gateway that answers 502", gateway(502), /a gateway answered 502 with an HTML page/],
    ["is behind a gateway that answers 504", gateway(504), /a gateway answered 504 with an HTML page/],
    ["is behind a gateway that answers 503", gateway(503), /503/],
    [
      "sends 20 MB of headers",
      (_, socket) => socket.end(`HTTP/1.1 200 OK\r\nx: ${"y".repeat(20_000_000)}\r\n\r\n`),
      /headers are larger than/,
    ],
    [
      "sends two lengths",
      (response, socket) => socket.end(getBytes(response, { framing: ["content-length: 1", "content-length: 2"] })),
      /no answer/,
    ],
  ];
  test.each(sampled(unclear, 1))("%s is never at fault", { timeout: 60_000 }, async (_, behaviour, reason) => {
    const report = await verifyBehind(behaviour, { maxWait: 1, seed: 7, timeoutSeconds: 1 });
    expect(failures(report)).toEqual([]);
    expect(joinReasons(report)).toMatch(reason);
    const unusualServers = Object.entries(getVerdicts(report)).filter(
      ([id, verdict]) => clean[id] !== verdict && !["inconclusive", "not-observed"].includes(verdict),
    );
    expect(unusualServers).toEqual([]);
    expect(report.verdict).toBe("inconclusive");
  });
});

describe("a server that breaks the contract on the wire", () => {
  test("with an occasional 500 is a finding, with the 500 as evidence", { timeout: 60_000 }, async () => {
    const body = JSON.stringify({ error: { type: "server_error", code: "internal_error", message: "no", request_id: "r" } });
    const report = await verifyBehind(
      (response, socket, draw) => socket.end(draw < 0.5 ? getBytes({ ...response, status: 500 }, { body }) : getBytes(response)),
      { seed: 3 },
    );
    expect(report.verdict).toBe("failed");
    for (const failure of failures(report)) expect(failure).toMatch(/500|internal_error/);
    const unusualServers = Object.entries(getVerdicts(report)).filter(
      ([id, verdict]) => clean[id] !== verdict && !["failed", "inconclusive", "not-observed"].includes(verdict),
    );
    expect(unusualServers).toEqual([]);
  });

  test("with a page of HTML and status 200 is a finding", { timeout: 60_000 }, async () => {
    const report = await verifyBehind((response, socket) =>
      socket.end(getBytes({ ...response, status: 200, headers: ["content-type: text/html"] }, { body: "<!DOCTYPE html><p>" })),
    );
    expect(report.verdict).toBe("failed");
    expect(failures(report).join("\n")).toContain("an HTML page");
  });

  test("with invalid UTF-8 does not break the run", { timeout: 60_000 }, async () => {
    const breakResponse: ResponseWriter = (response, socket) => {
      const text = response.body
        .toString("latin1")
        .replace(/"(id|ref|message|title|name)":"/g, (field) => `${field}\\ud800\\u0000\\u001b[31m\xff\xfe`);
      socket.end(getBytes(response, { body: Buffer.from(text, "latin1") }));
    };
    const report = await verifyBehind(breakResponse);
    expect(report.scenarios.filter(({ verdict }) => verdict === "harness-error")).toEqual([]);
    expect(report.checks.map(({ actual = "", reason = "" }) => actual + reason).join("")).not.toMatch(/\p{Cc}/u);
  });
});
