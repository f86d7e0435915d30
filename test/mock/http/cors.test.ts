import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Mock, startMock } from "../../../src/index.js";
import { type ClientResponse, send } from "../client.js";

let mock: Mock;
beforeAll(async () => {
  mock = await startMock({ clock: "frozen" });
});
afterAll(() => mock.close());

const page = "http://127.0.0.1:4012";
const getCors = ({ headers }: ClientResponse) => Object.keys(headers).filter((name) => name.startsWith("access-control-"));
const preflight = (origin: string, method: string, path: string) =>
  send(`OPTIONS ${mock.api_url}${path}`, {
    headers: {
      origin,
      "access-control-request-method": method,
      "access-control-request-headers": "authorization,content-type,idempotency-key",
    },
  });

describe("a page of this machine", () => {
  it.each([page, "http://localhost:3000", "https://localhost", "http://[::1]:8080"])(
    "may send a preflight from %s, with a key, a body and an Idempotency-Key",
    async (origin) => {
      const response = await preflight(origin, "POST", "/api/repos/acme/web/main/jobs");
      expect(response).toMatchObject({ status: 204, text: "" });
      expect(response.headers).toMatchObject({ "access-control-allow-origin": origin, vary: "origin" });
      expect(String(response.headers["access-control-allow-methods"]).split(", ")).toEqual(
        expect.arrayContaining(["GET", "POST", "PATCH", "DELETE"]),
      );
      const allowed = String(response.headers["access-control-allow-headers"]).toLowerCase().split(/, ?/);
      expect(allowed).toEqual(expect.arrayContaining(["authorization", "content-type", "idempotency-key"]));
    },
  );

  it("sends a preflight that counts as no call", async () => {
    const countBefore = mock.journal().length;
    await preflight(page, "DELETE", "/api/repos/acme/web/main");
    expect(mock.journal().length).toBe(countBefore);
  });

  it.each([
    ["an answer", 200, "GET /api/jobs", "mock_full"],
    ["a refusal", 401, "GET /api/jobs", undefined],
    ["an unknown path", 404, "GET /api/nowhere", "mock_full"],
    ["a wrong method", 405, "PUT /api/jobs", "mock_full"],
  ])("may read %s, with its number and Retry-After", async (_, status, line, key) => {
    const [method, path] = line.split(" ");
    const response = await send(`${method} ${mock.api_url}${path}`, { key, headers: { origin: page } });
    expect(response.status).toBe(status);
    expect(response.headers["access-control-allow-origin"]).toBe(page);
    const exposedHeaders = String(response.headers["access-control-expose-headers"]).split(", ");
    expect(exposedHeaders).toEqual(expect.arrayContaining(["retry-after", "x-request-id"]));
  });

  it("may read the control plane", async () => {
    const response = await send(`GET ${mock.control_url}/health`, { headers: { origin: page } });
    expect(response.headers["access-control-allow-origin"]).toBe(page);
  });
});

describe("a page of another origin", () => {
  const otherOrigins = [
    "https://example.com",
    "http://127.0.0.1.example.com",
    "http://localhost.example.com:4012",
    "http://10.0.0.1",
    "null",
  ];
  it.each(otherOrigins)("gets no CORS header: %s", async (origin) => {
    const clientResponse = await preflight(origin, "GET", "/api/jobs");
    expect(clientResponse.status).toBeGreaterThanOrEqual(400);
    expect(getCors(clientResponse)).toEqual([]);
    const response = await send(`GET ${mock.api_url}/api/jobs`, { key: "mock_full", headers: { origin } });
    expect([response.status, getCors(response)]).toEqual([403, []]);
  });
});
