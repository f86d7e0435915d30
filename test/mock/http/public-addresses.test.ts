import { request as ask, createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Mock, openMock, startMock } from "../../../src/mock/server.js";
import { counterpart } from "../../cli/counterpart.js";
import { send } from "../client.js";
import { freePort } from "../cluster/store/programs.js";

/** A proxy in front of an address that is set later. It keeps the Host header of the client. */
async function openProxy(): Promise<{ server: Server; url: string; to: { url: string; asked: number } }> {
  const to = { url: "", asked: 0 };
  const server = createServer((request, response) => {
    to.asked++;
    const { method, headers, url } = request;
    const on = ask(to.url + url, { method, headers }, (serverResponse) => {
      response.writeHead(serverResponse.statusCode!, serverResponse.headers);
      serverResponse.pipe(response);
    });
    on.on("error", () => response.destroy());
    request.pipe(on);
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, to };
}

describe("a mock behind a proxy, with a public address", () => {
  let proxy: Awaited<ReturnType<typeof openProxy>>;
  let mock: Mock;

  beforeAll(async () => {
    proxy = await openProxy();
    const port = await freePort(); // that the mock itself does not mention any more
    mock = await startMock({ clock: "frozen", publicUrl: proxy.url, port, appPort: 0, docsPort: 0 });
    proxy.to.url = `http://127.0.0.1:${port}`;
  });
  afterAll(async () => {
    proxy.server.closeAllConnections();
    proxy.server.close();
    await mock.close();
  });

  it("shows that address everywhere", async () => {
    const { port } = new URL(proxy.to.url);
    const clientResponses = await Promise.all(
      ["/__mock/target", "/__mock", "/__mock/openapi.json", "/__mock/hosts/docs/openapi.json", "/__mock/hosts/docs/"].map(
        (path) => send(`GET ${proxy.url}${path}`, {}),
      ),
    );
    for (const { status, text } of clientResponses) {
      expect(status).toBe(200);
      expect(text).toContain(proxy.url);
      expect(text).not.toContain(`:${port}`);
    }
    expect(clientResponses[0]!.json).toMatchObject({
      base_url: proxy.url,
      mcp_url: `${proxy.url}/mcp/`,
      app_url: `${proxy.url}/__mock/hosts/app`,
      docs_url: `${proxy.url}/__mock/hosts/docs`,
    });
  });

  it("is verified through the proxy's address alone", async () => {
    const before = proxy.to.asked;
    const run = await counterpart("verify", proxy.url, "--profile", "full", "--only", "page-limit", "--report", "json");
    expect(run.code, run.out + run.err).toBe(0);
    const { requests } = JSON.parse(run.out) as { requests: number };
    expect(requests).toBeGreaterThan(10);
    expect(proxy.to.asked - before).toBeGreaterThanOrEqual(requests);
  });
});

describe("public addresses", () => {
  it("of the other hosts are shown if they are set, and the mock answers their names on loopback", async () => {
    const mock = await startMock({
      listen: false,
      publicUrl: "https://api.example.test/",
      publicAppUrl: "https://app.example.test:8443",
    });
    expect(mock).toMatchObject({
      api_url: "https://api.example.test",
      mcp_url: "https://api.example.test/mcp/",
      control_url: "https://api.example.test/__mock",
      app_url: "https://app.example.test:8443",
      docs_url: "https://api.example.test/__mock/hosts/docs",
    });
    await mock.close();
  });

  it.each([
    [{ publicUrl: "api.example.test" }, "publicUrl: the value is not valid. Use an http or https address"],
    [{ publicUrl: "ftp://api.example.test" }, "publicUrl: the value is not valid. Use an http or https address"],
    [{ publicUrl: "https://api.example.test/mock" }, "publicUrl: the value is not valid. Use an http or https address"],
    [{ publicUrl: "https://a.test", publicAppUrl: "https://me:secret@b.test" }, "publicAppUrl: the value is not valid"],
    [{ publicDocsUrl: "https://docs.example.test" }, "need --public-url"],
  ])("that are invalid are refused in a sentence: %j", async (options, description) => {
    const mock = await openMock(options);
    expect(mock).toMatchObject({ problem: expect.stringContaining(description) });
    expect(JSON.stringify(mock)).not.toContain("secret");
  });
});
