import { connect } from "node:net";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { bodyRoutes, everyRoute, validRequest } from "./bases.js";
import { judge, openService, type Service } from "./service.js";

let service: Service;
let before: string;
beforeAll(async () => {
  service = await openService();
});
beforeEach(async () => {
  service.mock.reset();
  before = await service.world();
});
afterEach(async () => {
  service.mock.reset();
  expect(await service.outcomeOf(validRequest("GET /api/jobs")), "the mock continues").toBe("200");
});
afterAll(() => service.close());

const key = "authorization: Bearer mock_full\r\n";
const host = `host: localhost\r\n${key}`;
const json = `${host}content-type: application/json\r\n`;
const repo = '{"owner":"acme","repo":"new","branch":"main"}';
const registration = `POST /api/repos HTTP/1.1\r\n${json}content-length: ${repo.length}\r\n\r\n${repo}`;
const list = `GET /api/jobs HTTP/1.1\r\n${host}\r\n`;
const last = `GET /api/jobs HTTP/1.1\r\n${host}connection: close\r\n\r\n`;

/** Sends bytes and reads until the server closes; the responses' outcomes in order. A broken connection is an exception. */
async function getOutcomes(bytes: string | Buffer | (string | Buffer)[]): Promise<string[]> {
  const received = await new Promise<string>((resolve, reject) => {
    const parts: Buffer[] = [];
    const socket = connect(Number(new URL(service.mock.api_url).port), "127.0.0.1");
    for (const part of [bytes].flat()) socket.write(part, "latin1");
    socket.on("data", (chunk) => parts.push(chunk)).on("error", reject);
    socket.on("close", () => resolve(Buffer.concat(parts).toString("utf8")));
  });
  return readResponses(received);
}

function readResponses(text: string): string[] {
  const outcomes: string[] = [];
  for (let rest = text; rest !== ""; ) {
    const [head, headers] = getHead(rest);
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(head)?.[1]);
    const behind = Buffer.from(rest.slice(head.length + 4));
    const length = Number(headers["content-length"] ?? 0);
    const body = behind.subarray(0, length).toString();
    if (status !== 100) outcomes.push(getOutcome(status, headers, body));
    rest = behind.subarray(length).toString();
  }
  return outcomes;
}

/** The transport has a separate status for a request that is too long. The catalogue does not contain it. */
function getOutcome(status: number, headers: Record<string, string>, body: string): string {
  return status === 431 ? `431 ${judge(400, headers, body)}` : judge(status, headers, body);
}

function getHead(text: string): [string, Record<string, string>] {
  const head = text.slice(0, text.indexOf("\r\n\r\n"));
  const lines = head.split("\r\n").slice(1);
  return [
    head,
    Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf(":")).toLowerCase(), line.slice(line.indexOf(":") + 2)])),
  ];
}

const hello = Buffer.from("160301020001000001fc0303", "hex");

const noRequests: [says: string, bytes: string | Buffer][] = [
  ["nothing of HTTP", "hello\r\n\r\n"],
  ["NULs", "\0\0\0\0\r\n\r\n"],
  ["a TLS greeting", hello],
  ["the preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"],
  ["no path", "GET\r\n\r\n"],
  ["a newer version", `GET /api/jobs HTTP/9.9\r\n${host}\r\n`],
  ["an invalid version", `GET /api/jobs HTTP/x\r\n${host}\r\n`],
  ["another protocol", `GET /api/jobs ICE/1.0\r\n${host}\r\n`],
  ["a made-up method", `FETCH /api/jobs HTTP/1.1\r\n${host}\r\n`],
  ["a method in lower case", `get /api/jobs HTTP/1.1\r\n${host}\r\n`],
  ["a blank in the path", `GET /api/jobs x HTTP/1.1\r\n${host}\r\n`],
  ["a relative path", `GET api/jobs HTTP/1.1\r\n${host}\r\n`],
  ["bytes beyond ASCII in the path", `GET /api/jobs/\u00c3\u00bc HTTP/1.1\r\n${host}\r\n`],
  ["a NUL in the path", `GET /api/jobs/\0 HTTP/1.1\r\n${host}\r\n`],
  ["a header without colon", `GET /api/jobs HTTP/1.1\r\n${host}nonsense\r\n\r\n`],
  ["a header without name", `GET /api/jobs HTTP/1.1\r\n${host}: x\r\n\r\n`],
  ["a blank before the colon", `GET /api/jobs HTTP/1.1\r\n${host}a : x\r\n\r\n`],
  ["a NUL in a header", `GET /api/jobs HTTP/1.1\r\n${host}a: \0\r\n\r\n`],
  ["two lengths", `POST /api/repos HTTP/1.1\r\n${json}content-length: 1\r\ncontent-length: 2\r\n\r\n{}`],
  ["a negative length", `POST /api/repos HTTP/1.1\r\n${json}content-length: -1\r\n\r\n{}`],
  ["a length that is not a number", `POST /api/repos HTTP/1.1\r\n${json}content-length: two\r\n\r\n{}`],
  ["an endless length", `POST /api/repos HTTP/1.1\r\n${json}content-length: ${"9".repeat(30)}\r\n\r\n{}`],
  [
    "a length and chunks",
    `POST /api/repos HTTP/1.1\r\n${json}content-length: 2\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`,
  ],
  ["a chunk without a size", `POST /api/repos HTTP/1.1\r\n${json}transfer-encoding: chunked\r\n\r\nzz\r\n${repo}\r\n0\r\n\r\n`],
  [
    "a chunk longer than its size",
    `POST /api/repos HTTP/1.1\r\n${json}transfer-encoding: chunked\r\n\r\n2\r\n${repo}\r\n0\r\n\r\n`,
  ],
  ["no host", `GET /api/jobs HTTP/1.1\r\n${key}\r\n`],
];

