import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Mock, startMock } from "../../src/mock/server.js";
import { send } from "../mock/client.js";

let mock: Mock;
beforeAll(async () => {
  mock = await startMock({ clock: "frozen", journal: 3 });
});
afterAll(() => mock.close());

const read = (query = "") => send(`GET ${mock.control_url}/worlds/default/client-report${query}`);
const be = (path: string) => send(`GET ${mock.api_url}${path}`, { key: mock.keys.full });

describe("the client report", () => {
  test("outlives the journal's limit, names no key, and restarts on request", async () => {
    await be(`/api/observations?key=${mock.keys.full}&%3Cb%3E=1`);
    for (let i = 0; i < 9; i++) await be("/api/jobs");
    const { json, text } = await read();
    expect(json).toMatchObject({ verdict: "findings", requests: 10, findings: [{ id: "sends-undeclared", count: 1 }] });
    expect(json.findings[0].examples).toEqual([
      {
        world: "default",
        entry: 1,
        request: "GET /api/observations?key=mock_***&%3Cb%3E=1",
        why: "the service ignores query.key, query.<b>",
      },
    ]);
    expect(text).not.toContain(mock.keys.full);
    expect(mock.clientReport()).toEqual(json);
  });

  test.each([
    ["text", "text/plain", /^1 FINDING: 10 requests.*discouraged {2}sends-undeclared, 1x/s],
    ["junit", "application/xml", /<testcase name="sends-undeclared" classname="findings">\s*<skipped.*key, query\.&lt;b/s],
    ["html", "text/html", /<h1>1 finding<\/h1>.*&lt;b>/s],
  ])("has the format %s", async (format, type, description) => {
    const { headers, text } = await read(`?format=${format}`);
    expect(headers["content-type"]).toBe(`${type}; charset=utf-8`);
    expect(text).toMatch(description);
  });

  test("has no other format", async () => {
    const { status, json } = await read("?format=pdf");
    expect([status, json.field, json.allowed]).toEqual([400, "format", ["text", "json", "junit", "html"]]);
  });

  test("restarts with its world, and on request", async () => {
    await send(`DELETE ${mock.control_url}/worlds/default/client-report`);
    expect((await read()).json).toMatchObject({ verdict: "inconclusive", requests: 0 });
    await be("/api/jobs?x=1");
    expect((await read()).json.findings[0].examples[0].entry).toBe(11);
    mock.clearJournal();
    expect((await read()).json.findings[0].examples[0].entry).toBe(null);
    mock.reset();
    expect((await read()).json).toMatchObject({ verdict: "inconclusive", requests: 0 });
  });
});
