import { connect } from "node:net";
import { Client } from "undici";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { applyForwarded, ticket } from "../../../../src/mock/cluster/workers/passed-on.js";
import { findOwner } from "../../../../src/mock/cluster/workers/place.js";
import type { Entry } from "../../../../src/mock/journal/read-entry.js";
import { send, sendBytes } from "../../client.js";
import { waitUntil } from "../store/programs.js";
import { endWorkers, isAlive, startWorkers, type Workers } from "./workers.js";

const count = 3;
/** A name for a world of each worker. */
const [isLocal, second, third] = [0, 1, 2].map((owner) => {
  for (let i = 0; ; i++) if (findOwner(`t${i}`, count) === owner) return `t${i}`;
}) as [string, string, string];

describe("a mock of three processes", () => {
  let mock: Workers;
  const found = (id: string) => send(`POST ${mock.url}/__mock/worlds`, { json: { id, clock: "frozen" } });
  const journal = async (id: string): Promise<Entry[]> =>
    (await send(`GET ${mock.url}/__mock/worlds/${id}/journal`)).json.entries as Entry[];

  beforeAll(async () => {
    mock = await startWorkers(count);
    for (const id of [isLocal, second, third]) expect((await found(id)).json.keys.full).toBe(`mock_${id}_full`);
  });
  afterAll(endWorkers);

  it("answers calls like one process, lists all worlds, and has each world once", async () => {
    const responses = [
      await send(`POST ${mock.url}/__mock/worlds`, { json: {} }),
      await send(`POST ${mock.url}/__mock/worlds`, { json: {} }),
    ];
    expect(responses.map(({ status, json }) => [status, json.id])).toEqual([
      [201, "w1"],
      [201, "w2"],
    ]);
    const { json } = await send(`GET ${mock.url}/__mock/worlds`);
    expect(json.worlds).toEqual(["default", ...[isLocal, second, third, "w1", "w2"].sort()]);
    expect((await send(`GET ${mock.url}/__mock/health`)).json.worlds).toBe(6);
    for (const id of [isLocal, second, third]) expect(await found(id)).toMatchObject({ status: 409, json: { field: "id" } });
    for (const id of ["w1", "w2"]) expect((await send(`DELETE ${mock.url}/__mock/worlds/${id}`)).status).toBe(204);
    const missingClientResponse = await send(`GET ${mock.url}/__mock/worlds/w1`);
    expect([missingClientResponse.status, missingClientResponse.json.allowed]).toEqual([
      404,
      ["default", ...[isLocal, second, third].sort()],
    ]);
  });

  it("selects the world by the key for each request of a connection", async () => {
    const client = new Client(mock.url);
    const keys = [isLocal, second, third].map((id) => `mock_${id}_full`);
    for (const key of [...keys, "mock_no_fix", ...keys.reverse()]) {
      const response = await client.request({ method: "GET", path: "/api/jobs", headers: { authorization: `Bearer ${key}` } });
      expect([key, response.statusCode]).toEqual([key, 200]);
      await response.body.dump();
    }
    await client.close();
    for (const id of [isLocal, second, third])
      expect((await journal(id)).map(({ request }) => request)).toEqual(["GET /api/jobs", "GET /api/jobs"]);
  });

  it("lets the default world refuse an unknown key, in the usual order", async () => {
    const countBefore = (await journal("default")).length;
    for (const key of ["mock_ghost_full", "mock_gone_full", "nothing"]) {
      const { status, json } = await send(`GET ${mock.url}/api/jobs`, { key });
      expect([status, json.error.code]).toEqual([401, "invalid_key"]);
    }
    expect((await journal("default")).length).toBe(countBefore + 3);
  });

  it("forwards a request and its answer unchanged", async () => {
    const bytes = [
      "POST /api/repos/acme/web/main/jobs HTTP/1.1",
      `hOST: ${new URL(mock.url).host}`,
      `Authorization: Bearer mock_${third}_full`,
      "X-Twice: 1",
      "x-twice: 2",
      "Content-Type: application/json",
      "Transfer-Encoding: chunked",
      "",
      "10",
      '{"workflow":"aud',
      "f",
      'it","params":{}',
      "1",
      "}",
      "0",
      "",
      "",
    ].join("\r\n");
    const first = `GET /api/jobs HTTP/1.1\r\nHost: x.localhost\r\nAuthorization: Bearer mock_${second}_full\r\n\r\n`;
    const last = `HEAD /api/jobs HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer mock_${third}_full\r\nConnection: close\r\n\r\n`;
    const text = await sendBytes(mock.url, first + bytes + last);
    expect([...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)).toEqual(["200", "201", "200"]);
    expect(text).toMatch(/content-length: \d+\r\nConnection: close\r\n\r\n$/);
    const [posted] = (await journal(third)).slice(-2);
    expect(posted).toMatchObject({ body: { workflow: "audit", params: {} }, status: 201 });
    const heads = posted as unknown as { headers: Record<string, string> };
    expect(heads.headers).toMatchObject({ "x-twice": "1, 2", "transfer-encoding": "chunked" });
    expect(Object.keys(heads.headers).some((name) => name.startsWith("x-counterpart"))).toBe(false);
  });

  it.each([
    ["CONNECTION_RESET_BY_PEER", /^reset$/],
    ["EMPTY_RESPONSE", /^$/],
    ["MALFORMED_RESPONSE_CHUNK", /\r\n\r\nzz\r\nno chunk$/],
    ["RANDOM_DATA_THEN_CLOSE", /^lskdu0/],
  ])("breaks the connection as the world's worker does: %s", async (socket, shownPattern) => {
    const on = "GET /api/jobs";
    expect((await send(`POST ${mock.url}/__mock/worlds/${second}/faults`, { json: { on, first: 1, socket } })).status).toBe(201);
    const ask = (key: string) => `GET /api/jobs HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\n\r\n`;
    // the first leads the connection to another worker
    const text = await openWith(mock.url, ask(`mock_${third}_full`), ask(`mock_${second}_full`));
    expect(text).toMatch(shownPattern);
  });

  it("returns the answer to a body that is too long", async () => {
    const first = `GET /api/jobs HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer mock_${third}_full\r\n\r\n`;
    const head = `POST /api/repos/acme/web/main/jobs HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer mock_${second}_full\r\n`;
    const countBefore = (await journal(second)).length;
    const text = await openWith(
      mock.url,
      first,
      `${head}Content-Type: text/plain\r\nContent-Length: 5000000\r\n\r\n${"x".repeat(5e6)}`,
    );
    expect(text).toMatch(/^HTTP\/1\.1 413 .*"code":"payload_too_large"/s);
    expect((await journal(second)).length).toBe(countBefore + 1);
  });

  it("streams the calls of a world of another worker", async () => {
    const client = new Client(mock.url);
    await (
      await client.request({ method: "GET", path: "/api/jobs", headers: { authorization: `Bearer mock_${third}_full` } })
    ).body.dump();
    const { body } = await client.request({ method: "GET", path: `/__mock/worlds/${second}/journal/stream` });
    const calls = body[Symbol.asyncIterator]();
    expect(String((await calls.next()).value)).toContain(": the journal");
    await send(`GET ${mock.url}/api/repos`, { key: `mock_${second}_full` });
    expect(String((await calls.next()).value)).toContain("GET /api/repos");
    await client.destroy();
  });

  it("loses no byte while it passes a connection to a worker", async () => {
    const body = JSON.stringify({ workflow: "audit", params: { paths: ["x".repeat(40_000)] } });
    const countBefore = (await journal(second)).length;
    const head = `POST /api/repos/acme/web/main/jobs HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer mock_${second}_full\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n`;
    const statuses = await Promise.all(
      Array.from({ length: 60 }, (_, i) =>
        inPieces(mock.url, head + body, [i * 3, head.length - (i % 5), head.length + i * 400]),
      ),
    );
    // one job is all of them, and the limits of the plan refuse some
    expect(statuses.filter((status) => !["200", "201", "429"].includes(status))).toEqual([]);
    expect((await journal(second)).length).toBe(countBefore + 60);
  });

  it("joins the client reports of the worlds of all workers", async () => {
    await send(`DELETE ${mock.url}/__mock/client-report`);
    for (const id of [isLocal, second, third]) await send(`GET ${mock.url}/api/jobs?cursor=made-up`, { key: `mock_${id}_full` });
    const { requests, findings } = (await send(`GET ${mock.url}/__mock/client-report`)).json;
    const worlds = findings[0].examples.map(({ world }: { world: string }) => world);
    expect([requests, findings[0].id, worlds.sort()]).toEqual([3, "builds-cursor", [isLocal, second, third].sort()]);
  });

  it("refuses a connection without the workers' secret", async () => {
    const inbound = await applyForwarded(
      "secret",
      { worlds: () => ["w1"], "client-tally": () => null, "forget-clients": () => null },
      (_, __, response) => response.end(),
    );
    const url = `http://127.0.0.1:${inbound.port}`;
    const ask = (value: string) => sendBytes(url, `GET / HTTP/1.1\r\n${ticket}: ${value}\r\nConnection: close\r\n\r\n`);
    expect(await ask("secret worlds")).toContain('["w1"]');
    expect([await ask("other worlds"), await ask(""), await ask("worlds")]).toEqual(["", "", ""]);
    inbound.close();
  });

  it("restarts a killed worker, reports the lost worlds, and the others continue", async () => {
    expect((await send(`POST ${mock.url}/__mock/worlds/${third}/clock/advance`, { json: { by: "1h" } })).status).toBe(200);
    process.kill(mock.pids()[findOwner(second, count)]!, "SIGKILL");
    await waitUntil(async () => mock.said().includes("\n"));
    expect(mock.said()).toBe(
      `counterpart: worker 2 of 3 ended (SIGKILL) and is started again. Its worlds are lost, because there is no --store: ${second}.\n`,
    );
    expect((await send(`GET ${mock.url}/api/jobs`, { key: `mock_${third}_full` })).status).toBe(200);
    await waitUntil(async () => (await found(second)).status === 201);
    expect((await send(`GET ${mock.url}/api/jobs`, { key: `mock_${second}_full` })).status).toBe(200);
    expect((await journal(second)).length).toBe(1);
  });

  it("stops every worker when its front is killed", async () => {
    const pids = mock.pids();
    await mock.end("SIGKILL");
    await waitUntil(async () => pids.every((pid) => !isAlive(pid)));
  });
});

