import { expect, test, vi } from "vitest";
import { Ajv2020 } from "../../../src/ajv/ajv.js";
import { routes } from "../../../src/contract/routes.js";
import { openProxyWithServer, startProxy, waitUntil } from "../open.js";

test("compiles every schema before it listens, so that the first request of no route waits", async () => {
  const upstream = await openProxyWithServer((request, response) => {
    const status = request.method === "DELETE" ? 204 : request.url?.includes("refused") ? 404 : 200;
    response.writeHead(status, { "content-type": "application/json" }).end(status === 204 ? "" : "{}");
  });
  const { proxy, lines } = await startProxy(upstream);
  const compile = vi.spyOn(Ajv2020.prototype, "compile");
  const calls = [...Object.keys(routes).map((route) => route.replace(/\{(\w+)\}/g, "x")), "GET /api/jobs/refused", "POST /mcp/"];
  for (const line of calls) {
    const [method, path] = line.split(" ") as [string, string];
    const body = method === "POST" ? JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" }) : undefined;
    await fetch(proxy.url + path, {
      method,
      headers: { authorization: "Bearer x", "content-type": "application/json" },
      ...(body !== undefined && { body }),
    });
  }
  await waitUntil(() => lines.length === calls.length);
  expect(lines.map(({ status }) => status)).toContain(200);
  expect(lines.length).toBe(calls.length);
  expect(compile).not.toHaveBeenCalled();
});
