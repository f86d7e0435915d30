import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { waysToMatch } from "./ways-to-match.js";
import "../../../src/vitest.js";
import { type DemoMock, type Match, startMock } from "../../../src/index.js";
import { endpoints } from "../../../src/mock/control/endpoints.js";
import { matchSchema } from "../../../src/mock/journal/matching.js";
import { send } from "../client.js";

let mock: DemoMock;
beforeAll(async () => {
  mock = await startMock({ clock: "frozen" });
});
afterAll(() => mock.close());

/** For each field of a match with a closed list: a value that looks like a valid one, and the closest valid one. */
const nearMisses: Record<string, [wrong: string | number, nearest: string]> = {
  method: ["PSOT", "POST"],
  route: ["POST /api/job", "/api/"],
  status: [210, "201"],
  code: ["rate_limit_qp", "rate_limit_qps"],
  gate: ["authenticat", "authenticate"],
  key: ["key_ful", "key_full"],
  role: ["ful", "full"],
  fault: ["fault_9", "fault"],
};
/** The fields of a match that take any value of their type. */
const free = ["path", "forced", "unmatched", "unread", "headers", "query", "body", "answer"];

test("every field of a match has a near miss in this table, or accepts any value", () => {
  expect(Object.keys(matchSchema.properties).toSorted()).toEqual([...Object.keys(nearMisses), ...free].toSorted());
});

/** Matches that fit no call, because a test has a mistake. */
const impossibleMatches: [match: Match, message: string][] = [
  ...["api/jobs", "", "/api/jobs?limit=1", "http://127.0.0.1/api/jobs", "/api/ jobs", "/api/jobs#1"].map(
    (path): [Match, string] => [{ path }, `'${path}' is not a path`],
  ),
  [{ headers: { "idempotency key": true } }, "'idempotency key' is not a name of a header"],
  [{ headers: { "": "x" } }, "'' is not a name of a header"],
  [{ route: "GET /api/jobs", method: "POST" }, "No call to the route 'GET /api/jobs' has the method POST"],
];

const ways = waysToMatch(() => mock);

describe.each(Object.keys(ways))("%s", (way) => {
  test.each(Object.entries(nearMisses))("refuses an unknown %s and suggests the closest one", async (field, [wrong, nearest]) => {
    const run = async () => ways[way]?.({ [field]: wrong } as Match);
    await expect(run).rejects.toThrow(`'${wrong}'`);
    if (field !== "fault") await expect(run).rejects.toThrow(new RegExp(`nearest: .*${nearest}`));
  });
});

describe.each(Object.keys(ways))("%s", (way) => {
  const inQuery = way.startsWith("GET ");
  test.each(impossibleMatches.filter(([match]) => !inQuery || !("headers" in match)))(
    "refuses the match %j",
    async (match, message) => {
      await expect(async () => ways[way]?.(match)).rejects.toThrow(message);
    },
  );
});

test("a path without a route, a HEAD of a route and an unusual header are possible", () => {
  expect(mock).not.toHaveReceived({ path: "/api/nothing" });
  expect(mock).not.toHaveReceived({ route: "GET /api/jobs", method: "HEAD" });
  expect(mock).not.toHaveReceived({ headers: { "x-my_header.1": true } });
});

test("the id of a removed fault stays known, and no later fault gets it", async () => {
  const world = await mock.world();
  const first = world.fault({ on: "GET /api/jobs", status: 500 });
  world.removeFaults(first.id);
  expect(world.verify({ match: { fault: first.id }, exactly: 0 }).verified).toBe(true);
  const entries = (await send(`GET ${mock.control_url}/worlds/${world.id}/log`)).json.total as number;
  const second = world.fault({ on: "*", status: 500 });
  expect(second.id).not.toBe(first.id);
  expect(() => world.verify({ match: { fault: "fault_3" }, exactly: 0 })).toThrow("There is no fault 'fault_3'");
  await world.rewind(entries + 1);
  expect(world.verify({ match: { fault: first.id }, exactly: 0 }).verified).toBe(true);
  expect(world.fault({ on: "*", status: 500 }).id).toBe(second.id);
  world.reset();
  expect(() => world.verify({ match: { fault: first.id }, exactly: 0 })).toThrow("There is no fault");
  world.remove();
});