describe("an invalid request", () => {
  it.each(noRequests)("is refused in the envelope: %s", async (_, bytes) => {
    expect(await getOutcomes(bytes)).toEqual(["bad_request"]);
    expect(await service.world()).toBe(before);
  });

  it.each([
    ["a header", `GET /api/jobs HTTP/1.1\r\n${host}a: ${"x".repeat(20_000)}\r\n\r\n`],
    ["a path", `GET /api/jobs/${"x".repeat(20_000)} HTTP/1.1\r\n${host}\r\n`],
    ["a query", `GET /api/jobs?a=${"x".repeat(20_000)} HTTP/1.1\r\n${host}\r\n`],
    ["a key", `GET /api/jobs HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${"x".repeat(20_000)}\r\n\r\n`],
    ["many headers", `GET /api/jobs HTTP/1.1\r\n${host}${"a: b\r\n".repeat(20_000)}\r\n`],
    ["a header of a mebibyte", `GET /api/jobs HTTP/1.1\r\n${host}a: ${"x".repeat(1_048_576)}\r\n\r\n`],
  ])("is refused in the envelope if %s is too long", async (_, bytes) => {
    expect(await getOutcomes(bytes)).toEqual(["431 bad_request"]);
    expect(await service.world()).toBe(before);
  });
});

