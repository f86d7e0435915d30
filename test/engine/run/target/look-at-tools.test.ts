import { expect, test } from "vitest";
import type { ListedTool } from "../../../../src/engine/preflight/tools.js";
import { runWithTarget, startRun } from "../../../../src/engine/run/connect.js";
import { lookAtTools } from "../../../../src/engine/run/target/look-at-tools.js";
import { suite } from "../../../../src/suite/suite.js";
import { toolServer } from "../../execute/tool-server.js";
import { serve } from "../../server.js";

const KEY = "key-of-the-test";
const job = { id: "job-0012", workflow: "standard_audit" };
const forecast = { cost_low: 1250, cost_high: 4750 };
const tool = (name: string, ...names: string[]): ListedTool => ({
  ...{ name, description: "", arguments: names, required: names, isReadOnly: true },
});
const listedTools = [tool("alpha", "job_id"), tool("beta", "workflow"), tool("gamma")];

interface Behaviour {
  /** The result of each tool. */
  answers: Record<string, unknown>;
  forecast?: object;
  repos?: readonly string[];
  /** Answers calls after this many with a status. */
  limit?: number;
  status?: number;
}

/** Looks at the tools of a server that shows a job and a forecast over REST. */
async function look({
  answers,
  repos = ["acme/website/main", "acme/engine/main"],
  limit = 99,
  status = 429,
  ...more
}: Behaviour) {
  const tools = toolServer({
    sessions: true,
    call: (name) => ({ result: { content: [{ type: "text", text: JSON.stringify(answers[name] ?? "") }] } }),
  });
  let calls = 0;
  const server = await serve((request, answer, ...others) => {
    if (request.body.includes("tools/call") && ++calls > limit) answer(status, { error: "no" });
    else if (request.path.startsWith("/api/jobs")) answer(200, { data: [job] });
    else if (request.path.startsWith("/api/forecasts")) answer(200, more.forecast ?? forecast);
    else tools(request, answer, ...others);
  });
  const result = await runWithTarget(suite, { url: server.url, key: KEY, selfDescription: false }, async (target, wire) => {
    const run = startRun(suite, { url: server.url, profile: "read-only" }, target, wire);
    return { look: await lookAtTools(suite, listedTools, { run, target, key: KEY, repos }) };
  }).finally(() => server.close());
  if (!("look" in result)) throw new Error(result.messages.join("\n"));
  const sent = server.received.filter(({ path }) => path === "/mcp/");
  const count = (text: string) => sent.filter(({ method, body }) => `${method} ${body}`.includes(text)).length;
  return {
    ...result.look,
    found: Object.fromEntries(result.look.found),
    calls,
    sessions: [count('"initialize"'), count("DELETE")],
  };
}

const significantFacts = {
  alpha: { job },
  beta: { range: [1250, 4750] },
  gamma: { text: "acme/website at main\nacme/engine at main" },
};

test("finds tools by their results, in one session", async () => {
  const { found, stopped, sessions } = await look({ answers: significantFacts });
  expect(found).toEqual({ job_status: "alpha", forecast: "beta", list_repositories: "gamma" });
  expect([stopped, sessions]).toEqual([undefined, [1, 1]]);
});

test.each<[string, Behaviour, string]>([
  ["a part of a longer name", { answers: { ...significantFacts, alpha: { ...job, id: "job-00123" } } }, "job_status"],
  ["a part of a longer number", { answers: { ...significantFacts, beta: [1250, 24750] } }, "forecast"],
  ["short numbers", { answers: { ...significantFacts, beta: [0, 5] }, forecast: { cost_low: 0, cost_high: 5 } }, "forecast"],
  [
    "the same number twice",
    { answers: { ...significantFacts, beta: [1250] }, forecast: { cost_low: 1250, cost_high: 1250 } },
    "forecast",
  ],
  [
    "one name of two branches",
    { answers: significantFacts, repos: ["acme/website/main", "acme/website/dev"] },
    "list_repositories",
  ],
])("does not accept %s as the result of a purpose", async (_, behaviour, purpose) => {
  const { found } = await look(behaviour);
  expect(Object.keys(found)).toHaveLength(2);
  expect(found).not.toHaveProperty(purpose);
});

test.each([429, 503])("stops at the first %s, and reports that", async (status) => {
  const { found, stopped, calls } = await look({ answers: significantFacts, limit: 1, status });
  expect([stopped, calls]).toEqual([`the tool server answered ${status}`, 2]);
  expect(Object.keys(found).length).toBeLessThan(2);
});