test("a verification as in the documentation fails on an unknown route", async () => {
  const json = { match: { route: "POST /api/job" }, exactly: 0 };
  const response = await send(`POST ${mock.control_url}/worlds/default/journal/verify`, { json });
  expect(response).toMatchObject({
    status: 400,
    json: { field: "match.route", allowed: expect.arrayContaining(["GET /api/jobs"]) },
  });
});

describe("the matchers refuse", () => {
  class Pattern {
    route = "GET /api/jobs";
  }
  test.each<[string, unknown]>([
    ["a text that is neither route nor tool", "GET /api/job"],
    ["an empty text", ""],
    ["a regular expression", /jobs/],
    ["a function", () => "GET /api/jobs"],
    ["a Map", new Map([["route", "GET /api/jobs"]])],
    ["an object of a class", new Pattern()],
    ["a list", ["GET /api/jobs"]],
    ["null", null],
    ["undefined", undefined],
    ["a number", 200],
    ["a regular expression in a field", { route: /jobs/ }],
    ["a function in a body", { body: { id: () => true } }],
    ["a number that JSON does not have", { body: { id: Number.NaN } }],
  ])("%s", (_, called) => {
    expect(() => expect(mock).not.toHaveReceived(called as Match)).toThrow(
      /no route or tool|not plain JSON|must be object|by its name/,
    );
    expect(() => expect(mock).not.toHaveReceivedInOrder([called as Match])).toThrow();
  });

  test.each([[Number.NaN], [-1], [1.5], ["once"], [{ at_lest: 1 }], [{}]])("the number of calls %j", (times) => {
    expect(() => expect(mock).not.toHaveReceived("GET /api/jobs", times as number)).toThrow();
  });
});

test("a field that is undefined is left out, as it is over HTTP", async () => {
  await mock.fetch("/api/jobs", { headers: { authorization: `Bearer ${mock.keys.full}` } });
  expect(mock.verify({ route: "GET /api/jobs", role: undefined } as unknown as Match, 0).verified).toBe(false);
});

test("values that only the journal has are known", async () => {
  await send(`PURGE ${mock.api_url}/api/jobs`, { key: mock.keys.full }).catch(() => {});
  const { id } = mock.fault({ on: "GET /api/jobs", status: 599 });
  await send(`GET ${mock.api_url}/api/jobs`, { key: mock.keys.full });
  expect(mock).toHaveReceived({ fault: id, status: 599 });
  mock.removeFaults();
  expect(mock).toHaveReceived({ fault: id, status: 599 });
});

/** Text fields of the control plane without a list in their schema, each with a near miss that is refused. */
const texts: Record<string, [path: string, wrong: object]> = {
  "PUT /worlds/{id}/buckets key": ["buckets", { key: "key_ful", bucket: "plan", used: 1 }],
  "PUT /worlds/{id}/buckets bucket": ["buckets", { key: "key_full", bucket: "pln", used: 1 }],
  "POST /worlds/{id}/faults on": ["faults", { on: "GET /api/job", status: 500 }],
  "POST /worlds/{id}/faults delay": ["faults", { on: "*", delay: "3 s" }],
  "POST /worlds/{id}/faults jitter": ["faults", { on: "*", jitter: "3 s" }],
  "POST /worlds/{id}/clock/advance by": ["clock/advance", { by: "3 s" }],
  "POST /worlds/{id}/clock/advance to": ["clock/advance", { to: "tomorow" }],
  "POST /worlds/{id}/clock skip": ["clock", { skip: "at-onc" }],
  "POST /worlds/{id}/clock work": ["clock", { work: "at-onc" }],
  "POST /worlds id": ["", { id: "a_b" }],
  "POST /worlds fixture": ["", { fixture: "dmo" }],
  "POST /worlds skip": ["", { skip: "at-onc" }],
  "POST /worlds work": ["", { work: "at-onc" }],
  "GET /worlds/{id}/state/jobs after": ["state/jobs?after=job_x", {}],
  "GET /worlds/{id}/state/jobs search": [`state/jobs?search=${"x".repeat(201)}`, {}],
  "GET /worlds/{id}/state/observations search": [`state/observations?search=${"x".repeat(201)}`, {}],
  "GET /worlds/{id}/state/observations after": ["state/observations?after=x", {}],
  "GET /worlds/{id}/state/keys after": ["state/keys?after=key_ful", {}],
};