describe("an unusual request", () => {
  it.each<[says: string, bytes: string, outcome: string]>([
    ["an asterisk for a path", `OPTIONS * HTTP/1.1\r\n${host}connection: close\r\n\r\n`, "not_found"],
    ["an absolute address", `GET http://x/api/jobs HTTP/1.1\r\n${host}connection: close\r\n\r\n`, "200"],
    ["an absolute address of another host", `GET http://evil.example HTTP/1.1\r\n${host}connection: close\r\n\r\n`, "not_found"],
    ["an empty absolute address", `GET http:// HTTP/1.1\r\n${host}connection: close\r\n\r\n`, "not_found"],
    ["no version", "GET /api/jobs\r\n\r\n", "missing_key"],
    ["HTTP/1.0 without a Host", `GET /api/jobs HTTP/1.0\r\n${key}\r\n`, "200"],
    [
      "two Host headers, of which the first counts",
      `GET /api/jobs HTTP/1.1\r\n${host}host: b\r\nconnection: close\r\n\r\n`,
      "200",
    ],
    [
      "a Host that is not loopback",
      `GET /api/jobs HTTP/1.1\r\nhost: evil.example\r\n${host}connection: close\r\n\r\n`,
      "permission_denied",
    ],
    [
      "an Expect of 100-continue",
      registration.replace("\r\n\r\n", "\r\nexpect: 100-continue\r\nconnection: close\r\n\r\n"),
      "201",
    ],
    ["an unknown Expect", last.replace(key, `${key}expect: wonders\r\n`), "200"],
    ["an upgrade", last.replace("close", "close, upgrade").replace(key, `${key}upgrade: websocket\r\n`), "200"],
    ["two keys, of which the first counts", last.replace(key, `${key}authorization: Bearer nobody\r\n`), "200"],
    ["two keys, the first of another person", last.replace(key, `authorization: Bearer nobody\r\n${key}`), "invalid_key"],
    ["a header named __proto__", last.replace(key, `${key}__proto__: x\r\nconstructor: x\r\n`), "200"],
    ["a thousand headers", last.replace(key, `${key}${"a: b\r\n".repeat(1000)}`), "200"],
    ["bytes beyond ASCII in a header", last.replace(key, `${key}a: \u00ff\u00fe\r\n`), "200"],
    ["a preference that cannot be applied", last.replace(key, `${key}prefer: error=__proto__\r\n`), "bad_request"],
    ["a body in chunks", chunkBody(`${repo.length.toString(16)};a=b\r\n${repo}\r\n0\r\na: b\r\n\r\n`), "201"],
    ["no body in chunks", chunkBody("0\r\n\r\n"), "invalid_payload"],
    [
      "chunks with too many bytes",
      chunkBody(`${(2 << 20).toString(16)}\r\n${" ".repeat(2 << 20)}\r\n0\r\n\r\n`),
      "payload_too_large",
    ],
    ["two types", registration.replace("\r\n\r\n", "\r\ncontent-type: text/plain\r\nconnection: close\r\n\r\n"), "201"],
  ])("is answered: %s", async (_, bytes, outcome) => {
    expect(await getOutcomes(bytes)).toEqual([outcome]);
    if (!outcome.startsWith("2")) expect(await service.world()).toBe(before);
  });
});

function chunkBody(body: string): string {
  return `POST /api/repos HTTP/1.1\r\n${json}connection: close\r\ntransfer-encoding: chunked\r\n\r\n${body}`;
}

describe("a pipeline", () => {
  it("is answered in order", async () => {
    const bad = `GET /api/jobs/nothing HTTP/1.1\r\n${host}\r\n`;
    expect(await getOutcomes(list + bad + registration + bad + last)).toEqual(["200", "not_found", "201", "not_found", "200"]);
  });

  it.each([
    ["one list", list, ["200"]],
    ["two lists", list + list, ["200", "200"]],
    ["a registration", registration, ["201"]],
    ["a refused registration", registration.replace("owner", "owned"), ["invalid_payload"]],
  ])("with invalid bytes at its end is answered up to there: %s", async (_, good, outcomes) => {
    expect(await getOutcomes(`${good}garbage\r\n\r\n`)).toEqual([...outcomes, "bad_request"]);
    expect(await getOutcomes([good, "garbage\r\n\r\n".repeat(50_000)])).toEqual([
      ...outcomes.map((outcome) => (outcome === "201" ? "repo_already_registered" : outcome)),
      "bad_request",
    ]);
  });
});

describe("a client that closes the connection", () => {
  const heads = everyRoute.map((route): [string, string] => {
    const { method, path } = validRequest(route);
    const more = bodyRoutes.includes(route) ? "content-type: application/json\r\n" : "";
    return [route, `${method} ${path} HTTP/1.1\r\n${host}${more}content-length: 99\r\n\r\n{"workflow":`];
  });

  it.each(heads.filter(([route]) => bodyRoutes.includes(route as never)))(
    "in the middle of the body of %s changes nothing",
    async (_, bytes) => {
      const answered = () => service.mock.journal().filter(({ status }) => status !== null).length;
      const calls = answered();
      for (const ending of ["end", "reset"] as const) await leave(bytes, ending);
      for (let cut = 10; cut < bytes.length; cut += 40) await leave(bytes.slice(0, cut), "reset");
      expect(answered()).toBe(calls);
      expect(await service.world()).toBe(before);
    },
  );
});

/** Sends bytes, then hangs up: in good order, or by breaking the connection. */
async function leave(bytes: string, ending: "end" | "reset"): Promise<void> {
  const socket = connect(Number(new URL(service.mock.api_url).port), "127.0.0.1");
  await new Promise((resolve) => socket.write(bytes, resolve));
  const closed = new Promise((resolve) =>
    socket
      .on("close", resolve)
      .on("error", () => {})
      .resume(),
  );
  if (ending === "end") socket.end();
  else socket.resetAndDestroy();
  await closed;
}
