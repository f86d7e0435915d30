import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { type DemoMock, startMock } from "../../src/index.js";
import { controlResultsFile, type ResultRow } from "../../src/mock/control/result-schemas.js";
import { type ControlSchemas, readControlSchemas } from "./control-schemas.js";

/** An operation of the document, as far as its examples go. */
interface ControlOperation {
  requestBody?: { content: { "application/json": { examples: Record<string, { value?: unknown; externalValue?: string }> } } };
}

/** The most elements of a list, and the most fields of an object with any fields, in an example. */
const maxShown = 2;

/** Writes the schema and an example of each result of the control plane. Every example is a response of a mock, with shorter lists. */
export async function writeControlResults(): Promise<void> {
  const schemas = readControlSchemas();
  const results: Record<string, ResultRow> = {};
  for (const [on, schema] of Object.entries(schemas.results)) results[on] = { schema };
  const write = () => writeFileSync(controlResultsFile, JSON.stringify({ results, shared: schemas.shared }));
  mkdirSync(dirname(controlResultsFile), { recursive: true });
  write();
  const mock = await startMock({ listen: false, clock: "frozen" });
  try {
    const document = (await (await mock.fetch(`${mock.control_url}/openapi.json`)).json()) as {
      paths: Record<string, Record<string, ControlOperation>>;
    };
    for (const [path, item] of Object.entries(document.paths))
      for (const [method, operation] of Object.entries(item)) {
        const row = results[`${method.toUpperCase()} ${path.slice("/__mock".length) || "/"}`];
        if (row?.schema.type !== undefined || row?.schema.$ref !== undefined)
          row.example = shorten(await call(mock, method, path, operation), row.schema, schemas);
      }
  } finally {
    await mock.close();
  }
  write();
}

/** Calls an operation in a new world, which has a fault and one call, with the operation's first example. */
async function call(mock: DemoMock, method: string, path: string, { requestBody }: ControlOperation): Promise<unknown> {
  const world = await mock.world({ id: "ci-42", clock: "frozen" });
  try {
    world.fault({ on: "GET /api/jobs", first: 2, code: "rate_limit_qps", retry_after: 2 });
    await world.fetch("/api/jobs/job_1", { headers: { authorization: `Bearer ${world.keys.full}` } });
    const [example] = Object.values(requestBody?.content["application/json"].examples ?? {});
    const body = example?.externalValue ? world.snapshot() : example?.value;
    const response = await mock.fetch(
      `${mock.api_url}${path.replace("{id}", world.id)}${path.endsWith("/stream") ? "?after=0" : ""}`,
      {
        method: method.toUpperCase(),
        ...(body !== undefined && { body: JSON.stringify(body), headers: { "content-type": "application/json" } }),
      },
    );
    if (!response.ok) throw new Error(`${method} ${path} answers ${response.status} to its example: ${await response.text()}`);
    return path.endsWith("/stream") ? await readEvent(response) : await response.json();
  } finally {
    world.remove();
  }
}

async function readEvent(response: Response): Promise<string> {
  let text = "";
  for await (const piece of response.body!.pipeThrough(new TextDecoderStream())) {
    text += piece;
    if (text.includes("\nid:") && text.endsWith("\n\n")) break;
  }
  return text;
}

/** Returns a value with shorter lists and fewer free fields, which still matches its schema. */
function shorten(value: unknown, schema: ResultRow["schema"], schemas: ControlSchemas): unknown {
  if (typeof schema.$ref === "string") return shorten(value, schemas.shared[schema.$ref.split("/").at(-1)!]!, schemas);
  const {
    items,
    properties = {},
    additionalProperties: others,
  } = schema as { items?: object; properties?: object; additionalProperties?: object };
  if (Array.isArray(value))
    return value.slice(0, maxShown).map((one) => shorten(one, (items ?? {}) as ResultRow["schema"], schemas));
  if (typeof value !== "object" || value === null) return value;
  const declared = Object.entries(value).filter(([name]) => name in properties);
  const free = Object.entries(value).filter(([name]) => !(name in properties));
  return Object.fromEntries([
    ...declared.map(([name, one]) => [name, shorten(one, (properties as Record<string, ResultRow["schema"]>)[name]!, schemas)]),
    ...(others ? free.slice(0, maxShown) : free).map(([name, one]) => [
      name,
      shorten(one, (others ?? {}) as ResultRow["schema"], schemas),
    ]),
  ]);
}
