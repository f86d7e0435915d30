import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Mock, startMock } from "../../../src/mock/server.js";
import { send, sendBytes } from "../client.js";

let mock: Mock;

beforeAll(async () => {
  mock = await startMock({ clock: "frozen" });
});
afterAll(() => mock.close());

describe("access to the control plane", () => {
  const health = (host: string, more = "") =>
    sendBytes(mock.api_url, `GET /__mock/health HTTP/1.1\r\nhost: ${host}\r\n${more}connection: close\r\n\r\n`);
  it.each([
    ["a loopback name", "localhost:1", "", 200],
    ["the docs site's own page", "127.0.0.1", "docs", 200],
    ["a name after DNS rebinding", "evil.example", "", 403],
    ["a name with our name at its beginning", "127.0.0.1.evil.example", "", 403],
    ["the console at another name of the mock", "localhost:1", "origin: http://localhost:1\r\n", 200],
    ["a page of another origin", "127.0.0.1", "origin: https://evil.example\r\n", 403],
    ["a page on another port of this machine", "127.0.0.1", "origin: http://127.0.0.1:1\r\n", 403],
    ["a page without an origin", "127.0.0.1", "origin: null\r\n", 403],
  ])("answers %s with the right status", async (_, host, more, status) => {
    const line = more === "docs" ? `origin: ${mock.docs_url}\r\n` : more;
    expect(await health(host, line)).toContain(`HTTP/1.1 ${status} `);
  });

  it("requires the admin token if one is set, and never shows it", async () => {
    const guarded = await startMock({ clock: "frozen", adminToken: "s3cret-token" });
    const without = await send(`GET ${guarded.control_url}/health`);
    const wrongClientResponse = await send(`GET ${guarded.control_url}/health`, { key: "s3cret-tokem" });
    const right = await send(`GET ${guarded.control_url}/target`, { key: "s3cret-token" });
    const api = await send(`GET ${guarded.api_url}/api/jobs`, { key: "mock_full" });
    await guarded.close();
    expect([without.status, wrongClientResponse.status, right.status, api.status]).toEqual([401, 401, 200, 200]);
    expect(right.text).not.toContain("s3cret");
    expect(right.json.worlds.create.headers.authorization).toHaveProperty("env");
  });

  it("serves the empty console without the token, but to no other origin", async () => {
    const guarded = await startMock({ clock: "frozen", adminToken: "s3cret-token" });
    const html = { accept: "text/html" };
    const statuses = [
      await send(`GET ${guarded.control_url}/`, { headers: html }),
      await send(`GET ${guarded.control_url}/console.js`),
      await send(`GET ${guarded.control_url}/console.css`),
      await send(`GET ${guarded.control_url}/`),
      await send(`POST ${guarded.control_url}/`, { headers: html }),
      await send(`GET ${guarded.control_url}/`, { headers: { ...html, host: "evil.example" } }),
      await send(`GET ${guarded.control_url}/console.js`, { headers: { origin: "https://evil.example" } }),
    ].map(({ status }) => status);
    await guarded.close();
    expect(statuses).toEqual([200, 200, 200, 401, 401, 403, 403]);
  });
});
