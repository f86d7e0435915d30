import { createHash, randomUUID } from "node:crypto";
import type { Choices } from "./choices.js";

/** Every point settled as the readings have it for the mock, in forms that are plain. */
export const base: Choices = {
  name: "plain",
  redraw: () => ({}),
  ...{ hosts: { api: "", app: "/app", docs: "/docs" }, control: "worlds", oneAddress: false, clock: "stands", pace: 1 },
  ...{ aheadSeconds: 0, outageEvery: undefined, outageRetry: true },
  repos: ["octo-co/engine/main", "octo-co/website/trunk", "octo-co/tools/release-2.x"],
  cookie: "*=in",

  mint: (kind, serial) =>
    createHash("sha1")
      .update(`${kind}${serial}`)
      .digest("hex")
      .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*/, "$1-$2-$3-$4-$5"),
  token: () => randomUUID(),
  ...{ firstRef: 0, refStep: 1, framing: "length", waitMs: 0, changed: "resource", unsetKeyFields: "null" },
  timestamp: (ms) => new Date(ms).toISOString(),
  say: (text) => text,
  code: (words) => words.replaceAll(" ", "_"),
  done: { triage: 200, cancel: 200, fix: 201, ticket: 200, reset: 200, key: 201, patch: 200 },
  ...{ quiet: false, faultsIn: "error", faultsMost: 50, errorExtras: {}, headers: {} },
  ...{ errorContent: "application/json", content: "application/json" },
  adorn: () => ({}),
  headerName: (name) => name,
  serialise: (value) => JSON.stringify(value),
  ...{ nullReason: false, singleLocations: false },
  listShape: (rows) => ({ data: rows, next_cursor: null, has_more: false }),
  ...{ unshownPage: undefined, discoveryShape: undefined, fixPrsShape: undefined, forecastsShape: undefined },
  knowledgeShape: (bundle) => bundle,
  repoShape: ({ owner, name, branch }) => ({ owner, repo: name, branch, repo_name: `${name}@${branch}` }),
  laneNames: { title: "title", link: "pr_url", state: "status" },
  jobNames: {
    ...{ submitted: "created_at", began: "started_at", ended: "finished_at" },
    ...{ failure: "failure_classification", pull: "fix_pr_url" },
  },
  confidence: (runs) => (runs < 3 ? "low" : runs < 10 ? "medium" : "high"),
  ...{ wholeDollars: false, decimalsAsText: false },
  keyFields: { name: "name", scopes: "scopes" },
  keyValueField: "key",
  ...{ keyExtras: true, echo: "error", featureNames: "list", documentPrefix: "", documentContent: "application/json" },
  segments: ["org", "repository", "ref_name"],

  past: { observations: 260, jobs: 70, closed: "a quarter" },
  ...{
    dispatchSeconds: 30,
    runSeconds: 240,
    runFails: false,
    runFactor: 1,
    dispatches: "all",
    finds: "timed",
    dedupeSeconds: 600,
    dedupeTerminal: false,
  },
  ...{ commitAt: "submission", discoveryMs: 1000, cancelMs: 0, jobsOldestFirst: false, jobsByStatus: false },
  ...{ retryIdle: "conflict", cancelIdle: "conflict", retryCommit: "now", dedupesRetries: true },
  ...{ idempotencyPer: "workspace", idempotencyKeepsAll: true, idempotencyRenews: false, idempotencyOther: "existing" },
  params: { texts: "paths", fix: "ref", task: "directive" },
  ...{ paramsRequired: false, forecastFactor: 1, forecastSamples: 0, strangeRefHttp: 404 },
  planGates: true,
  free: ["standard_audit", "audit", "discover", "fix", "review", "mini_audit"],
  paid: ["standard_audit", "audit", "discover", "fix", "review", "revalidate", "publish", "mini_audit"],
  ...{ unknownWorkflowHttp: 422, fixJob: "no attempt", prMergesOnSuccess: false, lateFix: "nothing" },
  ...{ forecasts: "past", forecastRows: "entitled", forecastLookup: "any" },

  ...{ triageIdle: "conflict", exhaustedHttp: 422, noteUnits: "code points", acknowledgedAgain: "stays" },
  ...{ reopenForgets: false, reappears: "same", recency: "updated", sinceIncludes: false, rank: "priority" },
  ...{ resolvedKeepsOpen: true, easy: "as told", flagFalse: "nothing", slugs: "whole", unknownSlug: "nothing" },
  ...{ defaultStatus: "both", expiresAfterDays: undefined, fixes: "findings and suggestions", workflowFiles: "anything" },
  ...{ fixAgain: "same", unfixableHttp: 422, ticketAgain: "same", ticketWants: undefined },

  ...{ register: { owner: "owner", repo: "repo", branch: "branch" }, registerWhole: undefined },
  ...{ repoOrder: "as registered", freeRoom: 2, paidRoom: 10_000, brokeRegisters: true, drawAt: "registration", goneHttp: 400 },
  ...{ unverifiedCode: "service_unavailable", jobsOfDeleted: "stay", restores: false, reset: "booleans", slashInPath: false },

  ...{ meter: "first use", meterPer: "template", perMinute: { free: 600, paid: 3000, tools: 60 }, extraRetrySeconds: 0 },
  ...{ refusedCount: false, failedCount: true, ceiling: "is passed", ceilingHttp: 429, pausedHttp: 402 },
  ...{ workspaceCeiling: undefined, drawnAt: "acceptance", hour: "from first draw", toolReadDollars: 0 },
  ...{ cursors: "offset", cursorBinds: ["order"], forgedCursorHttp: 400, limitBelow: "refused" },

  ...{ keyOnKeysHttp: 403, keyCapHttp: 409, expiredKeysCount: false, fixedFields: "refused", ceilingAbovePlan: "accepted" },
  ...{ defaultScopes: "view", impliedScopes: false, readsNeedScope: true, deleteNeedsScope: true, sessionScopes: "all" },
  ...{
    sessionPerMinute: undefined,
    sessionRoutes: "all",
    gates: "rate first",
    pathBeforeKey: false,
    ownRoutes: false,
    zoneless: true,
  },
  ...{ strictQuery: false, repeated: "refused", bodyExtra: "ignored", mostBytes: 1_048_576, otherContentHttp: 415 },
  ...{ missingTypeIsJson: false, malformedHttp: 400, strangeMethodHttp: 405, allow: true },

  toolName: (purpose) => purpose,
  argumentName: (name) => name,
  foundAs: {
    ...{ priority: "P1", category: "correctness", domain: "reliability" },
    ...{ title: "Something found", description: "Look at it." },
  },
  ...{ auditFinds: "finding", unknownValues: "ignored", greeting: {}, restChallenge: false },
  ...{ streamForm: "remarks", oldProtocol: false, acceptStrict: false, toolRepo: "triple" },
  ...{ toolSessions: false, toolStreams: false, toolPage: 100, sessionMinutes: 1440, speech: "json", argumentFaults: "tool" },
  ...{ scopeRefusal: "tool", scopeBeforeArguments: false, challenge: true, bareMethods: "all", appBareHttp: 404 },
  ...{ toolMeters: "requests", toolsDrawOnPaths: true, toolBudget: "own", toolRetry: "body", search: "any case" },
  ...{ rules: "texts", requestFix: "in flight" },
};
