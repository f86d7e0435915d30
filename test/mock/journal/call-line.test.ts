import { describe, expect, it } from "vitest";
import { formatCallLine } from "../../../src/mock/journal/call-line.js";
import { startMock } from "../../../src/mock/server.js";
import { send } from "../client.js";
import { post, toolCall } from "../mcp/messages.js";
import { openOneWorld } from "../one-world.js";

const { mock, world, get, submit, newest } = openOneWorld();

describe("the line of a call on the terminal", () => {
  const line = () => formatCallLine(newest(), "default");

  it.each<[string, () => Promise<unknown>, RegExp]>([
    ["what it changed", () => submit(), /^09:00:00 {2}POST {3}\/api\/repos\/\S+\/jobs +full +201 {2}job job_\w+ pending$/],
    [
      "the reason of a refusal",
      () => get("/api/jobs", { key: world().keys.triage! }),
      /GET {4}\/api\/jobs +triage +403 {2}insufficient_scope; SCOPE-REFUSED$/,
    ],
    [
      "that the answer was forced",
      () => get("/api/jobs", { headers: { prefer: "code=418" } }),
      /418 {2}as the client preferred; bad_request/,
    ],
    ["what was near", () => get("/api/job"), /404 {2}not_found; .*nearest: GET \/api\/jobs$/],
    ["the unknown parts", () => get("/api/jobs?x=1"), /200 {2}not read: query\.x$/],
    [
      "which tool",
      () => post(mock().mcp_url, world().keys.full, toolCall("list_repositories")),
      /POST {3}\/mcp\/ list_repositories +full +200/,
    ],
  ])("shows %s", async (_, act, description) => {
    await act();
    expect(line()).toMatch(description);
  });

  it("shows which bucket is full, and which fault applied", async () => {
    await send(`PUT ${mock().control_url}/worlds/${world().id}/buckets`, {
      json: { key: "key_full", bucket: "plan", used: "all" },
    });
    await get("/api/jobs");
    expect(line()).toMatch(/429 {2}rate_limit_qps; .*bucket plan is full: 3000 of 3000$/);
    world().fault({ on: "*", socket: "EMPTY_RESPONSE" });
    await get("/api/jobs").catch(() => {});
    expect(line()).toMatch(/--- {2}fault fault_1/);
  });

  it("is sent for every world to the program that started the mock", async () => {
    const lines: string[] = [];
    const ownMock = await startMock({
      clock: "frozen",
      journal: 0,
      onCall: (entry, name) => lines.push(formatCallLine(entry, name)),
    });
    const otherIsolatedWorld = await ownMock.world();
    await send(`GET ${ownMock.api_url}/api/jobs`, { key: ownMock.keys.full });
    await send(`GET ${ownMock.api_url}/api/jobs`, { key: otherIsolatedWorld.keys.full });
    await ownMock.close();
    expect(lines).toMatchObject([expect.stringContaining("  GET"), expect.stringContaining("  w1  GET")]);
  });
});
