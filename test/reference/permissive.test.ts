import { readdirSync, readFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { compileSchema, packageRoot, readSpec } from "../../src/contract/load.js";
import { inlineReferences } from "../../src/contract/references.js";
import { draw } from "../meta/sample.js";
import { base } from "./base.js";
import type { Choices } from "./choices.js";
import { freedoms } from "./freedoms.js";
import { permissive } from "./permissive.js";
import { points } from "./points/index.js";
import { randomDraws } from "./random-draws.js";
import { OPS_TOKEN, startReference } from "./server.js";

const seeds = Array.from({ length: 400 }, (_, at) => at + 1);

/** Returns a choice as text. Each function has a different text. */
function getText(choices: Partial<Choices>): string {
  return JSON.stringify(choices, (_, value) => {
    if (typeof value !== "function") return value === undefined ? "undefined" : value;
    if (!numbers.has(value)) numbers.set(value, numbers.size);
    return numbers.get(value);
  });
}
const numbers = new Map<unknown, number>();

describe("the freedoms", () => {
  test("are all differences of legal servers, each with its passage", () => {
    const ids = freedoms.map(({ id }) => id);
    const missing = Object.keys(points).filter((point) => !ids.some((id) => id.startsWith(`${point}: `)));
    expect(missing.filter(isShown)).toEqual([]);
    expect(freedoms.filter(({ passage }) => passage === "").map(({ id }) => id)).toEqual([]);
    expect(ids.length).toBe(new Set(ids).size);
  });

  test.each(freedoms.map((freedom) => ({ ...freedom })))("$id is taken", ({ draw: drawOne, settles }) => {
    const drawn = seeds.map((seed) => drawOne(randomDraws(seed)));
    expect(new Set(drawn.map(getText)).size).toBeGreaterThan(1);
    for (const field of settles)
      expect(drawn.some((one) => getText({ [field]: one[field] }) !== getText({ [field]: base[field] }))).toBe(true);
  });

  test("are each used by some server", () => {
    const servers = seeds.map((seed) => {
      const choices = permissive(seed);
      return { ...choices, ...choices.redraw() };
    });
    const fields = [...new Set(freedoms.flatMap(({ settles }) => settles))];
    const alike = fields.filter((field) =>
      servers.every((server) => getText({ [field]: server[field] }) === getText({ [field]: base[field] })),
    );
    expect(alike).toEqual([]);
  });

  test("set only choices that a server reads", () => {
    const directory = join(packageRoot, "test/reference");
    const apart = ["base.ts", "choices.ts", "variants.ts", "freedoms.ts", "measures.ts", "permissive.test.ts"];
    const files = readdirSync(directory).filter((name) => name.endsWith(".ts") && !apart.includes(name));
    const code = files.map((name) => readFileSync(join(directory, name), "utf8")).join("\n");
    const unread = freedoms.flatMap(({ settles }) => settles).filter((field) => !new RegExp(`\\b${field}\\b`).test(code));
    expect(unread).toEqual([]);
  });
});

/** Whether some server can show a point. */
function isShown(point: string): boolean {
  return Object.values(points[point] ?? {}).some((setting) => typeof setting !== "string");
}

/** One unchanged answer. */
interface Heard {
  route: string;
  status: number;
  headers: NodeJS.Dict<string | string[]>;
  text: string;
}

const REPO = "/api/repos/{owner}/{repo}/{branch}";
const NOTE = { dismissal_category: "stale", dismissal_note: "Seen before, and long ago." };

/** A request to a server: the operation, its body, and its query. */
type Step = [route: string, body?: unknown, query?: string];

const STEPS: readonly Step[] = [
  ...["GET /api/repos", "GET /api/jobs", `GET ${REPO}`, `GET ${REPO}/jobs`, `GET ${REPO}/fix-prs`].map((route): Step => [route]),
  ...[`GET ${REPO}/discovery`, `GET ${REPO}/knowledge`, `GET ${REPO}/forecasts`].map((route): Step => [route]),
  ["GET /api/observations", undefined, "?include=locations&limit=3"],
  ["GET /api/observations", undefined, "?limit=1000&status=old"],
  ["GET /api/forecasts/lookup", undefined, "?workflow=audit"],
  ["GET /api/observations/{ref}"],
  ["POST /api/observations/{ref}/acknowledge"],
  ["POST /api/observations/{ref}/fix"],
  ["POST /api/observations/{ref}/publish-ticket", {}],
  ["POST /api/observations/{ref}/dismiss", NOTE],
  ["POST /api/observations/{ref}/dismiss", {}],
  ["POST /api/observations/{ref}/reopen", { reopen_reason: "x" }],
  ["POST /api/observations/{ref}/complete", { note: "x" }],
  [`POST ${REPO}/jobs`, { workflow: "audit", params: {} }],
  [`POST ${REPO}/jobs`, { workflow: "task", params: {} }],
  [`POST ${REPO}/jobs`, { workflow: "mini_audit", params: {} }],
  ["GET /api/jobs/{job_id}"],
  ["POST /api/jobs/{job_id}/retry"],
  ["POST /api/jobs/{job_id}/cancel"],
  ["POST /api/jobs/{job_id}/retry"],
  ["POST /api/repos", { owner: "a", repo: "b", branch: "c" }],
  [`POST ${REPO}/reset`, { history: true }],
  ["POST /api/keys", {}],
  ["PATCH /api/keys/{key_id}", { requests_per_minute: 5 }],
  [`DELETE ${REPO}`],
];

/** The values that the steps use, and the shape of a repository. The schema names its identity, which the contract does not show in a response. */
const shown = { repos: base.repos, repoShape: base.repoShape, registerWhole: undefined, register: base.register };

/** Runs all steps twice against the server of a seed, and returns its responses. */
async function run(seed: number): Promise<Heard[]> {
  const choices = permissive(seed);
  const { url, target, close } = await startReference({ ...choices, control: "worlds", clock: "stands", ...shown });
  const heardTexts: Heard[] = [];
  try {
    const world = JSON.parse((await send("POST", `${url}/ops/worlds`, { "x-ops-token": OPS_TOKEN })).text);
    const [owner = "", repo = "", branch = ""] = base.repos[0].split("/");
    const values: Record<string, string> = { owner, repo, branch, ref: "SERVICE-0", job_id: "none", key_id: "none" };
    for (const [route, body, query = ""] of [...STEPS, ...STEPS]) {
      const [method = "", path = ""] = route.split(" ");
      const place = path.replace(/\{(.*?)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? ""));
      const isKeys = path.startsWith("/api/keys");
      const by = isKeys ? { cookie: world.sessions.owner } : { authorization: `Bearer ${world.keys.full}` };
      const response = await send(method, `${isKeys ? target.app_url : target.base_url}${place}${query}`, by, body);
      heardTexts.push({ route, ...response });
      remember(values, route, response);
    }
  } finally {
    await close();
  }
  return heardTexts;
}

/** Keeps the ids in a response for later steps. */
function remember(values: Record<string, string>, route: string, { status, text }: Pick<Heard, "status" | "text">): void {
  if (status >= 300 || text === "") return;
  const body = JSON.parse(text);
  if (route === `POST ${REPO}/jobs`) values.job_id = body.id;
  if (route === "POST /api/keys") values.key_id = body.key_id;
  if (route === "GET /api/observations" && body.data.length > 0) values.ref = body.data[0].ref;
}

function send(method: string, url: string, headers: Record<string, string>, body?: unknown): Promise<Omit<Heard, "route">> {
  return new Promise((resolve, reject) => {
    const sent = request(url, {
      method,
      headers: { ...headers, ...(body !== undefined && { "content-type": "application/json" }) },
    });
    sent.on("response", async (response) => {
      const text = Buffer.concat(await response.toArray()).toString();
      const { date: _, ...kept } = response.headers;
      resolve({ status: response.statusCode ?? 0, headers: kept, text });
    });
    sent.on("error", reject).end(body === undefined ? undefined : JSON.stringify(body));
  });
}

/** The published schemas of an operation's answers by status, and of refusals. */
const document = readSpec("openapi.json") as { paths: Record<string, Record<string, { responses: Record<string, unknown> }>> };
const documents = { "": document, "openapi.json": document };

function getMismatch({ route, status, text }: Heard): string | undefined {
  const [method = "", path = ""] = route.split(" ");
  const { responses } = document.paths[path]?.[method.toLowerCase()] ?? { responses: {} };
  const success = Object.entries(responses).find(([each]) => each.startsWith("2"))?.[1];
  const wanted = responses[status] ?? (status < 300 ? success : responses[401]);
  const { content } = inlineReferences(wanted, documents) as { content?: Record<string, { schema: object }> };
  const schema = content?.["application/json"]?.schema;
  if (text === "" || schema === undefined) return undefined;
  const fits = compileSchema(schema);
  return fits(JSON.parse(text)) ? undefined : `${route} ${status}: ${JSON.stringify(fits.errors?.[0])} ${text.slice(0, 300)}`;
}

describe("a permissive server", () => {
  const some = draw(seeds, 6);

  test.each(some)("of seed %i gives JSON that fits the published schema", async (seed) => {
    const heardTexts = await run(seed);
    expect(heardTexts.flatMap((heardText) => getMismatch(heardText) ?? [])).toEqual([]);
    expect(heardTexts.filter(({ status }) => status < 300).length).toBeGreaterThan(5);
  });

  test("gives the same bytes for the same seed, and others for another seed", async () => {
    const [seed = 1, other = 2] = some;
    const first = await run(seed);
    expect(await run(seed)).toEqual(first);
    expect(await run(other)).not.toEqual(first);
  });
});
