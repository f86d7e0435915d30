import { generateSync, type JsonSchema } from "json-schema-faker";
import type { RouteName } from "../../../contract/types.js";
import type { RequestText, Row } from "../../../engine/scenario/format.js";
import { pickConformingFilters } from "../../laws/lists/queries.js";
import { REGISTRATION } from "../../statements/setup-steps.js";
import { escapeLiteral } from "../faults/literal.js";
import type { Fields, Operation, Schema } from "../faults/operation.js";

/** Values of path variables, from the target or from earlier steps. */
const realNames: Readonly<Record<string, string>> = {
  owner: "{repo.owner}",
  repo: "{repo.name}",
  branch: "{repo.branch}",
  job_id: "{job}",
  ref: "{ref}",
  key_id: "{key_id}",
};

/** The ceilings of a key to be patched; PATCHes below lower them. */
export const sampleCeilings = { requests_per_minute: 100, dollars_per_hour: 5 };

/** Valid bodies that the schemas cannot express: existing names, and limits that depend on other rows. */
const validBodies: { [R in RouteName]?: (body: Row, seed: number) => Row } = {
  "POST /api/repos/{owner}/{repo}/{branch}/jobs": (_, seed) => ({
    workflow: seed % 2 === 0 ? "audit" : "standard_audit",
    params: {},
  }),
  "POST /api/repos": ({ access_mode = "anonymous" }) => ({
    ...REGISTRATION,
    access_mode,
  }),
  "POST /api/repos/{owner}/{repo}/{branch}/reset": () => ({}),
  "POST /api/observations/{ref}/publish-ticket": () => ({}),
  // a server may require that a proof link is a link
  "POST /api/observations/{ref}/complete": ({ url, ...body }) => ({
    ...body,
    ...(url !== undefined && { url: "https://example.com/proof" }),
  }),
  // a server may refuse ceilings above those of the workspace
  "POST /api/keys": ({ requests_per_minute, dollars_per_hour, expires_at, allowed_cidrs }) => ({
    ...(requests_per_minute !== undefined && { requests_per_minute: sampleCeilings.requests_per_minute }),
    ...(dollars_per_hour !== undefined && { dollars_per_hour: sampleCeilings.dollars_per_hour }),
    ...(expires_at !== undefined && { expires_at: "{now+30d}" }),
    ...(allowed_cidrs !== undefined && { allowed_cidrs: ["203.0.113.0/24", "2001:db8::1"] }),
    "{binding.key_name_field}": "k-{unique}",
    "{binding.key_scopes_field}": ["view_jobs"],
  }),
  "PATCH /api/keys/{key_id}": (_, seed) => ({ requests_per_minute: 5 + (seed % 90), dollars_per_hour: 1 + (seed % 3) }),
};

/** Valid query values that the schemas cannot express. Only the server issues cursors. */
const validQueries: Readonly<Record<string, string>> = {
  workflow: "audit",
  repo: "{slug}",
  repo_name: "{slug}",
  since: "2026-01-05T09:00:00Z",
};

/** Returns a valid request of an operation. The seed determines its optional fields. */
export function createValidRequest(operation: Operation, seed: number): RequestText & { rest: string } {
  const json = createValidBody(operation, seed);
  const query = createValidQuery(operation, seed);
  return {
    rest: buildPath(operation),
    ...chooseCredentials(operation),
    ...(Object.keys(query).length > 0 && { query }),
    ...(json && { json }),
  };
}

/** Returns the request line of an operation with existing names, or with some segments replaced. */
export function buildPath({ method, segments }: Operation, replaced: Readonly<Record<string, string>> = {}): string {
  const names = segments.map((part) => {
    const name = part.startsWith("{") ? part.slice(1, -1) : undefined;
    return name === undefined ? part : (replaced[name] ?? realNames[name] ?? part);
  });
  return `${method} /${names.join("/")}`;
}

/** Generates data of a schema. Seed 0 has only required fields. */
function generate(schema: Schema | Fields, seed: number): unknown {
  const options = { seed, optionalsProbability: seed === 0 ? 0 : 0.6, maxDefaultItems: 3 };
  return generateSync({ type: "object", ...schema } as JsonSchema, options);
}

function createValidBody({ route, body }: Operation, seed: number): Row | undefined {
  if (!body) return undefined;
  const generatedRow = escapeLiteral(generate(body.schema, seed)) as Row;
  return validBodies[route]?.(generatedRow, seed) ?? generatedRow;
}

function createValidQuery({ query }: Operation, seed: number): Row {
  const { cursor: _, ...properties } = query.properties;
  const generatedRow = generate({ properties, required: query.required }, seed) as Row;
  const values = Object.entries(generatedRow).map(([name, value]) => [name, validQueries[name] ?? String(escapeLiteral(value))]);
  return pickConformingFilters(Object.fromEntries(values)); // a server may refuse filters that contradict each other
}

/** Keys are managed with a session; the OpenAPI document of the API host needs an entitled key. */
function chooseCredentials({ route, bySession }: Operation): RequestText {
  if (bySession) return { session: "admin" };
  return route === "GET /api/openapi.json" ? { as: "staff" } : {};
}