/** Sends a request, and a second one after the first response. Returns the bytes after the first response. */
function openWith(url: string, first: string, next: string): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    let text: string | null = null;
    const socket = connect(Number(port), hostname, () => socket.write(first));
    socket.on("data", (bytes) => {
      if (text === null) {
        text = "";
        socket.write(next);
      } else text += bytes.toString("latin1");
      if (/\r\n\r\n\{.*\}$/s.test(text)) socket.end(); // a kept connection would stay for a minute
    });
    socket.on("error", () => resolve("reset"));
    socket.on("close", () => resolve(text ?? ""));
  });
}

/** Sends bytes in parts, with a pause after each part. Returns the status of the response. */
async function inPieces(url: string, bytes: string, cuts: number[]): Promise<string> {
  const { hostname, port } = new URL(url);
  const socket = connect({ port: Number(port), host: hostname, noDelay: true });
  let text = "";
  socket.on("data", (piece) => {
    text += piece.toString("latin1");
  });
  const closed = new Promise((resolve) => socket.once("close", resolve));
  let at = 0;
  for (const cut of [...cuts, bytes.length]) {
    socket.write(bytes.slice(at, Math.max(at, cut)));
    at = Math.max(at, cut);
    await new Promise((resolve) => setTimeout(resolve, cut % 4));
  }
  await closed;
  return /HTTP\/1\.1 (\d+)/.exec(text)?.[1] ?? text;
}
