import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Mock, startMock } from "../../../../src/index.js";
import { send } from "../../client.js";

let mock: Mock;
let jobs: string;
beforeAll(async () => {
  mock = await startMock({ clock: "frozen" });
  jobs = `${mock.api_url}/api/repos/acme/web/main/jobs`;
});
afterAll(() => mock.close());

const key = "mock_full";
const json = { "content-type": "application/json" };

describe("the mock", () => {
  it.each([
    ["PUT", "/api/jobs", "GET, HEAD"],
    ["DELETE", "/api/repos", "GET, HEAD, POST"],
    ["HEAD", "/api/keys", "POST"],
    ["GET", "/api/jobs/x/cancel", "POST"],
    ["PUT", "/__mock/health", "GET, HEAD"],
  ])("names the allowed methods when it refuses %s %s", async (method, path, allow) => {
    const response = await send(`${method} ${mock.api_url}${path}`, { key });
    expect([response.status, response.headers.allow]).toEqual([405, allow]);
  });

  it.each(["/api/jobs?limit=1", "/api/observations/SERVICE-1", "/api/jobs/nothing", "/__mock/health"])(
    "answers HEAD %s as GET, without the body",
    async (path) => {
      const [head, get] = await Promise.all(["HEAD", "GET"].map((method) => send(`${method} ${mock.api_url}${path}`, { key })));
      expect(head!.text).toBe("");
      expect([head!.status, head!.headers["content-type"], head!.headers["content-length"]]).toEqual([
        get!.status,
        get!.headers["content-type"],
        String(Buffer.byteLength(get!.text)),
      ]);
    },
  );

  it("lists the accepted codings when it refuses one, and nowhere else", async () => {
    const clientResponse = await send(`POST ${jobs}`, {
      key,
      body: "{}",
      headers: { ...json, "content-encoding": "gzip" },
    });
    expect([clientResponse.status, clientResponse.headers["accept-encoding"]]).toEqual([415, "identity"]);
    const accept = "application/json, text/event-stream";
    const headers = { ...json, accept, "content-encoding": "gzip" };
    const tools = await send(`POST ${mock.mcp_url}`, { key, body: "{}", headers });
    expect([tools.status, tools.headers["accept-encoding"]]).toEqual([415, "identity"]);
    const otherClientResponse = await send(`POST ${jobs}`, { key, body: "a=1", headers: { "content-type": "text/plain" } });
    expect([otherClientResponse.status, otherClientResponse.headers["accept-encoding"]]).toEqual([415, undefined]);
  });
});
