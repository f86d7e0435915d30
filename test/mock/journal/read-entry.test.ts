import { describe, expect, it } from "vitest";
import { type Sent, send } from "../client.js";
import { post, toolCall } from "../mcp/messages.js";
import { openOneWorld } from "../one-world.js";

const { goOnWith, mock, world, journal, get, submit, newest } = openOneWorld();

describe("an entry of the journal", () => {
  it("has the request, with masked credentials", async () => {
    await submit("audit", { "Idempotency-Key": "k1", Cookie: "session=owner; theme=dark", "X-Api-Key": "hush" });
    expect(newest()).toMatchObject({
      role: "full",
      headers: {
        authorization: "Bearer ***",
        cookie: "session=***; theme=***",
        "x-api-key": "***",
        "idempotency-key": "k1",
        "content-type": "application/json",
      },
    });
  });

  it("has no secret of another client, nor one that an earlier entry has", async () => {
    const foreign = "sk_live_51Hx7q9Zp2";
    await get(`/api/jobs?note=${foreign}&access_token=tok-one-12345`);
    await submit("audit", { "X-Note": "tok-one-12345" });
    await send(`GET ${mock().api_url}/api/jobs`, { key: world().keys.full, headers: { "X-Api-Key": foreign } });
    const { text } = await send(`GET ${journal()}`);
    for (const secret of [foreign, "tok-one-12345"]) expect(text).not.toContain(secret);
  });

  it("has the answer: status, headers and body", async () => {
    const response = await submit();
    expect(newest()).toMatchObject({
      status: 201,
      answer: { headers: { "x-request-id": response.headers["x-request-id"] }, body: response.json },
    });
    await get("/api/jobs", { headers: { prefer: "code=429" } });
    expect(newest().answer).toMatchObject({ headers: { "retry-after": "1" }, body: { error: { code: "rate_limit_qps" } } });
  });

  it("has no key anywhere: path, body or answer", async () => {
    await get(`/api/jobs?key=${world().keys.full}`);
    await send(`POST ${mock().api_url}/api/repos`, {
      key: world().keys.full,
      json: { owner: world().keys.full, repo: "x", branch: "main" },
    });
    const response = await send(`POST ${mock().app_url}/api/keys`, { headers: { cookie: world().sessions.owner! }, json: {} });
    expect(response.json.key).toMatch(/^mock_/);
    const { text } = await send(`GET ${journal()}`);
    expect(text).not.toContain(world().keys.full);
    expect(text).not.toContain(response.json.key);
    expect(text).toContain("mock_***");
  });

  it("has only the length of a long answer, and nothing of a missing one", async () => {
    const { text } = await get("/api/observations?limit=200");
    expect(newest().answer.body).toBe(`(${text.length} characters)`);
    world().fault({ on: "*", socket: "EMPTY_RESPONSE" });
    await get("/api/jobs").catch(() => {});
    expect(newest()).toMatchObject({ status: null, answer: { headers: {}, body: null } });
  });

  it.each(["fixed", "sliding", "token_bucket"] as const)(
    "has the levels of the caller's buckets before and after: %s",
    async (rate_window) => {
      await goOnWith({ rate_window });
      await submit();
      await submit("discover");
      expect(newest().buckets).toEqual([
        { bucket: "plan", requests_per_minute: 3000, before: 1, after: 2 },
        { bucket: "submit", requests_per_minute: 30, before: 1, after: 2 },
      ]);
      await send(`PUT ${mock().control_url}/worlds/${world().id}/buckets`, {
        json: { key: "key_full", bucket: "submit", used: "all" },
      });
      expect((await submit("review")).status).toBe(429);
      expect(newest().buckets).toContainEqual({ bucket: "submit", requests_per_minute: 30, before: 30, after: 30 });
      await get("/api/jobs", { key: "unknown" });
    },
  );

  it("has the buckets of a tool call, and none without limits or without a caller", async () => {
    await post(mock().mcp_url, world().keys.full, toolCall("list_repositories"));
    expect(newest().buckets).toContainEqual({ bucket: "mcp", requests_per_minute: 60, before: 0, after: 1 });
    const freeIsolatedWorld = await mock().world({ limits: "off" });
    await send(`GET ${mock().api_url}/api/jobs`, { key: freeIsolatedWorld.keys.full });
    expect(freeIsolatedWorld.journal()[0]!.buckets).toEqual([]);
  });

  it.each<[string, string, Sent, string[]]>([
    ["a misspelled filter", "GET /api/observations?stats=new&status=new", {}, ["query.stats"]],
    [
      "a field that the schema does not have",
      "POST /api/observations/SERVICE-1/complete",
      { json: { url: "https://x.example/", note: "n", proof: 1 } },
      ["body.proof"],
    ],
    ["a body where none is read", "POST /api/observations/SERVICE-1/acknowledge", { json: { a: 1 } }, ["body"]],
    ["a key that is known only elsewhere", "GET /api/jobs", { headers: { "idempotency-key": "x" } }, ["headers.idempotency-key"]],
    ["nothing", "GET /api/jobs?limit=3", {}, []],
  ])("lists the unknown parts of the request: %s", async (_, line, sent, unread) => {
    const [method, path] = line.split(" ") as [string, string];
    await send(`${method} ${mock().api_url}${path}`, { key: world().keys.full, ...sent });
    expect(newest().unread).toEqual(unread);
    expect(world().journal({ unread: true })).toHaveLength(unread.length > 0 ? 1 : 0);
  });

  it.each([
    ["GET /api/job", "GET /api/jobs"],
    ["GET /jobs", "GET /api/jobs"],
    ["POST /api/jobs/job_1", "GET /api/jobs/{job_id}"],
    ["POST /api/repo", "POST /api/repos"],
    ["GET /api/repo", "GET /api/repos"],
    ["GET /api/observation", "GET /api/observations"],
    ["POST /api/observation/SERVICE-1/dismiss", "POST /api/observations/{ref}/dismiss"],
    ["GET /api/repos/acme/web/main/job", "GET /api/repos/{owner}/{repo}/{branch}/jobs"],
    ["DELETE /api/jobs", "GET /api/jobs"],
  ])("has the route closest to %s", async (line, nearest) => {
    const [method, path] = line.split(" ") as [string, string];
    await send(`${method} ${mock().api_url}${path}`, { key: world().keys.full });
    expect(newest().nearest[0]).toBe(nearest);
  });
});

