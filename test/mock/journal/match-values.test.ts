import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { contract } from "../../../src/contract/load.js";
import { inlineReferences } from "../../../src/contract/references.js";
import { listParameters, routes } from "../../../src/contract/routes.js";
import type { RouteName } from "../../../src/contract/types.js";
import { type DemoMock, type Match, startMock } from "../../../src/index.js";
import { send } from "../client.js";
import { waysToMatch } from "./ways-to-match.js";

let mock: DemoMock;
beforeAll(async () => {
  mock = await startMock({ clock: "frozen" });
});
afterAll(() => mock.close());
const ways = waysToMatch(() => mock);

const submission = "POST /api/repos/{owner}/{repo}/{branch}/jobs";

/** Every value and name of the OpenAPI document that a match can misspell: the match, the message, and the field. */
const misspelt: [match: Match, message: string, field: string][] = [
  [{ body: { workflow: "audti" } }, "'audti' is not a value of body.workflow; nearest: audit", "body.workflow"],
  [
    { route: submission, body: { workflw: "audit" } },
    "No call that matches can have 'workflw' in body; nearest: workflow",
    "body.workflw",
  ],
  [{ route: "GET /api/jobs", body: { workflow: "audit" } }, "No call that matches can have 'workflow' in body.", "body.workflow"],
  [
    { method: "POST", path: "/api/observations/SERVICE-1/dismiss", body: { dismissal_category: "false_positve" } },
    "nearest: false_positive",
    "body.dismissal_category",
  ],
  [
    { route: "POST /api/keys", body: { scopes: ["veiw_jobs"] } },
    "'veiw_jobs' is not a value of body.scopes.0; nearest: view_jobs",
    "body.scopes.0",
  ],
  [{ route: "GET /api/observations", query: { stauts: true } }, "nearest: status", "query.stauts"],
  [{ route: "GET /api/observations", query: { status: "nwe" } }, "nearest: new", "query.status"],
  [{ route: "GET /api/observations", query: { easy_wins: "ture" } }, "nearest: true", "query.easy_wins"],
  [{ query: { limt: "5" } }, "nearest: limit", "query.limt"],
  [{ route: "GET /api/jobs", status: 200, answer: { dta: [] } }, "nearest: data", "answer.dta"],
  [{ route: "GET /api/jobs/{job_id}", answer: { status: "complted" } }, "nearest: completed", "answer.status"],
  [{ answer: { error: { code: "rate_limit_qp" } } }, "nearest: rate_limit_qps", "answer.error.code"],
  [{ answer: { error: { typ: "x" } } }, "nearest: type", "answer.error.typ"],
];

describe.each(Object.keys(ways).filter((way) => !way.startsWith("GET ")))("%s", (way) => {
  test.each(misspelt)("refuses the match %j", async (match, message) => {
    await expect(async () => ways[way]?.(match)).rejects.toThrow(message);
  });
});

test.each(misspelt)("the problem of %j names the field and what is allowed", async (match, _, field) => {
  const json = { match, exactly: 0 };
  const response = await send(`POST ${mock.control_url}/worlds/default/journal/verify`, { json });
  expect(response).toMatchObject({ status: 400, json: { field: `match.${field}`, allowed: expect.any(Array) } });
});

describe.each(Object.keys(routes) as RouteName[])("a match of %s", (route) => {
  const { requestBody } = inlineReferences(routes[route].operation, { "": contract.openapi }) as {
    requestBody?: { content: Record<string, { schema: { properties?: Record<string, { enum?: string[] }> } }> };
  };
  const fieldsOfBody = Object.entries(requestBody?.content["application/json"]?.schema.properties ?? {});
  const parameters = listParameters(route).filter((parameter) => parameter.in === "query");
  const named: [place: "query" | "body", name: string, schema: { enum?: string[] }][] = [
    ...parameters.map(
      ({ name, schema }) => ["query", name, inlineReferences(schema, { "": contract.openapi })] as ["query", string, object],
    ),
    ...fieldsOfBody.map(([name, schema]) => ["body", name, schema] as ["body", string, { enum?: string[] }]),
  ];

  test("accepts every name and value of its query and its body, and no other", () => {
    const verify = (match: object) => mock.verify({ match: { route, ...match }, exactly: 0 });
    expect(() => verify({ query: { "x-unknown": "1" } })).toThrow("x-unknown");
    const takesAnyBody = requestBody !== undefined && fieldsOfBody.length === 0;
    if (takesAnyBody) expect(route).toBe("POST /api/observations/{ref}/publish-ticket");
    else expect(() => verify({ body: { "x-unknown": "1" } })).toThrow("x-unknown");
    for (const [place, name, schema] of named) {
      const [value] = schema.enum ?? ["1"];
      expect(() => verify({ [place]: { [`${name}x`]: value } })).toThrow(`nearest: `);
      if (!schema.enum) continue;
      for (const one of schema.enum) expect(verify({ [place]: { [name]: one } }).verified).toBe(true);
      expect(() => verify({ [place]: { [name]: `${value}x` } })).toThrow(`is not a value of ${place}.${name}`);
    }
  });
});

test("verification accepts names and values from the journal, and the fields of a tool call and of a fault's answer", async () => {
  const world = await mock.world();
  const json = { workflow: "audti", params: {} };
  await send(`POST ${mock.api_url}/api/repos/${world.repos[0]}/jobs?forse=1`, { key: world.keys.full, json });
  expect(world.verify({ match: { body: { workflow: "audti" }, query: { forse: true } }, exactly: 1 }).verified).toBe(true);
  expect(world.verify({ match: { body: { method: "tools/call", params: { name: "x" } } }, exactly: 0 }).verified).toBe(true);
  expect(world.verify({ match: { route: submission, body: { params: { any: 1 } } }, exactly: 0 }).verified).toBe(true);
  expect(world.verify({ match: { unmatched: true, body: { any: 1 } }, exactly: 0 }).verified).toBe(true);
  world.fault({ on: "GET /api/jobs", answer: { patch: { extra: 1 } } });
  expect(world.verify({ match: { route: "GET /api/jobs", answer: { extra: 1 } }, exactly: 0 }).verified).toBe(true);
  world.remove();
});
