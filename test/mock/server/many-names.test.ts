import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Mock, startMock } from "../../../src/index.js";

/** The number of names that fit into a body of 1 MB, the longest that the API accepts. */
const count = 60_000;
/** The number of names that fit into a request line and headers of 16 KB. */
const inHead = 1000;
/** No request may take longer on a quiet machine, in milliseconds of processor time. */
const maxMs = 100;
/** The processor time in which a quiet machine parses a body of names. It takes longer on a slow or busy one, and so does everything else. */
const quietParseMs = 10;

const names = (max: number) => Array.from({ length: max }, (_, i) => `name${i}`);
const unknown = Object.fromEntries(names(count).map((name) => [name, 1]));
const toolCall = (method: string, params: object) => ({ jsonrpc: "2.0", id: 1, method, params });
const jobs = "POST /api/repos/acme/web/main/jobs";
const world = "/__mock/worlds/default";

const inputs: [what: string, line: string, body: unknown, headers?: Record<string, string>][] = [
  ["fields", jobs, { workflow: "audit", params: {}, ...unknown }],
  ["fields of a resource", "POST /api/repos", unknown],
  ["params of a workflow", jobs, { workflow: "audit", params: unknown }],
  ["paths", jobs, { workflow: "audit", params: { paths: names(count) } }],
  ["paths of a wrong type", jobs, { workflow: "audit", params: { paths: names(count).map(() => 1) } }],
  ["levels", jobs, "[".repeat(400_000) + "]".repeat(400_000)],
  ["long numbers", jobs, `[${`${"1".repeat(299)},`.repeat(3000)}1]`],
  [
    "characters of a cursor",
    "POST /mcp/",
    toolCall("tools/call", { name: "list_repositories", arguments: { cursor: "-".repeat(1_000_000) } }),
  ],
  [
    "characters of a search",
    "POST /mcp/",
    toolCall("tools/call", { name: "list_observations", arguments: { search: "a".repeat(1_000_000) } }),
  ],
  ["query parameters", `GET /api/observations?${names(inHead).join("=1&")}`, undefined],
  ["equal query parameters", `GET /api/observations?${names(inHead).fill("status=x").join("&")}`, undefined],
  ["headers", "GET /api/jobs", undefined, Object.fromEntries(names(inHead).map((name) => [name, "1"]))],
  ["preferences", "GET /api/jobs", undefined, { prefer: names(inHead).join("=1, ") }],
  ["entity tags", "GET /api/jobs", undefined, { "if-none-match": names(inHead).join('", "') }],
  ["media types", "POST /mcp/", toolCall("tools/list", {}), { accept: names(inHead).join("/a, ") }],
  ["arguments of a tool", "POST /mcp/", toolCall("tools/call", { name: "list_observations", arguments: unknown })],
  ["arguments of a prompt", "POST /mcp/", toolCall("prompts/get", { name: "x", arguments: unknown })],
  ["members of JSON-RPC", "POST /mcp/", unknown],
  ["params of JSON-RPC", "POST /mcp/", toolCall("tools/list", unknown)],
  ["messages of a batch", "POST /mcp/", names(count / 4).map((name) => toolCall(name, {}))],
  ["options of a world", "POST /__mock/worlds", unknown],
  ["keys of a fixture", "POST /__mock/worlds", { id: "many", fixture: unknown }],
  ["values of a wrong type in a fixture", "POST /__mock/worlds", { fixture: { repositories: names(count).map(() => 1) } }],
  ["lines of a refused value", "POST /__mock/worlds", { fixture: "a\n".repeat(300_000) }],
  ["words of a refused value", `POST ${world}/clock/advance`, { by: "token=abc&".repeat(100_000) }],
  ["keys of a snapshot", `PUT ${world}/snapshot`, unknown],
  ["arguments of an event", `POST ${world}/drive/find`, unknown],
  ["fields of a fault", `POST ${world}/faults`, { on: "GET /api/jobs", ...unknown }],
  ["fields of a match", `POST ${world}/journal/verify`, { match: unknown, exactly: 0 }],
  ["fields of a body in a match", `POST ${world}/journal/verify`, { match: { body: unknown }, exactly: 0 }],
  ["matches in order", `POST ${world}/journal/verify`, { in_order: names(count / 20).map((path) => ({ path: `/${path}` })) }],
  ["buckets", `PUT ${world}/buckets`, unknown],
  ["options of a clock", `POST ${world}/clock`, unknown],
];

