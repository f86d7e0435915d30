import { describe, expect, test } from "vitest";
import { contract } from "../../../../src/contract/load.js";
import type { ToolPurpose } from "../../../../src/contract/tool-types.js";
import type { RouteName } from "../../../../src/contract/types.js";
import { perform } from "../../../../src/service/perform.js";
import type { World } from "../../../../src/service/world/world.js";
import { type CallParts, call, demoWorld } from "../../world.js";
import { callTool, web } from "../call.js";

const repo = "/api/repos/{owner}/{repo}/{branch}";
const observation = "/api/observations/{ref}";
const ref = "SERVICE-2";
const dismissal = { dismissal_category: "wont_fix", dismissal_note: "Not worth the trouble." };

/** Prepares a world for a call, equally in both worlds. */
type Prepare = (world: World) => void;
const close: Prepare = (world) => void callTool(world, "complete_observation", { ref });
const fail: Prepare = (world) => {
  callTool(world, "submit_job", { ...web, workflow: "audit", force: true });
  Object.values(world.jobs).at(-1)!.status = "failed";
};
const newestJob = (world: World) => Object.keys(world.jobs).at(-1)!;
const nothing: Prepare = () => {};

const same: [ToolPurpose, Record<string, unknown>, RouteName, CallParts, Prepare?][] = [
  ["list_repositories", { limit: 1 }, "GET /api/repos", { query: { limit: 1 } }],
  ["knowledge", web, `GET ${repo}/knowledge`, { params: web }],
  ["list_observations", {}, "GET /api/observations", {}],
  [
    "list_observations",
    { kind: "finding", status: "new", priority: "P1", repo: "web@main", limit: 3 },
    "GET /api/observations",
    { query: { kind: "finding", status: "new", priority: "P1", repo: "web@main", limit: 3 } },
  ],
  ["explain_observation", { ref }, `GET ${observation}`, { params: { ref }, query: { include: "locations" } }],
  ["explain_observation", { ref: "SERVICE-0" }, `GET ${observation}`, { params: { ref: "SERVICE-0" } }],
  [
    "forecast",
    { workflow: "audit", repo_name: "web@main" },
    "GET /api/forecasts/lookup",
    { query: { workflow: "audit", repo_name: "web@main" } },
  ],
  ["list_jobs", { limit: 3 }, "GET /api/jobs", { query: { limit: 3 } }],
  ["list_fix_prs", web, `GET ${repo}/fix-prs`, { params: web }],
  [
    "submit_job",
    { ...web, workflow: "audit", params: { paths: ["src"] } },
    `POST ${repo}/jobs`,
    { params: web, body: { workflow: "audit", params: { paths: ["src"] } } },
  ],
  [
    "submit_job",
    { ...web, workflow: "audit", idempotency_key: "k", force: true },
    `POST ${repo}/jobs`,
    { params: web, body: { workflow: "audit", params: {} }, idempotencyKey: "k", query: { force: true } },
  ],
  [
    "submit_job",
    { ...web, workflow: "mini_audit" },
    `POST ${repo}/jobs`,
    { params: web, body: { workflow: "mini_audit", params: {} } },
  ],
  [
    "submit_job",
    { ...web, workflow: "task", params: { directive: "x" } },
    `POST ${repo}/jobs`,
    { params: web, body: { workflow: "task", params: { directive: "x" } } },
  ],
  [
    "submit_job",
    { ...web, workflow: "audit", params: { nonsense: 1 } },
    `POST ${repo}/jobs`,
    { params: web, body: { workflow: "audit", params: { nonsense: 1 } } },
  ],
  ["submit_fix", { ref }, `POST ${observation}/fix`, { params: { ref } }],
  ["register_repository", { ...web, repo: "new" }, "POST /api/repos", { body: { ...web, repo: "new" } }],
  ["register_repository", web, "POST /api/repos", { body: web }],
  [
    "register_repository",
    { ...web, repo: "secret", access_mode: "anonymous" },
    "POST /api/repos",
    { body: { ...web, repo: "secret", access_mode: "anonymous" } },
  ],
  ["dismiss_observation", { ref, ...dismissal }, `POST ${observation}/dismiss`, { params: { ref }, body: dismissal }],
  ["dismiss_observation", { ref, ...dismissal }, `POST ${observation}/dismiss`, { params: { ref }, body: dismissal }, close],
  ["acknowledge_observation", { ref }, `POST ${observation}/acknowledge`, { params: { ref } }],
  [
    "complete_observation",
    { ref, note: "Done by hand." },
    `POST ${observation}/complete`,
    { params: { ref }, body: { note: "Done by hand." } },
  ],
  [
    "reopen_observation",
    { ref, reopen_reason: "It is back." },
    `POST ${observation}/reopen`,
    { params: { ref }, body: { reopen_reason: "It is back." } },
    close,
  ],
  ["create_ticket", { ref }, `POST ${observation}/publish-ticket`, { params: { ref } }],
];

describe("a tool and its route", () => {
  test.each(same)("%s %o gives the same answer and the same changes", (purpose, given, route, parts, prepare = nothing) => {
    const [byTool, byRoute] = [demoWorld(), demoWorld()];
    prepare(byTool);
    prepare(byRoute);
    const toolResponse = callTool(byTool, purpose, given);
    const routeResponse = perform(byRoute, call(route, parts));
    expect({ status: toolResponse.status, body: toolResponse.body, changes: toolResponse.changes }).toEqual({
      status: routeResponse.status,
      body: routeResponse.body,
      changes: routeResponse.changes,
    });
    expect(withoutRates(byTool)).toEqual(withoutRates(byRoute));
  });

  test.each<[ToolPurpose, RouteName]>([
    ["job_status", "GET /api/jobs/{job_id}"],
    ["retry_job", "POST /api/jobs/{job_id}/retry"],
  ])("%s gives the same answer and changes as %s", (purpose, route) => {
    const [byTool, byRoute] = [demoWorld(), demoWorld()];
    fail(byTool);
    fail(byRoute);
    const job_id = newestJob(byTool);
    expect(callTool(byTool, purpose, { job_id }).body).toEqual(perform(byRoute, call(route, { params: { job_id } })).body);
    expect(withoutRates(byTool)).toEqual(withoutRates(byRoute));
  });

  test("every tool with a route is compared here", () => {
    const compared = new Set<string>([...same.map(([purpose]) => purpose), "job_status", "retry_job"]);
    const routed = Object.entries(contract.tools).flatMap(([purpose, { route }]) => (route ? [purpose] : []));
    expect(routed.filter((purpose) => !compared.has(purpose))).toEqual([]);
  });

  test("a walk that begins on one surface continues on the other", () => {
    const world = demoWorld();
    const { next_cursor } = callTool(world, "list_observations", { limit: 2 }).body as { next_cursor: string };
    const onRest = perform(world, call("GET /api/observations", { query: { limit: 2, cursor: next_cursor } })).body;
    expect(callTool(world, "list_observations", { limit: 2, cursor: next_cursor }).body).toEqual(onRest);
    expect(callTool(world, "list_observations", { kind: "finding", cursor: next_cursor })).toMatchObject({
      status: 400,
      rule: { code: "invalid_cursor" },
    });
  });
});

function withoutRates(world: World): Partial<World> {
  const { rates: _, ...rest } = world;
  return structuredClone(rest);
}
