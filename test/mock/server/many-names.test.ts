import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Mock, startMock } from "../../../src/index.js";
import { createWorldFromFixture } from "../../../src/service/fixture/fixture.js";
import { readFixture } from "../../service/world.js";

/** The number of names that fit into a body of 1 MB, the longest that the API accepts. */
const count = 60_000;
/** The number of names that fit into a request line and headers of 16 KB. */
const inHead = 1000;
/** The most processor time of one request on an idle machine, in milliseconds. */
const maxMs = 100;
/** The processor time in which a quiet machine parses a body of names. A busy machine takes longer, also for everything else. */
const quietParseMs = 15;

const names = (max: number) => Array.from({ length: max }, (_, i) => `name${i}`);
const unknown = Object.fromEntries(names(count).map((name) => [name, 1]));
const toolCall = (method: string, params: object) => ({ jsonrpc: "2.0", id: 1, method, params });
const jobs = "POST /api/repos/acme/web/main/jobs";
const world = "/__mock/worlds/default";

const demo = readFixture("demo");
const generated = Object.fromEntries(
  demo.repositories!.map(({ owner, repo, branch }) => [`${owner}/${repo}/${branch}`, 200_000]),
);
/** Returns the demo fixture with this many more repositories. */
const getFixture = (more: number) => {
  const { repositories = [] } = demo;
  return JSON.stringify({
    ...demo,
    repositories: [...repositories, ...names(more).map((repo) => ({ ...repositories[0]!, discovery: [], repo }))],
  });
};
/** Returns the text of a snapshot of the default world with this many generated observations. */
function getSnapshot(count: number): string {
  const world = createWorldFromFixture(
    { ...demo, generate: { observations: { "acme/web/main": count } } },
    { id: "default", seed: 1 },
  );
  return JSON.stringify({ snapshot: 1, world });
}

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
  ["rows of a snapshot", `PUT ${world}/snapshot`, getSnapshot(2000)],
  ["rows of a snapshot of another world", "POST /__mock/worlds", `{"fixture":${getSnapshot(2000)}}`],
  ["repositories of a fixture", "POST /__mock/worlds", `{"fixture":${getFixture(2000)}}`],
  ["generated observations", "POST /__mock/worlds", { fixture: { ...demo, generate: { observations: generated } } }],
  ["observations of an event", `POST ${world}/drive/seed-observations`, { repo: "acme/web/main", count: 200_000 }],
  ["short values of a snapshot", `PUT ${world}/snapshot`, `{"a":[${"[],".repeat(690_000)}1]}`],
  ["short values of a snapshot beyond its limit", `PUT ${world}/snapshot`, `{"a":[${"[],".repeat(3_000_000)}1]}`],
  ["keys of a snapshot", `PUT ${world}/snapshot`, unknown],
  ["arguments of an event", `POST ${world}/drive/find`, unknown],
  ["fields of a fault", `POST ${world}/faults`, { on: "GET /api/jobs", ...unknown }],
  ["fields of a match", `POST ${world}/journal/verify`, { match: unknown, exactly: 0 }],
  ["fields of a body in a match", `POST ${world}/journal/verify`, { match: { body: unknown }, exactly: 0 }],
  ["matches in order", `POST ${world}/journal/verify`, { in_order: names(count / 20).map((path) => ({ path: `/${path}` })) }],
  ["buckets", `PUT ${world}/buckets`, unknown],
  ["options of a clock", `POST ${world}/clock`, unknown],
];

/** Requests about a world with 50 calls, each with a long query and a body of many names. In one turn, each would take a few 100 ms. */
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
];

/** Requests that need 200 such calls to take longer than 100 ms in one turn. */
const longReadings: typeof inputs = [
  ["the log", `GET ${world}/log`, undefined],
  ["the snapshot", `GET ${world}/snapshot`, undefined],
];

const parsedText = JSON.stringify(unknown);
let lastParseMs = parseMs();
let mock: Mock;

beforeAll(async () => {
  mock = await startMock({ port: 0, appPort: 0, docsPort: 0, limits: "off", journal: 5 });
});
afterAll(() => mock.close());

it.each(inputs)("takes less than 100 ms for many %s", async (what, ...input) => {
  const spent = await fastest(async () => {
    const begun = process.cpuUsage();
    await send(...input);
    return process.cpuUsage(begun).user / 1000;
  });
  console.log(`${what}: ${spent.toFixed(0)} ms of processor time of a quiet machine`);
  expect(spent).toBeLessThan(maxMs);
});

describe("a journal of long calls", () => {
  let calls = 0;
  const record = async (total: number) => {
    for (; calls < total; calls++) {
      const params = Object.fromEntries(names(800).map((name) => [`${name}x${calls}`, 1]));
      await send(`${jobs}?${"a=b&".repeat(1500)}${calls}`, { workflow: "audit", params });
    }
  };
  const title = "takes less than 100 ms of each turn of the event loop for %s";
  const checkTurns = async (what: string, ...input: Parameters<typeof send>) => {
    const spent = await fastest(() => longestTurn(() => send(...input)));
    console.log(`${what}: ${spent.toFixed(0)} ms of processor time of a quiet machine in a turn`);
    expect(spent).toBeLessThan(maxMs);
  };

  beforeAll(async () => {
    await mock.close();
    mock = await startMock({ port: 0, appPort: 0, docsPort: 0, limits: "off" });
    await record(50);
  });
  it.each(readings)(title, checkTurns);

  describe("with 200 calls", () => {
    beforeAll(() => record(200));
    it.each(longReadings)(title, checkTurns);
  });
});

/** Sends a request, and reads the response: of a stream, the first 49 events. */
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
      if (count >= 49) break; // a name at the edge of two parts is not counted
    }
  } else await response.text();
  expect(response.status).toBeLessThan(500);
}

/** Returns the most processor time of one turn of the event loop, in milliseconds. */
async function longestTurn(work: () => Promise<void>): Promise<number> {
  let longest = 0;
  let begun = process.cpuUsage();
  let immediate = setImmediate(function endTurn() {
    longest = Math.max(longest, process.cpuUsage(begun).user / 1000);
    begun = process.cpuUsage();
    immediate = setImmediate(endTurn);
  });
  await work().finally(() => clearImmediate(immediate));
  return longest;
}

/** Returns the fastest of three measurements, or the first below the maximum: the milliseconds that it would be on a quiet machine. */
async function fastest(measure: () => Promise<number>): Promise<number> {
  let min = Number.POSITIVE_INFINITY;
  for (let i = 0; i < 3 && min >= maxMs; i++) {
    const before = lastParseMs;
    const spent = await measure();
    lastParseMs = parseMs(); // the load of the machine changes from test to test
    min = Math.min(min, spent / Math.max(1, (before + lastParseMs) / 2 / quietParseMs));
  }
  return min;
}

/** Returns the processor time in which this machine parses a body of names now, in milliseconds: the faster of two. */
function parseMs(): number {
  const times = [1, 2].map(() => {
    const begun = process.cpuUsage();
    JSON.parse(parsedText);
    return process.cpuUsage(begun).user / 1000;
  });
  return Math.min(...times);
}
