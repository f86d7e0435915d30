import { Validator } from "@seriousme/openapi-schema-validator";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { contract } from "../../../src/contract/load.js";
import { endpoints } from "../../../src/mock/control/endpoints.js";
import { type Mock, startMock } from "../../../src/mock/server.js";
import { drives } from "../../../src/service/drives/index.js";
import { send } from "../client.js";
import {
  createUsedWorld,
  type Document,
  type Example,
  listMistakes as findMistakes,
  type Operation,
} from "./documented-results.js";

// the test reads the document while vitest collects the tests, because each of its examples is one test
const first = await startMock({ clock: "frozen" });
const document = (await send(`GET ${first.control_url}/openapi.json`)).json as Document;
await first.close();

const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({
    line: `${method.toUpperCase()} ${path.slice("/__mock".length)}`,
    operation,
  })),
);
const lines = operations.map(({ line }) => (line.endsWith(" ") ? `${line}/` : line));
const getExamples = ({ requestBody }: Operation): [string, Example][] =>
  Object.entries(requestBody?.content["application/json"]?.examples ?? {});
const samples = operations.flatMap(({ line, operation }) =>
  getExamples(operation).map(([name, example]) => [line, name, example, operation] as const),
);

const listMistakes = (operation: Operation, body: unknown) => findMistakes(document, operation, body);

let mock: Mock;
beforeAll(async () => {
  mock = await startMock({ clock: "frozen" });
});
afterAll(() => mock.close());

describe("the document of the control plane", () => {
  it("is valid OpenAPI 3.1", async () => {
    expect(await new Validator().validate(structuredClone(document))).toEqual({ valid: true });
  });

  it("has every route, a path for each event, and nothing else", () => {
    const expected = endpoints.flatMap(({ on }) =>
      on.endsWith("{event}") ? Object.keys(drives).map((event) => on.replace("{event}", event)) : [on],
    );
    expect(lines.sort()).toEqual(expected.sort());
    expect(new Set(operations.map(({ operation }) => operation.operationId)).size).toBe(operations.length);
  });

  it("is the one on the docs site", async () => {
    const own = (await send(`GET ${mock.control_url}/openapi.json`)).json;
    expect((await send(`GET ${mock.docs_url}/control.json`)).json).toEqual(own);
  });

  it.each(operations)("describes $line, with an example for each input", ({ operation }) => {
    expect(operation.summary).toMatch(/\w+ \w+.*\.$/);
    for (const parameter of operation.parameters) if (parameter.in === "path") expect(parameter.example).toBeTruthy();
    if (operation.requestBody) expect(getExamples(operation).length).toBeGreaterThan(0);
  });

  it.each(operations.filter(({ operation }) => !("204" in operation.responses)))(
    "has an example of the answer of $line that its schema allows",
    ({ operation }) => {
      const [{ content = {} } = {}] = Object.values(operation.responses);
      for (const { examples } of Object.values(content)) expect(listMistakes(operation, examples?.usual?.value)).toBe("");
    },
  );

  it.each(Object.keys(contract.events))("shows every argument of %s with a value", (event) => {
    const { properties = {} } = contract.events[event]!.arguments as { properties?: object };
    const { operation } = operations.find(({ line }) => line.endsWith(`/drive/${event}`))!;
    const shown = new Set(getExamples(operation).flatMap(([, { value }]) => Object.keys(value as object)));
    expect([...shown].sort()).toEqual(Object.keys(properties).sort());
  });

  it.each(samples)("%s accepts its example %s, unchanged", async (line, _, { value, externalValue }, operation) => {
    const world = await createUsedWorld(mock);
    const here = (path: string) => mock.control_url + path.replace("{id}", world.id);
    const body = externalValue
      ? (await send(`GET ${here(new URL(externalValue).pathname.slice(7).replace("default", world.id))}`)).json
      : value;
    const [method, path] = line.split(" ") as [string, string];
    const response = await send(`${method} ${here(path)}`, { json: body });
    expect(response.text.slice(0, 300) && response.status, response.text.slice(0, 300)).toBe(
      Number(Object.keys(operation.responses)[0]),
    );
    expect(listMistakes(operation, response.json)).toBe("");
    world.remove();
  });

  it.each(operations.filter(({ operation }) => !operation.requestBody))(
    "$line answers with its documented status and schema",
    async ({ line, operation }) => {
      const world = await createUsedWorld(mock);
      const [method, path] = line.split(" ") as [string, string];
      const url = mock.control_url + path.replace("{id}", world.id).replace("{fault}", "fault_2");
      const stop = new AbortController();
      const response = await fetch(url, { method, signal: stop.signal });
      expect(response.status).toBe(Number(Object.keys(operation.responses)[0]));
      const isJson = response.headers.get("content-type")?.includes("json");
      if (isJson) expect(listMistakes(operation, await response.json())).toBe("");
      else expect(Object.keys(operation.responses)[0] === "204" || listMistakes(operation, "") === "").toBe(true);
      stop.abort();
    },
  );
});

