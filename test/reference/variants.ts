import { base } from "./base.js";
import type { Choices } from "./choices.js";

/** Terse: UUIDs, changes answered without a body, one-second dispatch, sliding windows, offsets in the cursor. */
export const terse: Choices = {
  ...base,
  name: "terse",
  ...{ retryIdle: "unchanged", cancelIdle: "unchanged", triageIdle: "unchanged" },
  ...{ discoveryMs: 0, idempotencyPer: "key", idempotencyOther: "conflict" },
  ...{ oneAddress: true, dispatchSeconds: 1, runSeconds: 300, dedupeSeconds: 90, jobsOldestFirst: true },
  timestamp: (ms) => `${new Date(ms + 7_200_000).toISOString().slice(0, -1)}+02:00`,
  ...{ params: { texts: "globs", fix: "observation", task: "prompt" }, fixJob: "attempt" },
  ...{ reappears: "anew", recency: "created", nullReason: true, fixAgain: "same", acknowledgedAgain: "is stamped" },
  ...{ meter: "sliding", meterPer: "path", refusedCount: true, perMinute: { free: 550, paid: 2800, tools: 60 } },
  ...{ ceilingHttp: 402, hour: "sliding", cursorBinds: ["order"], otherContentHttp: undefined, maxBytes: 64_000_000 },
  done: { triage: 204, cancel: 204, fix: 201, ticket: 204, reset: 204, key: 201, patch: 204 },
  ...{ quiet: true, faultsIn: "body", echo: "body", featureNames: "text", errorContent: "application/problem+json" },
  headers: { "cache-control": "no-store" },
  serialise: (value) => JSON.stringify(value).replaceAll("/", "\\/"),
  listShape: (rows) => rows,
  repoShape: ({ owner, name, branch }) => ({ owner, repo: name, branch }),
  ...{ keyFields: { name: "label", scopes: "permissions" }, keyValueField: "token", keyOnKeysHttp: 401, keyCapHttp: 400 },
  ...{ freeRoom: 1, brokeRegisters: false, segments: ["org", "project", "ref_name"], defaultScopes: "none" },
  ...{ toolsDrawOnPaths: false, toolRetry: "http" },
};

/** Wordy: numbers for ids, extra fields and headers everywhere, 202, 45 seconds to dispatch, token buckets, cursors in a table, MCP sessions and streams. */
export const addPageFields: Choices = {
  ...base,
  name: "wordy",
  ...{ hosts: { api: "/edge/v0", app: "/web", docs: "/manual" }, clock: "creeps" },
  mint: (_, serial) => String(7_000_000 + serial * 13),
  firstRef: 900_000,
  timestamp: (ms) => new Date(ms - 16_200_000).toISOString().replace("Z", "456-04:30"),
  say: (text) => `⚠ ${text.toUpperCase()} ⚠`,
  code: (words) => words.replaceAll(" ", "-"),
  ...{ dispatchSeconds: 45, runSeconds: 900, dedupeSeconds: 7200, discoveryMs: 1900, cancelMs: 3000 },
  ...{ retryIdle: "forbidden", cancelIdle: "forbidden", triageIdle: "forbidden", dedupesRetries: false },
  ...{ idempotencyPer: "repository", idempotencyOther: "unprocessable", idempotencyKeepsAll: false, fixJob: "attempt" },
  params: { texts: "areas", fix: "ref", task: "directive", review: "pull_request" },
  free: ["audit", "standard_audit", "discover"],
  paid: ["audit", "standard_audit", "discover", "fix", "publish", "review"],
  ...{ prMergesOnSuccess: true, resolvedKeepsOpen: false, singleLocations: true, defaultScopes: "none" },
  ...{ meter: "tokens", gates: "scope first", perMinute: { free: 640, paid: 3300, tools: 70 } },
  ...{ ceiling: "would pass", extraRetrySeconds: 2, cursors: "table", forgedCursorHttp: 404, hour: "sliding" },
  cursorBinds: ["order", "limit"],
  done: { triage: 202, cancel: 202, fix: 202, ticket: 201, reset: 202, key: 200, patch: 200 },
  ...{ faultsIn: "details", errorExtras: { help: "https://help.example/errors", severity: 3 }, maxBytes: 1_000_000 },
  ...{ errorContent: "application/json;charset=UTF-8", content: "application/json; charset=utf-8" },
  headers: { "x-served-by": "cache-7", "server-timing": "all;dur=1", "x-ratelimit-limit": "many", vary: "accept" },
  adorn: (ageSeconds) => ({ _links: { self: { href: "/somewhere" } }, "x-flags": [], locale: null, age_s: ageSeconds }),
  serialise: (value) => JSON.stringify(value, null, 2),
  listShape: (rows) => ({ items: rows, total: rows.length }),
  repoShape: ({ id, owner, name, branch }) => ({ id, repository: { owner: { login: owner }, name, default: { branch } } }),
  confidence: () => ({ band: "medium", p: 0.5 }),
  ...{ wholeDollars: true, decimalsAsText: true, register: { owner: "organisation", repo: "name", branch: "ref" } },
  ...{ keyFields: { name: "title", scopes: "scopes" }, keyValueField: "secret", keyCapHttp: 400, freeRoom: 3 },
  repos: ["Big.Org/mono_repo/feature/login", "Big.Org/second-one/main", "zeta/third/main"],
  ...{ documentPrefix: "/api", documentContent: "application/vnd.oai.openapi+json;version=3.1" },
  segments: ["account", "repository", "git_ref"],
  ...{ toolSessions: true, toolStreams: true, toolPage: 7, wireForm: "markdown", argumentFaults: "protocol" },
  ...{ toolMeters: "calls", toolsDrawOnPaths: false, toolRetry: "text" },
  toolName: (purpose) => (purpose === "list_observations" ? purpose : `svc.${purpose.replaceAll("_", "-")}`),
  argumentName: (name) => `in_${name}`,
};

