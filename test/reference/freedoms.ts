import { contract } from "../../src/contract/load.js";
import { base } from "./base.js";
import type { Choices } from "./choices.js";
import { measures } from "./measures.js";
import { points } from "./points/index.js";
import type { RandomDraws } from "./random-draws.js";
import { getFactors } from "./rows.js";

/** A choice that the contract leaves to a server. */
export interface Freedom {
  id: string;
  /** The passage that leaves it open, or `silent: …` if no passage does. */
  passage: string;
  /** Whether it may differ from answer to answer, or a client may rely on it once it has seen it. */
  scope: "answer" | "server";
  /** The choices that it decides. */
  settles: readonly (keyof Choices)[];
  draw(chance: RandomDraws): Partial<Choices>;
}

/**
 * The choices that are drawn for each response. The others stay equal on one server: names, types and shapes, which section 9 forbids to change;
 * codes, on which clients branch; orders, filters and windows, which a walk through pages, a wait or a second submission needs.
 */
const OF_AN_ANSWER: ReadonlySet<keyof Choices> = new Set<keyof Choices>([
  ...(["mint", "timestamp", "say", "done", "quiet", "faultsMost", "content", "errorContent", "headers", "headerName"] as const),
  ...(["serialise", "nullReason", "singleLocations", "adorn", "errorExtras", "framing", "waitMs"] as const),
  ...(["refStep", "unsetKeyFields", "outageRetry", "allow", "strangeRefHttp", "retryIdle", "cancelIdle", "triageIdle"] as const),
  ...(["runFactor", "runFails", "finds", "forecastFactor", "dedupeSeconds"] as const),
  ...(["discoveryMs", "cancelMs", "retryCommit", "idempotencyOther", "idempotencyRenews", "idempotencyKeepsAll"] as const),
  ...(["unknownWorkflowHttp", "forecastLookup", "prMergesOnSuccess", "exhaustedHttp", "acknowledgedAgain"] as const),
  ...([
    "reopenForgets",
    "reappears",
    "unknownSlug",
    "unknownValues",
    "foundAs",
    "auditFinds",
    "greeting",
    "restChallenge",
    "fixAgain",
    "unfixableHttp",
    "ticketAgain",
  ] as const),
  ...(["brokeRegisters", "goneHttp", "restores", "extraRetrySeconds", "refusedCount", "failedCount", "ceilingHttp"] as const),
  ...(["pausedHttp", "toolReadDollars", "forgedCursorHttp", "limitBelow", "keyOnKeysHttp", "keyCapHttp", "fixedFields"] as const),
  ...(["ceilingAbovePlan", "gates", "pathBeforeKey", "otherContentHttp", "missingTypeIsJson", "malformedHttp"] as const),
  ...(["strangeMethodHttp", "toolStreams", "streamForm", "toolPage", "wireForm", "argumentFaults", "scopeRefusal"] as const),
  ...(["scopeBeforeArguments", "challenge", "bareMethods", "appBareHttp", "toolRetry", "requestFix"] as const),
]);

/** Passages for what `spec/assumptions.json` has no row for. */
const PASSAGES: Readonly<Record<string, string>> = {
  "the code host behind the service": "silent: how tests make worlds and move a clock",
  "where its clock stands": "silent: the time of the service",
  "how its control is addressed": "silent: how tests make events happen",
  hosts: "Base address: {base_url}. Docs-site address: {docs_url}.",
  ids: "id | string | job identifier",
  times: "acknowledged_at | timestamp or null",
  "media types": "Conventions: all requests and responses are JSON.",
  "headers of answers": "silent: headers but Retry-After",
  "how JSON is written": "Conventions: all requests and responses are JSON.",
  "how money is written": "cost_low, cost_mid, cost_high | number, USD; dollars_per_hour | decimal > 0",
  "how names of headers are written": "silent: HTTP compares them without letter case",
  "how cursors are made": "next_cursor | string or null (opaque)",
  "how much of an unshown list is on a page": "default 50 on most lists",
  outages: "brief dependency outage. Most 503s carry `Retry-After`",
  "the distance between refs": "`SERVICE-<N>`, where N is an integer",
  "how a body is sent": "silent: HTTP has all three",
  "how soon an answer comes": "silent: how long an answer takes",
  "the order of job lists": "silent: only the tool lists jobs newest first",
  "how soon a cancellation takes effect": "pending or running | POST cancel | … | cancelled, without a time",
  "the content of a new world": "silent: the content of a workspace",
  "how often jobs are dispatched": "scheduler picks it up (about every 30 s)",
  "the document": "The three path segments are named differently in the generated document",
  "how tools speak": "silent: the form of the result of a tool",
  "how wrong arguments are reported": "A call with an undeclared argument returns a tool error; silent: other wrong arguments",
  "how tools are listed": "silent: whether `tools/list` has pages, and further keywords of a schema",
  "the scopes that a creator may grant": "only within a subset of its creator's permissions",
};

/** Every freedom: the alternatives of each open point, and measures that a server can choose without end. */
export const freedoms: readonly Freedom[] = [
  ...Object.entries(points).flatMap(([point, alternatives]) =>
    getFactors(point, alternatives).map((factor) => {
      const settles = [...new Set(factor.flatMap((value) => Object.keys(value?.choices ?? {}) as (keyof Choices)[]))];
      const usual = Object.fromEntries(settles.map((field) => [field, base[field]]));
      const values: Partial<Choices>[] = factor.map((value) => ({ ...usual, ...value?.choices }));
      const row: Freedom = {
        id: `${point}: ${settles.join(", ")}`,
        passage: (contract.assumptions as Record<string, { passage: string }>)[point]?.passage ?? PASSAGES[point] ?? "",
        scope: settles.every((field) => OF_AN_ANSWER.has(field)) ? "answer" : "server",
        settles,
        draw: (chance) => chance.one(values),
      };
      return row;
    }),
  ),
  ...measures,
];