/** Requests about a world with 200 calls, each with a long query and a body of many names. */
const readings: typeof inputs = [
  ["the journal", `GET ${world}/journal`, undefined],
  ["calls with a status", `GET ${world}/journal?status=504`, undefined],
  ["calls with an unknown route", `GET ${world}/journal?route=nothing`, undefined],
  ["calls with an unknown role", `GET ${world}/journal?role=nobody`, undefined],
  ["calls with a path", `GET ${world}/journal?path=/nothing`, undefined],
  ["calls with unread parts", `GET ${world}/journal?unread=true`, undefined],
  ["calls with a header", `POST ${world}/journal/find`, { headers: { "x-none": true } }],
  ["calls with an unknown parameter", `POST ${world}/journal/find`, { query: { nothing: "1" } }],
  ["calls with a body", `POST ${world}/journal/find`, { body: { workflow: "audit" } }],
  ["calls with an unknown response", `POST ${world}/journal/find`, { answer: { error: { code: "nothing" } } }],
  ["the closest calls", `POST ${world}/journal/verify`, { match: { body: { workflow: "discover" } }, exactly: 1 }],
  ["calls in order", `POST ${world}/journal/verify`, { in_order: names(200).map(() => ({ body: { workflow: "audit" } })) }],
  ["an HTTP archive", `GET ${world}/journal/har`, undefined],
  ["the stream from the first call", `GET ${world}/journal/stream?after=0`, undefined],
  ["the log", `GET ${world}/log`, undefined],
];

let mock: Mock;
let maxMsNow: number;

beforeAll(async () => {
  mock = await startMock({ port: 0, appPort: 0, docsPort: 0, limits: "off", journal: 5 });
  const text = JSON.stringify(unknown);
  maxMsNow = maxMs * Math.max(1, (await fastest(() => JSON.parse(text))) / quietParseMs);
});
afterAll(() => mock.close());

it.each(inputs)("takes less than 100 ms for many %s", async (what, ...input) => {
  const spent = await fastest(() => send(...input), maxMsNow);
  console.log(`${what}: ${spent.toFixed(0)} ms of processor time, at most ${maxMsNow.toFixed(0)}`);
  expect(spent).toBeLessThan(maxMsNow);
});

describe("a journal of long calls", () => {
  beforeAll(async () => {
    await mock.close();
    mock = await startMock({ port: 0, appPort: 0, docsPort: 0, limits: "off" });
    for (let i = 0; i < 200; i++) {
      const params = Object.fromEntries(names(800).map((name) => [`${name}x${i}`, 1]));
      await send(`${jobs}?${"a=b&".repeat(1500)}${i}`, { workflow: "audit", params });
    }
  });

  it.each(readings)("takes less than 100 ms of each turn of the event loop for %s", async (what, ...input) => {
    const spent = await longestTurn(() => send(...input), maxMsNow);
    console.log(`${what}: ${spent.toFixed(0)} ms of processor time in a turn, at most ${maxMsNow.toFixed(0)}`);
    expect(spent).toBeLessThan(maxMsNow);
  });
});

/** Sends a request, and reads the response: of a stream, the first 200 events. */
async function send(line: string, body: unknown, headers: Record<string, string> = {}): Promise<void> {
  const [method, path] = line.split(" ") as [string, string];
  const text = typeof body === "string" || body === undefined ? body : JSON.stringify(body);
  const response = await mock.fetch(`${mock.api_url}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${mock.keys.full}`,
      accept: "application/json, text/event-stream",
      "content-type": "application/json",
      ...headers,
    },
    ...(text !== undefined && { body: text }),
  });
  if (response.headers.get("content-type") === "text/event-stream" && response.body && method === "GET") {
    let count = 0;
    for await (const part of response.body) {
      const bytes = Buffer.from(part.buffer, part.byteOffset, part.byteLength);
      for (let at = bytes.indexOf("event: call"); at >= 0; at = bytes.indexOf("event: call", at + 1)) count++;
      if (count >= 199) break; // a name at the edge of two parts is not counted
    }
  } else await response.text();
  expect(response.status).toBeLessThan(500);
}

/** Returns the most processor time of one turn of the event loop, in milliseconds: the best of three runs, or the first below `enough`. */
async function longestTurn(work: () => Promise<void>, enough: number): Promise<number> {
  let min = Number.POSITIVE_INFINITY;
  for (let i = 0; i < 3 && min >= enough; i++) {
    let longest = 0;
    let begun = process.cpuUsage();
    let immediate = setImmediate(function endTurn() {
      longest = Math.max(longest, process.cpuUsage(begun).user / 1000);
      begun = process.cpuUsage();
      immediate = setImmediate(endTurn);
    });
    await work().finally(() => clearImmediate(immediate));
    min = Math.min(min, longest);
  }
  return min;
}

/** Returns the milliseconds of processor time of the fastest of three runs, or of the first run below `enough`. */
async function fastest(work: () => unknown, enough = 0): Promise<number> {
  let min = Number.POSITIVE_INFINITY;
  for (let i = 0; i < 3 && min >= enough; i++) {
    const begun = process.cpuUsage();
    await work();
    min = Math.min(min, process.cpuUsage(begun).user / 1000);
  }
  return min;
}
