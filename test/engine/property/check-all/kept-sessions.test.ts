import fc from "fast-check";
import { expect, test } from "vitest";
import { openKeptSessions } from "../../../../src/engine/execute/kept-sessions.js";
import { closeKeptSessions } from "../../../../src/engine/execute/mcp-sessions.js";
import { checkAllProperties } from "../../../../src/engine/property/check-all.js";
import type { Property } from "../../../../src/engine/property/property.js";
import { runWithTarget, startRun } from "../../../../src/engine/run/connect.js";
import { suite } from "../../../../src/suite/suite.js";
import { type ServerBehaviour, toolServer } from "../../execute/tool-server.js";
import { serve } from "../../server.js";

/** Calls a tool of the server once a case. */
const property: Property = {
  ...{ id: "called", title: "A tool is called", proves: ["MCP-TOOL-SUBMIT"], needs: [], effects: ["read"], runs: 5 },
  cases: () => fc.constant({}),
  async run(sut) {
    const stepResult = await sut.send({ mcp: { call: "start", effect: "read" } });
    return stepResult.ok ? { verdict: "passed", subjects: 1 } : { verdict: "inconclusive", why: stepResult.why };
  },
};

/** Returns the requests that a server with this behaviour receives. */
async function getRequests(behaviour: ServerBehaviour) {
  const server = await serve(toolServer({ sessions: true, ...behaviour }));
  const options = { url: server.url, key: "a-key-of-the-test", selfDescription: false };
  const results = await runWithTarget(suite, options, (target, wire) => {
    const run = { ...startRun(suite, options, target, wire), keptSessions: openKeptSessions(target) };
    const parameters = { seed: 1, deadline: Number.POSITIVE_INFINITY };
    return checkAllProperties(run, [property], parameters).finally(() => closeKeptSessions(run));
  }).finally(server.close);
  if (!Array.isArray(results)) throw new Error(results.messages.join("\n"));
  const methods = server.received
    .filter(({ path }) => path === "/mcp/")
    .map(({ method, body }) => (JSON.parse(body || "{}") as { method?: string }).method ?? method);
  return { line: results[0]?.line, methods };
}

test("the cases of a property share one session, which is closed at the end", async () => {
  const { line, methods } = await getRequests({});
  expect([line?.verdict, line?.runs]).toEqual(["passed", 5]);
  expect(methods).toEqual(["initialize", "notifications/initialized", ...Array(5).fill("tools/call"), "DELETE"]);
});

test.each([404, 400])("a session that the server forgets between cases (status %i) is opened again", async (forgottenStatus) => {
  const { line, methods } = await getRequests({ forgetsAfter: 3, forgottenStatus });
  expect([line?.verdict, line?.runs]).toEqual(["passed", 5]);
  expect(methods.filter((method) => method === "initialize")).toHaveLength(3);
});
