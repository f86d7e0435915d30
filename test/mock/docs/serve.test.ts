import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { contract } from "../../../src/contract/load.js";
import { openApiFor } from "../../../src/contract/publish.js";
import { getTitle, guideGroups, readGuide } from "../../../src/guide/guides.js";
import { type Mock, startMock } from "../../../src/index.js";
import { send } from "../client.js";

let mock: Mock;
beforeAll(async () => {
  mock = await startMock({ clock: "frozen", allowHost: ["*"] });
});
afterAll(() => mock.close());

const read = (path: string, headers: Record<string, string> = {}, method = "GET") =>
  send(`${method} ${mock.docs_url}${path}`, { headers });

const pages: [string, string][] = [
  ["/", "text/html; charset=utf-8"],
  ["/openapi.json", "application/json; charset=utf-8"],
  ["/explorer.json", "application/json; charset=utf-8"],
  ["/control", "text/html; charset=utf-8"],
  ["/control.json", "application/json; charset=utf-8"],
  ["/guides", "text/html; charset=utf-8"],
  ["/guides/clocks", "text/html; charset=utf-8"],
  ["/guides/clocks.md", "text/markdown; charset=utf-8"],
  ["/llms.txt", "text/plain; charset=utf-8"],
  ["/clauses", "text/html; charset=utf-8"],
  ["/explorer.js", "text/javascript; charset=utf-8"],
  ["/page.js", "text/javascript; charset=utf-8"],
  ["/page.css", "text/css; charset=utf-8"],
];

describe.each(pages)("GET %s of the docs host", (path, type) => {
  it("is sent once, and again only after a change", async () => {
    const first = await read(path);
    expect(first).toMatchObject({ status: 200, headers: { "content-type": type } });
    const repeatedClientResponse = await read(path, { "if-none-match": String(first.headers.etag) });
    expect(repeatedClientResponse).toMatchObject({ status: 304, text: "", headers: { etag: first.headers.etag } });
    expect((await read(path, { "if-none-match": '"other"' })).status).toBe(200);
  });

  it("answers HEAD", async () => {
    const { text, headers } = await read(path);
    const head = await read(path, {}, "HEAD");
    expect(head).toMatchObject({ status: 200, text: "", headers: { etag: headers.etag, "content-type": type } });
    expect(head.headers["content-length"]).toBe(String(Buffer.byteLength(text)));
  });

  it.each(["POST", "PUT", "DELETE", "OPTIONS"])("refuses %s", async (method) => {
    expect(await read(path, {}, method)).toMatchObject({ status: 405, headers: { allow: "GET, HEAD" } });
  });
});

