import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Mock, openMock, startMock } from "../../src/mock/server.js";
import { openProxy } from "../../src/proxy/proxy.js";
import { send } from "../mock/client.js";
import { connect } from "../mock/mcp/messages.js";

const here = mkdtempSync(join(tmpdir(), "recording-"));
const file = join(here, "recording.ndjson");
const polled: string[] = [];
const observations = "/api/observations?status=new&limit=3";
let job: string;
let page: unknown;
let tool: unknown;
let replayingMock: Mock;

beforeAll(async () => {
  const real = await startMock({ clock: "frozen" });
  const proxy = await openProxy({
    upstream: real.api_url,
    host: "127.0.0.1",
    port: 0,
    timeoutSeconds: 5,
    record: file,
  });
  const key = real.keys.full!;
  page = (await send(`GET ${proxy.url}${observations}`, { key })).json;
  const submit = { key, json: { workflow: "audit", params: {} } };
  job = (await send(`POST ${proxy.url}/api/repos/${real.repos[0]}/jobs`, submit)).json.id;
  for (let i = 0; i < 3; i++) {
    polled.push((await send(`GET ${proxy.url}/api/jobs/${job}`, { key })).json.status);
    real.advance({ until: "next-event" });
  }
  await send(`GET ${proxy.url}/api/jobs/none`, { key });
  const { client } = await connect(`${proxy.url}/mcp/`, key);
  tool = (await client.callTool({ name: "list_observations", arguments: { status: "new", limit: 2 } })).structuredContent;
  await client.close();
  await proxy.close();
  await real.close();
  replayingMock = await startMock({ clock: "frozen", fixture: "empty", answers: file });
});
afterAll(async () => {
  await replayingMock.close();
  rmSync(here, { recursive: true });
});

const get = (path: string) => send(`GET ${replayingMock.api_url}${path}`, { key: replayingMock.keys.full! });

describe("a mock with a recording", () => {
  test("replays a recorded answer, with the query in any order", async () => {
    expect((await get(observations)).json).toEqual(page);
    const { json, headers } = await get("/api/observations?limit=3&status=new");
    expect([json, headers["x-mock-recorded"]]).toEqual([page, "true"]);
    expect(await get("/api/jobs/none")).toMatchObject({ status: 404, json: { error: { type: "not_found" } } });
  });

  test("replays changing answers in order, then repeats the last one", async () => {
    const statuses = [];
    for (let i = 0; i < 4; i++) statuses.push((await get(`/api/jobs/${job}`)).json.status);
    expect(new Set(polled).size).toBeGreaterThan(1);
    expect(statuses).toEqual([...polled, polled.at(-1)]);
  });

  test("replays tool calls too", async () => {
    const { client } = await connect(replayingMock.mcp_url, replayingMock.keys.full!);
    const result = await client.callTool({ name: "list_observations", arguments: { limit: 2, status: "new" } });
    expect(result.structuredContent).toEqual(tool);
    await client.close();
  });

  test("answers other calls as usual, and refuses calls without a key", async () => {
    expect((await get("/api/observations?status=closed")).headers["x-mock-recorded"]).toBeUndefined();
    expect((await send(`GET ${replayingMock.api_url}${observations}`)).status).toBe(401);
  });

  test("accepts no other file", async () => {
    const other = join(here, "other.txt");
    writeFileSync(other, "hello");
    expect(await openMock({ answers: other })).toEqual({ problem: expect.stringMatching(/other\.txt is not a recording/) });
    expect(await openMock({ answers: join(here, "none") })).toEqual({ problem: expect.stringMatching(/does not exist/) });
    writeFileSync(other, `${readFileSync(file, "utf8")}{"cut`);
    const mock = await openMock({ answers: other });
    expect("problem" in mock).toBe(false);
    if (!("problem" in mock)) await mock.close();
  });
});
