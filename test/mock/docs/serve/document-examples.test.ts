import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type IsolatedWorld, type Mock, startMock } from "../../../../src/index.js";

interface Parameter {
  $ref?: string;
  name: string;
  in: string;
  example?: unknown;
}
interface Link {
  operationId: string;
  parameters: Record<string, string>;
}
interface Operation {
  operationId: string;
  parameters?: Parameter[];
  requestBody?: { content: Record<string, { example?: unknown }> };
  responses: Record<string, { links?: Record<string, Link> }>;
}
type Values = Record<string, unknown>;

/** An operation with its method, path and path item. */
interface Found {
  name: string;
  method: string;
  path: string;
  needsSession: boolean;
  operation: Operation;
}

// the test reads the document while vitest collects the tests, because each operation is one test
const first = await startMock({ clock: "frozen" });
const document = (await (await fetch(`${first.docs_url}/openapi.json`)).json()) as {
  paths: Record<string, Record<string, Operation>>;
};
await first.close();

const operations: Found[] = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item)
    .filter(([, operation]) => "responses" in operation)
    .map(([method, operation]) => {
      const name = `${method.toUpperCase()} ${path}`;
      return { name, method: method.toUpperCase(), path, needsSession: "servers" in item, operation };
    }),
);
const links = operations.flatMap((from) =>
  Object.entries(from.operation.responses).flatMap(([status, response]) =>
    Object.entries(response.links ?? {}).map(([name, link]) => ({ from, status, name, link, on: from.name })),
  ),
);

/** Operations that need another state than that of their example: the job runs, and the observation is open. */
const refused: Record<string, number> = { retryJob: 409, reopenObservation: 409 };

let mock: Mock;
beforeAll(async () => {
  mock = await startMock({ clock: "frozen" });
});
afterAll(() => mock.close());

describe("the examples of the published document", () => {
  it.each(operations)("are accepted by $name in the world of the demo", async (found) => {
    const world = await mock.world();
    for (const onlyRequired of [true, false]) {
      const { status, text } = await call(world, found, readExamples(found, onlyRequired));
      const expected = refused[found.operation.operationId];
      if (expected === undefined) expect(status, text).toBeLessThan(300);
      else expect(status, text).toBe(expected);
      if (found.method !== "GET") break;
    }
    world.remove();
  });
});

describe("the links of the published document", () => {
  it("lead from a submission to its job, from a list to an element, and from a finding to its fix", () => {
    const pairs = links.map(({ from, status, link }) => [from.operation.operationId, status, link.operationId].join(" "));
    for (const pair of ["submitJob 201 getJob", "submitJob 201 cancelJob", "listObservations 200 getObservation"])
      expect(pairs).toContain(pair);
    expect(pairs).toContain("getObservation 200 fixObservation");
  });

  it.each(links)("lead from $on with $status to $name", async ({ from, status, link }) => {
    const target = operations.find(({ operation }) => operation.operationId === link.operationId)!;
    const needed = [...target.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    expect(Object.keys(link.parameters)).toEqual(needed);
    const world = await mock.world();
    const examples = readExamples(from, true);
    if (status === "200") await call(world, from, examples); // a submission that is repeated gets 200
    const response = refused[from.operation.operationId] ? null : await call(world, from, examples);
    const evaluate = (expression: string) => {
      const [, place, rest = ""] = /^\$(request\.path\.|request\.body#|response\.body#)(.*)$/.exec(expression)!;
      if (place === "request.path.") return examples.parameters[rest];
      return readPointer(place === "request.body#" ? examples.body : response?.json, rest);
    };
    const parameters = Object.fromEntries(Object.entries(link.parameters).map(([name, value]) => [name, evaluate(value)]));
    if (response) {
      expect(Object.values(parameters)).not.toContain(undefined);
      const next = await call(world, target, { ...readExamples(target, true), parameters });
      expect(next.status, next.text).not.toBe(404);
      expect(next.status, next.text).not.toBe(422);
    }
    world.remove();
  });
});

function readPointer(value: unknown, pointer: string): unknown {
  return pointer
    .split("/")
    .slice(1)
    .reduce<unknown>((node, key) => (node as Values | undefined)?.[key], value);
}

/** Returns the example of the body, and of the parameters that can have one: a cursor has none. */
function readExamples({ operation }: Found, onlyPath: boolean) {
  const listed = (operation.parameters ?? []).map((parameter) =>
    parameter.$ref ? (readPointer(document, parameter.$ref.slice(1)) as Parameter) : parameter,
  );
  const isRequired = (parameter: Parameter) => parameter.in === "path" || (parameter as { required?: boolean }).required;
  const used = listed.filter((parameter) => parameter.example !== undefined && (isRequired(parameter) || !onlyPath));
  return {
    parameters: Object.fromEntries(used.map(({ name, example }) => [name, example])) as Values,
    body: operation.requestBody?.content["application/json"]?.example,
  };
}

async function call(
  world: IsolatedWorld,
  { method, path, needsSession, operation }: Found,
  { parameters, body }: { parameters: Values; body: unknown },
): Promise<{ status: number; text: string; json: unknown }> {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name) => encodeURIComponent(String(parameters[name])));
  const query = Object.entries(parameters).filter(([name]) => !path.includes(`{${name}}`) && name !== "Idempotency-Key");
  const key = world.keys[operation.operationId === "getOpenApi" ? "staff" : "full"]!;
  const headers = needsSession ? { cookie: world.sessions.owner! } : { authorization: `Bearer ${key}` };
  const url = `${needsSession ? mock.app_url : mock.api_url}${filled}?${new URLSearchParams(query as [string, string][])}`;
  const response = await fetch(url, {
    method,
    headers: { ...headers, ...(body !== undefined && { "content-type": "application/json" }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return {
    status: response.status,
    text,
    json: response.headers.get("content-type")?.includes("json") ? JSON.parse(text) : null,
  };
}
