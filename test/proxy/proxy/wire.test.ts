import { once } from "node:events";
import { request as call } from "node:http";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { startMock } from "../../../src/mock/server.js";
import { send } from "../../mock/client.js";
import { connect } from "../../mock/mcp/messages.js";
import { openProxyWithServer, startProxy, waitUntil } from "../open.js";

const nobody = "http://127.0.0.1:9";

describe("a proxy", () => {
  test("forwards chunks of a stream as they arrive", async () => {
    let end = () => {};
    const url = await openProxyWithServer((_, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" }).write("data: first\n\n");
      end = () => void response.end("data: last\n\n");
    });
    const { proxy } = await startProxy(url, 1);
    const response = await fetch(`${proxy.url}/mcp/`);
    const reader = response.body!.getReader();
    expect(Buffer.from((await reader.read()).value!).toString()).toBe("data: first\n\n");
    await new Promise((resolve) => setTimeout(resolve, 1200)); // a stream may be silent for longer than a response
    end();
    expect(Buffer.from((await reader.read()).value!).toString()).toBe("data: last\n\n");
  });

  test("forwards headers, chunked bodies, encodings and redirects unchanged", async () => {
    const url = await openProxyWithServer(async (request, response) => {
      if (request.url === "/mcp") return void response.writeHead(307, { location: `${url}/mcp/` }).end();
      const pieces = (await request.toArray()) as Buffer[];
      const got = JSON.stringify({
        host: request.headers.host,
        te: request.headers["transfer-encoding"],
        body: String(Buffer.concat(pieces)),
      });
      response.writeHead(200, [
        ...["set-cookie", "a=1"],
        ...["set-cookie", "b=2"],
        ...["content-encoding", "gzip"],
        ...["content-type", "application/json"],
      ]);
      response.end(gzipSync(got));
    });
    const { proxy, lines } = await startProxy(url);
    const sent = call(`${proxy.url}/api/x`, { method: "POST", headers: { "x-one": "1" } });
    sent.write("one ");
    setTimeout(() => sent.end("two"), 20);
    const [response] = await once(sent, "response");
    expect([response.headers["set-cookie"], response.headers["content-encoding"]]).toEqual([["a=1", "b=2"], "gzip"]);
    response.resume();
    await waitUntil(() => lines.length > 0);
    expect(lines[0]?.answer.body).toEqual({ host: url.slice("http://".length), te: "chunked", body: "one two" });
    const bareResponse = await fetch(`${proxy.url}/mcp`, { redirect: "manual" });
    expect([bareResponse.status, bareResponse.headers.get("location")]).toEqual([307, `${proxy.url}/mcp/`]);
  });

  test("forwards the path of a request in absolute form", async () => {
    const url = await openProxyWithServer((request, response) => response.end(request.url));
    const { proxy, lines } = await startProxy(url);
    const { hostname, port } = new URL(proxy.url);
    const sent = call({ hostname, port, path: `${proxy.url}/api/jobs?limit=1` }).end();
    const [response] = await once(sent, "response");
    expect([response.statusCode, String(Buffer.concat(await response.toArray()))]).toEqual([200, "/api/jobs?limit=1"]);
    await waitUntil(() => lines.length > 0);
    expect(lines[0]).toMatchObject({ url: "/api/jobs?limit=1" });
  });

  test("answers HEAD without a body, with the server's content length", async () => {
    const url = await openProxyWithServer((_, response) => response.writeHead(200, { "content-length": "12" }).end());
    const { proxy } = await startProxy(url);
    const { status, headers, text } = await send(`HEAD ${proxy.url}/api/jobs`);
    expect([status, headers["content-length"], text]).toEqual([200, "12", ""]);
  });

  test("lets an SDK client keep a session with its stream", async () => {
    const mock = await startMock({ clock: "frozen", mcp: { sessions: true, sse: true } });
    const { proxy } = await startProxy(mock.api_url);
    const { client, transport } = await connect(`${proxy.url}/mcp/`, mock.keys.full!);
    expect((await client.listTools()).tools.length).toBeGreaterThan(20);
    await transport.terminateSession();
    await client.close();
    await mock.close();
    expect(proxy.report().server.violations).toEqual([]);
    expect(proxy.report().client.findings).toEqual([]);
  });

  test("answers for an unreachable server with the error envelope and a sentence", async () => {
    const { proxy, lines } = await startProxy(nobody);
    const { status, json } = await send(`GET ${proxy.url}/api/jobs`, { key: "some-long-key-1" });
    expect([status, json.error]).toEqual([
      502,
      {
        type: "server_error",
        code: "bad_gateway",
        message: `The proxy got no answer from ${nobody}: no server listens at this address.`,
        request_id: "proxy",
      },
    ]);
    expect(lines[0]).toMatchObject({ status: null, failure: "no server listens at this address" });
    expect(proxy.report().server).toMatchObject({ verdict: "nothing-judged", unanswered: 1 });
  });

  test("answers for a silent server, and aborts an answer that stops", async () => {
    const url = await openProxyWithServer((request, response) => {
      if (request.url === "/api/half") response.writeHead(200, { "content-type": "application/json" }).write("{");
    });
    const { proxy } = await startProxy(url, 1);
    const [silent, half] = await Promise.all([
      send(`GET ${proxy.url}/api/jobs`),
      fetch(`${proxy.url}/api/half`).then((response) => response.text().catch((error: Error) => error.name)),
    ]);
    expect([silent.status, silent.json.error.message]).toEqual([504, `The proxy got no answer from ${url}: no data within 1 s.`]);
    expect(half).toBe("TypeError");
  });

  test("ends a request when its client disconnects", async () => {
    let isClosed = false;
    const url = await openProxyWithServer((_, response) => {
      response.on("close", () => {
        isClosed = true;
      });
    });
    const { proxy, lines } = await startProxy(url);
    const gone = new AbortController();
    const response = fetch(`${proxy.url}/api/jobs`, { signal: gone.signal }).catch(() => "aborted");
    await new Promise((resolve) => setTimeout(resolve, 100));
    gone.abort();
    expect(await response).toBe("aborted");
    await waitUntil(() => isClosed && lines.length > 0);
    expect([isClosed, lines[0]?.failure]).toEqual([true, "the client went away"]);
  });

  test("records no key, in any position", async () => {
    const secret = "sk_live_0123456789abcdef";
    const made = "fresh_9876543210fedcba";
    const url = await openProxyWithServer((_, response) =>
      response
        .writeHead(201, { "content-type": "application/json" })
        .end(JSON.stringify({ key_id: "k1", value: made, echo: `was ${secret}` })),
    );
    const { proxy, lines } = await startProxy(url);
    await send(`POST ${proxy.url}/api/keys?api_key=another-secret&x=${secret}`, {
      key: secret,
      json: { note: secret },
      headers: { cookie: "session=abcdefghijkl" },
    });
    await send(`GET ${proxy.url}/api/jobs?note=${made}`, { key: secret });
    const told = JSON.stringify([lines, proxy.report()]);
    for (const word of [secret, made, "another-secret", "abcdefghijkl"]) expect(told).not.toContain(word);
    expect(lines[0]?.url).toBe("/api/keys?api_key=***&x=***");
  });
});