describe("reading journal()", () => {
  it("returns pages that join without a gap", async () => {
    for (let i = 1; i <= 5; i++) await get(`/api/jobs?limit=${i}`);
    await get("/api/repos");
    const seen: number[] = [];
    for (let after: number | null = 0; after !== null; ) {
      const page: { next: number | null; entries: { number: number }[] } = (
        await send(`GET ${journal()}?path=/api/jobs&limit=2&after=${after}`)
      ).json;
      seen.push(...page.entries.map(({ number }) => number));
      after = page.next;
    }
    expect(seen).toEqual([1, 2, 3, 4, 5]);
  });

  it("returns a live stream, with the filters, from a given entry on", async () => {
    await get("/api/jobs?limit=1");
    const stop = new AbortController();
    const stream = await fetch(`${journal()}/stream?route=GET%20/api/jobs`, {
      headers: { "last-event-id": "0" },
      signal: stop.signal,
    });
    expect(stream.headers.get("content-type")).toBe("text/event-stream");
    await get("/api/repos");
    await get("/api/jobs?limit=2");
    let text = "";
    for await (const chunk of stream.body as unknown as AsyncIterable<Uint8Array>) {
      text += Buffer.from(chunk).toString();
      if (text.includes("limit=2")) break;
    }
    expect([...text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => id)).toEqual(["1", "3"]);
    expect(JSON.parse(/^data: (.*)$/m.exec(text)![1]!)).toEqual(world().journal()[0]);
    stop.abort();
  });

  it("stays live after a reset", async () => {
    const stop = new AbortController();
    const stream = await fetch(`${journal()}/stream`, { signal: stop.signal });
    world().reset();
    await get("/api/jobs");
    let text = "";
    for await (const chunk of stream.body as unknown as AsyncIterable<Uint8Array>) {
      text += Buffer.from(chunk).toString();
      if (text.includes("event: call")) break;
    }
    expect(text).toContain('"number":1');
    stop.abort();
  });

  it("exports a HAR file", async () => {
    await submit();
    await get("/api/jobs?limit=1");
    world().fault({ on: "*", socket: "EMPTY_RESPONSE" });
    await get("/api/repos").catch(() => {});
    const { log } = (await send(`GET ${journal()}/har`)).json;
    expect(log).toMatchObject({ version: "1.2", creator: { name: "counterpart" } });
    expect(log.entries).toHaveLength(3);
    expect(log.entries[0]).toMatchObject({
      startedDateTime: "2026-01-05T09:00:00.000Z",
      request: { method: "POST", postData: { text: '{"workflow":"audit","params":{}}' }, cookies: [], headersSize: -1 },
      response: { status: 201, statusText: "Created", content: { mimeType: "application/json" } },
      timings: { send: 0, wait: 0, receive: 0 },
    });
    expect(log.entries[1].request).toMatchObject({
      url: `${mock().api_url}/api/jobs?limit=1`,
      queryString: [{ name: "limit", value: "1" }],
    });
    expect(log.entries[2].response.status).toBe(0);
  });
});
