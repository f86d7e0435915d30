import { contract } from "../../contract/load.js";
import type { ServiceResponse } from "../../service/call.js";
import { showObservation } from "../../service/observations/observations.js";
import { findRow, readRow } from "../../service/world/lookups.js";
import type { VariationFunction } from "./variation.js";

type Fields = Record<string, unknown>;

/** The resources whose fields the contract lists. */
type Kind = "Job" | "Observation" | "ApiKey";

const unknownFields: readonly Fields[] = [
  { _links: { self: { href: "/somewhere" } } },
  { "x-flags": [] },
  { locale: null },
  { age_s: 61.5, etag: 'W/"7"' },
];
const unknownErrorFields: readonly Fields[] = [{ help: "https://help.example/errors" }, { severity: 3, retryable: null }];

/** Unknown fields before and after the known fields. */
export const addFields: VariationFunction = (response, _, dice) => {
  const extend = (fields: Fields, some: readonly Fields[]) => ({ ...dice.pick(some), ...fields, ...dice.pick(some) });
  const isError = response.status >= 400;
  return rebuildBody(response, (fields, at) => {
    if (isError) return at === "error" ? extend(fields, unknownErrorFields) : fields;
    return at === "" || findKind(fields) ? extend(fields, unknownFields) : fields;
  });
};

/** Only the fields of the contract. The job status of the tool server has more. */
export const dropFields: VariationFunction = (response, { surface }) =>
  rebuildBody(response, (fields) => {
    const kind = findKind(fields);
    if (kind === null || (kind === "Job" && surface === "mcp")) return fields;
    const kept = Object.entries(fields).filter(([name]) => known[kind].has(name));
    return kept.length === Object.keys(fields).length ? fields : Object.fromEntries(kept);
  });

/** Null for fields that an open observation does not have. */
export const addNulls: VariationFunction = (response) =>
  rebuildBody(response, (fields) =>
    findKind(fields) === "Observation" && !("close_reason" in fields) ? { ...fields, close_reason: null } : fields,
  );

/** The locations of a single observation, although the client did not request them. */
export const addLocations: VariationFunction = (response, { route, world }) => {
  if (route !== "GET /api/observations/{ref}" || response.status !== 200) return null;
  return rebuildBody(response, (fields) => {
    const observation = "locations" in fields ? undefined : findRow(world.observations, String(fields.ref));
    if (!observation) return fields;
    const { locations } = showObservation(observation, readRow(world.repos, observation.repo), { locations: true });
    return { ...fields, locations };
  });
};

/** Every timestamp in one of the forms of ISO 8601. */
export const rewriteTimes: VariationFunction = (response, _, dice) => {
  const form = dice.pick(timeForms) ?? String;
  return rebuildBody(response, (fields) => {
    const times = Object.entries(fields).filter(([name, value]) => name.endsWith("_at") && typeof value === "string");
    return times.length === 0 ? fields : { ...fields, ...Object.fromEntries(times.map(([name, value]) => [name, form(value)])) };
  });
};

const timeForms: readonly ((value: unknown) => string)[] = [
  (value) => `${new Date(Date.parse(String(value)) + 7_200_000).toISOString().slice(0, -1)}+02:00`,
  (value) => new Date(Date.parse(String(value)) - 16_200_000).toISOString().replace("Z", "000-04:30"),
  (value) => String(value).replace(/\.\d+/, ""),
];

/** Dollars of keys as text. */
export const writeDollars: VariationFunction = (response) =>
  rebuildBody(response, (fields) =>
    typeof fields.dollars_per_hour === "number" ? { ...fields, dollars_per_hour: String(fields.dollars_per_hour) } : fields,
  );

/** An unknown value of `confidence`. */
export const renameBands: VariationFunction = (response, _, dice) => {
  const band = dice.pick<unknown>(["fair", 0.5, { band: "none", p: 0.5 }]);
  return rebuildBody(response, (fields) =>
    "confidence" in fields && "cost_low" in fields ? { ...fields, confidence: band } : fields,
  );
};

const known: Record<Kind, ReadonlySet<string>> = {
  Job: listDocumentedFields("Job"),
  Observation: listDocumentedFields("Observation"),
  // the creation returns the full value under a name that the contract does not show
  ApiKey: new Set([...listDocumentedFields("ApiKey"), "key"]),
};

function listDocumentedFields(name: Kind): Set<string> {
  return new Set(Object.keys(contract.openapi.components?.schemas?.[name]?.properties ?? {}));
}

function findKind(fields: Fields): Kind | null {
  if ("ref" in fields && "kind" in fields) return "Observation";
  if ("id" in fields && "workflow" in fields && "status" in fields) return "Job";
  return "key_id" in fields ? "ApiKey" : null;
}

/** Rebuilds each object of a reply's body, outermost first. Returns null if nothing changes. `at`: the field that contains the object. */
export function rebuildBody(response: ServiceResponse, rebuild: (fields: Fields, at: string) => Fields): ServiceResponse | null {
  const walk = (value: unknown, at: string): unknown => {
    if (Array.isArray(value)) {
      const items = value.map((item) => walk(item, "[]"));
      return items.some((item, i) => item !== value[i]) ? items : value;
    }
    if (value === null || typeof value !== "object") return value;
    const fields = rebuild(value as Fields, at);
    const inner = Object.entries(fields).map(([name, item]) => [name, walk(item, name)] as const);
    return inner.some(([name, item]) => item !== fields[name]) ? Object.fromEntries(inner) : fields;
  };
  const body = walk(response.body, "");
  return body === response.body ? null : { ...response, body };
}
