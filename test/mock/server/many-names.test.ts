import { afterAll, beforeAll, expect, it } from "vitest";
import { type Mock, startMock } from "../../../src/index.js";

/** The number of names that fit into a body of 1 MB, the longest that the API accepts. */
const count = 60_000;
/** The number of names that fit into a request line and headers of 16 KB. */
const inHead = 1000;
/** The handling may take this many times the processor time of parsing the body. Listing the valid names for each name took 19 times it. */
const mostParses = 12;
/** A shorter measurement says nothing. */
const leastMs = 5;

const names = (most: number) => Array.from({ length: most }, (_, i) => `name${i}`);
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
  ["query parameters", `GET /api/observations?${names(inHead).join("=1&")}`, undefined],
  ["equal query parameters", `GET /api/observations?${names(inHead).fill("status=x").join("&")}`, undefined],
  ["headers", "GET /api/jobs", undefined, Object.fromEntries(names(inHead).map((name) => [name, "1"]))],
  ["preferences", "GET /api/jobs", undefined, { prefer: names(inHead).join("=1, ") }],
  ["entity tags", "GET /api/jobs", undefined, { "if-none-match": names(inHead).join('", "') }],
  ["media types", "POST /mcp/", toolCall("tools/list", {}), { accept: names(inHead).join("/a, ") }],
  ["arguments of a tool", "POST /mcp/", toolCall("tools/call", { name: "list_observations", arguments: unknown })],
  ["arguments of a prompt", "POST /mcp/", toolCall("prompts/get", { name: "x", arguments: unknown })],
  ["params of JSON-RPC", "POST /mcp/", toolCall("tools/list", unknown)],
  ["messages of a batch", "POST /mcp/", names(count / 4).map((name) => toolCall(name, {}))],
  ["options of a world", "POST /__mock/worlds", unknown],
  ["keys of a fixture", "POST /__mock/worlds", { id: "many", fixture: unknown }],
  ["keys of a snapshot", `PUT ${world}/snapshot`, unknown],
  ["arguments of an event", `POST ${world}/drive/find`, unknown],
  ["fields of a fault", `POST ${world}/faults`, { on: "GET /api/jobs", ...unknown }],
  ["fields of a match", `POST ${world}/journal/verify`, { match: unknown, exactly: 0 }],
  ["fields of a body in a match", `POST ${world}/journal/verify`, { match: { body: unknown }, exactly: 0 }],
  ["matches in order", `POST ${world}/journal/verify`, { in_order: names(count / 20).map((path) => ({ path: `/${path}` })) }],
  ["buckets", `PUT ${world}/buckets`, unknown],
  ["options of a clock", `POST ${world}/clock`, unknown],
];

let mock: Mock;

beforeAll(async () => {
  mock = await startMock({ port: 0, appPort: 0, docsPort: 0, limits: "off", journal: 5 });
});
afterAll(() => mock.close());

it.each(inputs)("takes a time in proportion to the bytes of many unknown %s", async (what, line, body, headers = {}) => {
  const [method, path] = line.split(" ") as [string, string];
  const text = typeof body === "string" || body === undefined ? body : JSON.stringify(body);
  const send = async () => {
    const answer = await mock.fetch(`${mock.api_url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${mock.keys.full}`,
        accept: "application/json, text/event-stream",
        "content-type": "application/json",
        ...headers,
      },
      ...(text !== undefined && { body: text }),
    });
    await answer.text();
    expect(answer.status).toBeLessThan(500);
  };
  const parsing = Math.max(leastMs, await fastest(() => typeof body === "string" || JSON.parse(text ?? "0")));
  const spent = await fastest(send, mostParses * parsing);
  console.log(`${what}: ${spent.toFixed(0)} ms of processor time, ${(spent / parsing).toFixed(1)} times the parsing`);
  expect(spent / parsing).toBeLessThan(mostParses);
});

/** Returns the milliseconds of processor time of the fastest of three runs, or of the first run below `enough`. */
async function fastest(work: () => unknown, enough = 0): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let i = 0; i < 3 && least >= enough; i++) {
    const begun = process.cpuUsage();
    await work();
    least = Math.min(least, process.cpuUsage(begun).user / 1000);
  }
  return least;
}