describe("the root of the control plane", () => {
  const root = (accept?: string, slash = "") => send(`GET ${mock.control_url}${slash}`, { headers: accept ? { accept } : {} });

  it.each(["", "/"])("lists every route for programs%s", async (slash) => {
    for (const accept of ["application/json", "*/*", undefined]) {
      const { status, json } = await root(accept, slash);
      expect(status).toBe(200);
      expect(json.routes.map(({ route }: { route: string }) => route)).toEqual(endpoints.map(({ on }) => on));
      expect(json.events).toEqual(Object.keys(drives));
      expect((await send(`GET ${json.openapi}`)).status).toBe(200);
      expect((await send(`GET ${json.explorer}`)).status).toBe(200);
    }
  });

  it.each(["", "/"])("is the console for people, and loads its parts from this mock only%s", async (slash) => {
    const page = await root("text/html,application/xhtml+xml,*/*;q=0.8", slash);
    expect(page.headers["content-type"]).toBe("text/html; charset=utf-8");
    expect(page.headers.vary).toBe("accept");
    const links = [...page.text.matchAll(/(?:href|src)="([^"]+)"/g)].map(([, link]) => link!).filter((link) => link !== "data:,");
    expect(links).toEqual(["/__mock/console.css", "/__mock/console.js", "/__mock/openapi.json"]);
    for (const link of links) expect((await send(`GET ${mock.api_url}${link}`)).status, link).toBe(200);
  });

  it("lets the page run its own script only, and answers 304 for an unchanged part", async () => {
    const { headers } = await root("text/html");
    const policy = String(headers["content-security-policy"]).split("; ");
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self'");
    expect(policy.join()).not.toMatch(/unsafe|http|\*/);
    const repeatedClientResponse = await send(`GET ${mock.control_url}`, {
      headers: { accept: "text/html", "if-none-match": String(headers.etag) },
    });
    expect([repeatedClientResponse.status, repeatedClientResponse.text]).toEqual([304, ""]);
  });
});

