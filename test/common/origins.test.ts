import { afterAll, describe, expect, test } from "vitest";
import { isLoopback } from "../../src/common/origins.js";
import { type Mock, type MockOptions, startMock } from "../../src/mock/server.js";
import { sendBytes } from "../mock/client.js";

const mocks = new Map<string, Promise<Mock>>();
afterAll(async () => {
  for (const mock of mocks.values()) await (await mock).close();
});

/** Paths of each host, and their responses to an accepted caller. */
const places = [
  ["api_url", "/api/jobs", 200],
  ["api_url", "/__mock/health", 200],
  ["app_url", "/api/jobs", 200],
  ["docs_url", "/openapi.json", 200],
] as const;

const loopback: MockOptions = {};
const mockOptions: MockOptions = { allowHost: ["api.example.test", ".corp.test"] };
const any: MockOptions = { allowHost: ["*"] };
const everywhere: MockOptions = { host: "0.0.0.0", adminToken: "t" };
const everywhereWithName: MockOptions = { ...everywhere, allowHost: ["mock"] };

describe.each(places)("%s%s", (url, path, known) => {
  test.each<[string, string, MockOptions, boolean]>([
    ["its own address", "host: 127.0.0.1:4010", loopback, true],
    ["the name of this machine", "host: localhost", loopback, true],
    ["a subdomain of it", "host: api.localhost:4010", loopback, true],
    ["IPv6", "host: [::1]:4010", loopback, true],
    ["a rebound name", "host: evil.example", loopback, false],
    ["a name with our name at its beginning", "host: 127.0.0.1.evil.example", loopback, false],
    ["a page of this machine", "host: localhost\r\norigin: http://localhost:3000", loopback, path !== "/__mock/health"],
    ["a page of another origin", "host: localhost\r\norigin: https://evil.example", loopback, false],
    ["a page of a file", "host: localhost\r\norigin: null", loopback, false],
    ["an allowed name", "host: API.example.test:80", mockOptions, true],
    ["a name of an allowed domain", "host: a.b.corp.test", mockOptions, true],
    ["a name outside the allowed domains", "host: corp.test.evil.example", mockOptions, false],
    ["any name, if all are allowed", "host: whatever", any, path !== "/__mock/health"],
    ["the name of a container", "host: mock:4010", everywhere, path !== "/__mock/health"],
    ["an address of a container", "host: 10.1.2.3:4010", everywhere, true],
    ["the only name of a container that is allowed", "host: mock", everywhereWithName, true],
    ["another name of that container", "host: evil.example", everywhereWithName, false],
    ["its number", "host: 10.1.2.3", everywhereWithName, true],
  ])("%s: %s (%o) is answered: %s", async (_, headers, options, isAnswered) => {
    const mock = await mockWith(options);
    const key = path === "/__mock/health" ? "t" : "mock_full";
    const port = new URL(mock[url]).port;
    const head = `GET ${path} HTTP/1.1\r\n${headers}\r\nauthorization: Bearer ${key}\r\nconnection: close\r\n\r\n`;
    const response = await sendBytes(`http://127.0.0.1:${port}`, head);
    expect(Number(response.slice(9, 12))).toBe(isAnswered ? known : 403);
    if (!isAnswered && headers.includes("evil") && !headers.includes("origin") && path !== "/__mock/health")
      expect(response).toContain("--allow-host");
  });
});

test.each([
  ["::1", true],
  ["[::1]", true],
  ["[::1]:80", true],
  ["0:0:0:0:0:0:0:1", true],
  ["::ffff:127.0.0.1", true],
  ["localhost:1", true],
  ["LOCALHOST", true],
  ["127.8.9.1", true],
  ["::", false],
  ["::2", false],
  ["0.0.0.0", false],
  ["127.0.0.1.example", false],
  ["localhost.example", false],
  ["::1.example", false],
])("%s is loopback: %s", (host, is) => expect(isLoopback(host)).toBe(is));

test("a mock on ::1 needs no admin token, and shows its address", async () => {
  const mock = await startMock({ host: "::1", clock: "frozen" }).catch((error: Error) => error);
  if (mock instanceof Error) {
    expect(mock.message).toMatch(/Cannot listen/); // a machine without IPv6
    return;
  }
  expect(mock.api_url).toMatch(/^http:\/\/\[::1\]:\d+$/);
  expect((await fetch(`${mock.control_url}/health`)).status).toBe(200);
  await mock.close();
});

function mockWith(options: MockOptions): Promise<Mock> {
  const name = JSON.stringify(options);
  const mock = mocks.get(name) ?? startMock({ clock: "frozen", ...options });
  mocks.set(name, mock);
  return mock;
}