describe("the docs host", () => {
  it("lists every guide and reference for language models, each as Markdown whose links work", async () => {
    const { text } = await read("/llms.txt");
    const listed = [...text.matchAll(/\]\((\S+)\)/g)].map(([, address]) => address!);
    const guides = guideGroups.flatMap(({ topics }) => topics);
    for (const topic of [...guides, "reference-commands"]) expect(listed).toContain(`${mock.docs_url}/guides/${topic}.md`);
    for (const address of listed) {
      const page = await send(`GET ${address}`);
      expect([address, page.status]).toEqual([address, 200]);
      for (const [, link] of page.text.matchAll(/\]\(([\w-]+\.md)\)/g))
        expect(listed).toContain(`${mock.docs_url}/guides/${link}`);
    }
    expect((await read("/guides/clocks.md")).text).toBe(readGuide("clocks"));
  });

  it("serves every guide, linked to the others, and refuses an unknown one", async () => {
    const list = (await read("/guides")).text;
    for (const topic of guideGroups.flatMap(({ topics }) => topics)) {
      expect(list).toContain(`<a href="/guides/${topic}">${getTitle(readGuide(topic))}</a>`);
      const { status, text } = await read(`/guides/${topic}`);
      expect([topic, status, text.includes(`<h1 id=`), /href="[^"]*\.md/.test(text)]).toEqual([topic, 200, true, false]);
    }
    expect((await read("/guides/nothing.md")).status).toBe(404);
    expect(await read("/guides/nothing")).toMatchObject({ status: 404, json: { error: { code: "not_found" } } });
    expect((await read("/guides/__proto__")).status).toBe(404);
  });

  it("has an address for each clause, with its sentence, its readings and its checks", async () => {
    const { text } = await read("/clauses");
    for (const id of Object.keys(contract.clauses)) expect(text).toContain(`<article id="${id}">`);
    const entry = text.slice(text.indexOf('<article id="PLAN-GATE-CHOICE">')).split("</article>")[0];
    expect(entry).toContain(contract.assumptions["PLAN-FEATURES"].passage);
    expect(text.slice(text.indexOf('<article id="JOB-RETRY-NEW">')).split("</article>")[0]).toContain("job-retry-failed");
  });

  it("serves the published document with this mock as its server", async () => {
    const { json } = await read("/openapi.json");
    expect(json).toEqual(openApiFor(mock));
    expect(json.servers).toEqual([expect.objectContaining({ url: mock.api_url })]);
  });

  it("puts the key routes at the app host, where people sign in", async () => {
    const { json } = await read("/openapi.json");
    const others = Object.entries<object>(json.paths).flatMap(([path, item]) =>
      "servers" in item ? [[path, item.servers]] : [],
    );
    const app = [expect.objectContaining({ url: mock.app_url })];
    expect(others).toEqual([
      ["/api/keys", app],
      ["/api/keys/{key_id}", app],
    ]);
  });

  it.each(["localhost", "mock.internal", "[::1]"])("names its servers by the requested host: %s", async (host) => {
    const port = (url: string) => new URL(url).port;
    const { json } = await read("/openapi.json", { host: `${host}:4012` });
    expect(json.servers[0].url).toBe(`http://${host}:${port(mock.api_url)}`);
    expect(json.paths["/api/keys"].servers[0].url).toBe(`http://${host}:${port(mock.app_url)}`);
    const key = mock.keys.staff!;
    const gated = await send(`GET ${mock.api_url}/api/openapi.json`, { key, headers: { host: `${host}:1` } });
    expect(gated.json).toEqual(json);
    const page = await read("/", { host: `${host}:4012` });
    expect(String(page.headers["content-security-policy"])).toContain(` http://${host}:${port(mock.api_url)}`);
  });

  it.each(["a b", "x;script-src *", "user@host", ""])("ignores an invalid Host: %s", async (host) => {
    expect((await read("/openapi.json", { host })).json.servers[0].url).toBe(mock.api_url);
  });

  it("shows on its page which server this is, its keys, and their special properties", async () => {
    const { text } = await read("/");
    for (const url of [mock.api_url, mock.app_url, mock.mcp_url, mock.control_url]) expect(text).toContain(url);
    for (const key of Object.values(mock.keys)) expect(text).toContain(`>${key}</code>`);
    expect(text).toMatch(/mock_slow.*5 requests a minute/);
    expect(text).toMatch(/mock_broke.*no credit/);
    expect(text).toMatch(/class="dead"><td><code>mock_expired/);
    for (const repo of mock.repos) expect(text).toContain(repo);
  });

  it("fills the explorer with existing ids, so that its calls succeed unchanged", async () => {
    const { json } = await read("/explorer.json");
    const { Owner, Repo, Branch, JobId, ObservationRef } = json.components.parameters;
    const asFull = (path: string) => send(`GET ${mock.api_url}${path}`, { key: mock.keys.full });
    const paths = [
      `/api/repos/${Owner.example}/${Repo.example}/${Branch.example}`,
      `/api/jobs/${JobId.example}`,
      `/api/observations/${ObservationRef.example}`,
    ];
    for (const path of paths) expect((await asFull(path)).status, path).toBe(200);
  });

  it("lets its page load from this mock only", async () => {
    const { headers } = await read("/");
    const policy = String(headers["content-security-policy"]);
    expect(policy).toContain("default-src 'none'");
    expect(policy.match(/https?:\/\/[^ ;]+/g)).toEqual([mock.api_url]);
  });

  it("answers an unknown page in the client's format: HTML for people, JSON for programs", async () => {
    expect(await read("/nowhere", { accept: "text/html" })).toMatchObject({
      status: 404,
      headers: { "content-type": "text/html; charset=utf-8" },
      text: expect.stringContaining("no such page"),
    });
    expect((await read("/nowhere")).json.error.message).toContain("/openapi.json");
    expect((await read("/constructor")).status).toBe(404);
    expect((await read("/?key=x")).status).toBe(200);
  });

  it("hides the keys of a mock that has an admin token", async () => {
    const guarded = await startMock({ clock: "frozen", adminToken: "t" });
    const texts = await Promise.all(["/", "/explorer.json"].map((path) => send(`GET ${guarded.docs_url}${path}`)));
    await guarded.close();
    for (const { status, text } of texts) {
      expect(status).toBe(200);
      expect(text).not.toMatch(/mock_full|session=owner/);
    }
  });
});