describe("a refused body reports the level and the allowed names", () => {
  it.each<[string, object, string, string, string[] | undefined]>([
    [
      "POST /worlds",
      { sead: 1 },
      "sead",
      "no option 'sead'; nearest: seed",
      ["id", "fixture", "seed", "clock", "skip", "work", "limits", "plan", "variations", "options"],
    ],
    [
      "POST /worlds",
      { options: { rate_windo: "fixed" } },
      "options.rate_windo",
      "no option 'options.rate_windo'",
      expect.arrayContaining(["rate_window"]),
    ],
    ["POST /worlds", { limits: "no" }, "limits", 'limits: "no" is not valid', ["text", "off"]],
    ["POST /worlds", { seed: "x" }, "seed", 'seed: "x" is not valid. Use a whole number of 0 or more', undefined],
    [
      "POST /worlds/{id}/drive/finish-job",
      { job_id: "j" },
      "outcome",
      "the body must have required property 'outcome'",
      ["job_id", "outcome"],
    ],
    ["POST /worlds/{id}/drive/finish-job", { job_id: "job_x", outcome: "success" }, "job_id", "no job job_x", undefined],
    ["POST /worlds/{id}/drive/find", { repo: "a/b/c" }, "repo", "no repository a/b/c", undefined],
    [
      "POST /worlds/{id}/drive/find",
      { repo: "a/b/c", observation: { kind: "bug" } },
      "observation.kind",
      "observation.kind must be",
      ["finding", "suggestion", "advisory"],
    ],
    [
      "POST /worlds/{id}/drive/find",
      { repo: "a/b/c", observation: { locations: [{ file: "x" }] } },
      "observation.locations.0.file_path",
      "observation.locations.0 must have",
      ["file_path", "symbol", "line_start", "line_end"],
    ],
    ["POST /worlds/{id}/drive/merge-fix-pr", { ref: "SERVICE-0" }, "ref", "no observation SERVICE-0", undefined],
    ["POST /worlds/{id}/drive/revoke-key", { key_id: "key_0" }, "key_id", "no key key_0", undefined],
    ["POST /worlds/{id}/drive/suspend", { workspace: "nobody" }, "workspace", "no workspace nobody", undefined],
    ["POST /worlds/{id}/drive/explode", {}, "event", "no event 'explode'", expect.arrayContaining(["finish-job"])],
    ["POST /worlds/{id}/clock/advance", { by: "soon" }, "by", "'soon' is not a duration", undefined],
    ["POST /worlds/{id}/clock/advance", { to: "2001-01-01T00:00:00Z" }, "to", "moves only forward", undefined],
    ["POST /worlds/{id}/clock/advance", { until: "tea" }, "until", "until must be", ["idle", "next-event"]],
    [
      "PUT /worlds/{id}/buckets",
      { key: "key_x", bucket: "plan", used: 1 },
      "key",
      "no key 'key_x'",
      expect.arrayContaining(["key_full"]),
    ],
    [
      "PUT /worlds/{id}/buckets",
      { key: "key_full", bucket: "pail", used: 1 },
      "bucket",
      "no bucket of this key 'pail'",
      expect.arrayContaining(["plan"]),
    ],
    ["PUT /worlds/{id}/snapshot", { snapshot: 2, world: {} }, "snapshot", "not a snapshot", ["1"]],
    ["PUT /worlds/{id}/snapshot", { snapshot: 1, world: {} }, "world.id", "/world/id is missing", undefined],
  ])("%s %j: %s", async (line, json, field, description, allowed) => {
    const world = await mock.world();
    const here = `${mock.control_url}/worlds/${world.id}`;
    const before = (await send(`GET ${here}/snapshot`)).text;
    const [method, path] = line.split(" ") as [string, string];
    const response = await send(`${method} ${mock.control_url}${path.replace("{id}", world.id)}`, { json });
    expect(response.status).toBe(400);
    expect(response.headers["content-type"]).toBe("application/problem+json; charset=utf-8");
    expect(response.json).toMatchObject({
      title: "Bad Request",
      status: 400,
      field,
      detail: expect.stringContaining(description),
    });
    expect(response.json.allowed).toEqual(allowed);
    expect((await send(`GET ${here}/snapshot`)).text).toBe(before);
    world.remove();
  });

  it("refuses an event with 409 if the state of the object does not allow it, with the allowed ones", async () => {
    const { id } = await mock.world();
    const here = `${mock.control_url}/worlds/${id}`;
    const response = await send(`POST ${here}/drive/find`, { json: { repo: "acme/web/main" } });
    const { ref } = response.json.result as { ref: string };
    const before = (await send(`GET ${here}/snapshot`)).text;
    for (const event of ["open-fix-pr", "merge-fix-pr"]) {
      const serverResponse = await send(`POST ${here}/drive/${event}`, { json: { ref } });
      expect(serverResponse.status).toBe(409);
      expect(serverResponse.headers["content-type"]).toBe("application/problem+json; charset=utf-8");
      expect(serverResponse.json).toMatchObject({
        title: "Conflict",
        field: "ref",
        detail: expect.stringContaining(`${ref} has no fix`),
      });
    }
    expect((await send(`GET ${here}/snapshot`)).text).toBe(before);
  });

  it("and so does a path with an unknown name", async () => {
    expect((await send(`GET ${mock.control_url}/worlds/w999/clock`)).json).toMatchObject({
      status: 404,
      field: "id",
      allowed: expect.arrayContaining(["default"]),
    });
    expect((await send(`GET ${mock.control_url}/worlds/default/nothing`)).json.allowed).toContain("GET /worlds/{id}/clock");
  });
});