/** Shared: one world for everybody, its time going by; fixed minutes, refusals by 409, ages in every row. */
export const sharedChoices: Choices = {
  ...terse,
  name: "shared",
  ...{
    control: "one world",
    clock: "flows",
    oneAddress: false,
    repos: ["acme/engine/main", "acme/website/main", "acme/tools/main"],
  },
  mint: (kind, serial) => `${kind.slice(0, 2)}_${(serial * 7919).toString(36)}`,
  firstRef: 4000,
  timestamp: (ms) => new Date(ms).toISOString().replace(/\.\d+/, ""),
  ...{ dispatchSeconds: 30, runSeconds: 200, dedupeSeconds: 600, discoveryMs: 1000, refusedCount: false },
  ...{ brokeRegisters: true, keyOnKeysHttp: 403, jobsOldestFirst: false, meter: "aligned", ceilingHttp: 429 },
  ...{ retryIdle: "conflict", cancelIdle: "conflict", triageIdle: "conflict" },
  ...{ idempotencyPer: "workspace", idempotencyOther: "existing", recency: "updated", resolvedKeepsOpen: false },
  free: ["standard_audit", "audit", "discover", "publish", "mini_audit"],
  done: { triage: 200, cancel: 200, fix: 200, ticket: 202, reset: 200, key: 201, patch: 200 },
  ...{ quiet: false, nullReason: false, singleLocations: true, faultsIn: "error", echo: "error", featureNames: "list" },
  adorn: (ageSeconds) => ({ age_seconds: ageSeconds }),
  errorContent: "application/json",
  serialise: (value) => JSON.stringify(value),
  ...{ toolSessions: true, toolPage: 10, wireForm: "structured" },
  toolName: (purpose) =>
    purpose.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase()).replace("listObservations", "list_observations"),
};

/** The choices of a server without a control plane. Three seconds of real time are a minute of its clock. */
export const closedChoices: Choices = {
  ...addPageFields,
  name: "closed",
  ...{ control: "none", clock: "flows", pace: 20, aheadSeconds: 7200, hosts: { api: "", app: "/web", docs: "/manual" } },
  ...{ dispatchSeconds: 20, runSeconds: 200, discoveryMs: 4000, cancelMs: 0, extraRetrySeconds: 0 },
  ...{ retryIdle: "unprocessable", cancelIdle: "unprocessable", triageIdle: "unprocessable" },
  ...{ toolSessions: false, argumentFaults: "tool", toolMeters: "requests", toolRetry: "http" },
};