/** Every field of every endpoint, with the schema of its value. */
const fields = endpoints.flatMap(({ on, body, query }) =>
  [body, query].flatMap((schema) =>
    Object.entries(
      (schema as { properties?: Record<string, { type?: unknown; enum?: unknown[] }> } | undefined)?.properties ?? {},
    ).map(([name, value]) => ({ on, name, value, isQuery: schema === query })),
  ),
);
const holdsText = ({ type }: { type?: unknown }) => [type].flat().includes("string");
const isMatchField = (on: string, name: string) => on.includes("/journal") && name in nearMisses;

test("every text field of the control plane has a near miss in the table", () => {
  const names = fields
    .filter(({ on, name, value }) => holdsText(value) && !isMatchField(on, name) && name !== "path")
    .map(({ on, name }) => `${on} ${name}`);
  expect(names.toSorted()).toEqual(Object.keys(texts).toSorted());
});

test.each(Object.entries(texts))("%s refuses a near miss", async (field, given) => {
  const [method = "", path = ""] = field.split(" ");
  const [place, json] = given;
  const below = path === "/worlds" ? `${mock.control_url}/worlds` : `${mock.control_url}/worlds/default/${place}`;
  const response = await send(`${method} ${below}`, method === "GET" ? {} : { json });
  expect(response).toMatchObject({ status: 400, json: { field: field.split(" ")[2] } });
});

const enums = fields.flatMap(({ on, name, value, isQuery }) => (value.enum ? [{ on, name, isQuery, values: value.enum }] : []));
test.each(enums)("$on refuses a near miss of $name", async ({ on, name, isQuery, values }) => {
  const wrong = `${values[0]}x`;
  const [method, path = ""] = on.split(" ");
  const url = `${mock.control_url}${path.replace("{id}", "default")}`;
  const response = isQuery
    ? await send(`${method} ${url}?${name}=${wrong}`)
    : await send(`${method} ${url}`, { json: { [name]: wrong } });
  expect(response).toMatchObject({ status: 400 });
  expect(response.json.detail).toContain(`nearest: ${values[0]}`);
});

test.each(endpoints.filter(({ query }) => !query).map(({ on }) => on))("%s refuses an unknown parameter", async (on) => {
  const [method, path = ""] = on.split(" ");
  const url = `${mock.control_url}${path.replace("{id}", "default").replace("{event}", "suspend").replace("{fault}", "fault_1")}`;
  const response = await send(`${method} ${url}?stauts=1`, { json: undefined });
  expect(response.status).toBe(400);
  expect(response.json.detail).toContain("'stauts' is not known in the query");
});

test("an operation without a body refuses a body", async () => {
  const response = await send(`POST ${mock.control_url}/worlds/default/reset`, { json: { fixture: "empty" } });
  expect(response).toMatchObject({ status: 400, json: { detail: "POST /worlds/{id}/reset takes no body." } });
  expect((await send(`POST ${mock.control_url}/worlds/default/reset`, { json: {} })).status).toBe(200);
});

test("unknown names in a path are refused with the closest one", async () => {
  const at = `${mock.control_url}/worlds`;
  expect((await send(`GET ${at}/defalt`)).json.detail).toMatch(/no world 'defalt'; nearest: default/);
  expect((await send(`POST ${at}/default/drive/suspnd`, { json: {} })).json.detail).toMatch(
    /no event 'suspnd'; nearest: suspend/,
  );
  mock.fault({ on: "*", status: 500 });
  expect((await send(`DELETE ${at}/default/faults/faul_1`)).json.detail).toMatch(/no fault 'faul_1'; nearest: fault_1/);
  mock.removeFaults();
});
