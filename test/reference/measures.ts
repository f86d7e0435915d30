import type { Choices } from "./choices.js";
import type { Freedom } from "./freedoms.js";
import { VALUES } from "./observations.js";
import type { RandomDraws } from "./random-draws.js";

const EXTRAS: Record<string, unknown> = {
  ...{ _links: { self: { href: "/somewhere" } }, "x-flags": [], locale: null, internal_id: 12.5, beta: false, "": "" },
  ...{ org: "octo-co", tags: { a: [1, [2, { deep: null }]] }, __v: 3, übergröße: "ß", created_by: "system", etag: 'W/"1"' },
};
const ERROR_EXTRAS = { help: "https://help.example/errors", severity: 3, retryable: null, trace: ["a", "b"], "x-docs": {} };
const HEADERS: Record<string, string> = {
  ...{ "x-served-by": "cache-7", "server-timing": "all;dur=1", "x-ratelimit-limit": "many", "x-ratelimit-remaining": "-" },
  ...{ vary: "accept", "cache-control": "no-store", "x-frame-options": "DENY", "access-control-allow-origin": "*" },
  ...{ "content-language": "en", "strict-transport-security": "max-age=63072000", "x-request-id": "none", etag: 'W/"0"' },
};
const TEXTS = [
  "Something found",
  "",
  " ",
  "Ünïcödé 🙈 \u202e\u0000",
  "<b>&amp;</b>\n\t'\"",
  "SERVICE-1",
  "x".repeat(20_000),
  "null",
];
const WORKFLOWS = ["revalidate", "review", "fix", "publish"];

/** Returns a freedom whose values have no end. */
function measure(
  id: string,
  passage: string,
  scope: Freedom["scope"],
  settles: Freedom["settles"],
  draw: (chance: RandomDraws) => Partial<Choices>,
): Freedom {
  return { id, passage, scope, settles, draw };
}

/** Returns some fields of an object, in any order. */
function someFields<Value>(chance: RandomDraws, fields: Record<string, Value>): Record<string, Value> {
  const drawn = chance.some(Object.entries(fields));
  return Object.fromEntries(chance.once(2) ? drawn : drawn.toReversed());
}

/** Returns one of the values that the contract lists for a filter. */
function one(chance: RandomDraws, filter: string): string {
  return chance.one(VALUES[filter] ?? []);
}

/** Returns the workflows of one plan: both audits, the discovery that a registration starts, and any others. */
function getPlan(chance: RandomDraws): string[] {
  const internal = chance.once(2) ? ["mini_audit"] : [];
  return [...["audit", "standard_audit", "discover"], ...chance.some(WORKFLOWS), ...internal];
}

/** Figures, sizes, times and sets that a server can choose as it likes; they come after the alternatives of the points, in their place. */
export const measures: readonly Freedom[] = [
  measure("extra fields", "Clients must tolerate unknown fields.", "answer", ["adorn"], (chance) => {
    const extras = someFields(chance, EXTRAS);
    return { adorn: (ageSeconds) => ({ ...extras, ...(ageSeconds > 0 && { age_s: ageSeconds }) }) };
  }),
  measure("extra fields of errors", "Clients must tolerate unknown fields.", "answer", ["errorExtras"], (chance) => ({
    errorExtras: someFields(chance, ERROR_EXTRAS),
  })),
  measure("extra headers", "silent: headers but Retry-After", "answer", ["headers"], (chance) => ({
    headers: someFields(chance, HEADERS),
  })),
  measure("how long a run takes", "running | run finishes, without a time", "answer", ["runFactor"], (chance) => ({
    runFactor: chance.one([1, 0.02 + 4 * chance.part()]),
  })),
  measure("how long runs take", "running | run finishes, without a time", "server", ["runSeconds"], (chance) => ({
    runSeconds: chance.whole(20, 600),
  })),
  measure("how a run ends", "running | run finishes | success, or failure", "answer", ["runFails"], (chance) => ({
    runFails: chance.once(5),
  })),
  measure("how long a finished job is a match", "the short soft-dedupe window", "answer", ["dedupeSeconds"], (chance) => ({
    dedupeSeconds: chance.whole(30, 7200),
  })),
  measure("when the discovery is in the list", "The row appears within a second or two", "answer", ["discoveryMs"], (chance) => ({
    discoveryMs: chance.one([0, chance.whole(1, 2000)]),
  })),
  measure("how long a cancellation takes", "POST cancel | … | cancelled, without a time", "answer", ["cancelMs"], (chance) => ({
    cancelMs: chance.one([0, 0, chance.whole(1, 3000)]),
  })),
  measure("Retry-After", "wait the number of seconds in `Retry-After`", "answer", ["extraRetrySeconds"], (chance) => ({
    extraRetrySeconds: chance.one([0, 0, chance.whole(1, 5), chance.whole(60, 3600)]),
  })),
  measure(
    "the findings of the service",
    "priority, category, title and description of an observation",
    "answer",
    ["foundAs"],
    (chance) => ({
      foundAs: {
        ...{ priority: one(chance, "priority"), category: one(chance, "category"), domain: one(chance, "domain") },
        ...{ title: chance.one(TEXTS), description: chance.one(TEXTS) },
      },
    }),
  ),
  measure("what an audit finds", "observations (findings, suggestions, advisories)", "answer", ["auditFinds"], (chance) => ({
    auditFinds: one(chance, "kind"),
  })),
  measure("greeting", "silent: the first answer of the tool server", "answer", ["greeting"], (chance) => ({
    greeting: someFields(chance, { instructions: "Forecast first.", _meta: { "x.example/cluster": "eu" } }),
  })),
  measure("refs", "`SERVICE-<N>`, where N is an integer", "answer", ["refStep"], (chance) => ({ refStep: chance.whole(1, 40) })),
  measure("figures of forecasts", "cost and duration forecasts", "answer", ["forecastFactor"], (chance) => ({
    forecastFactor: 0.1 + 3 * chance.part(),
  })),
  measure("samples of forecasts", "sample_size | integer", "server", ["forecastSamples"], (chance) => ({
    forecastSamples: chance.one([0, chance.whole(1, 30)]),
  })),
  measure("latency", "silent: how long an answer takes", "answer", ["waitMs"], (chance) => ({
    waitMs: chance.once(60) ? chance.whole(1, 40) : 0,
  })),
  measure("pages of tools", "silent: whether `tools/list` has pages", "answer", ["toolPage"], (chance) => ({
    toolPage: chance.one([chance.whole(1, 40), 100]),
  })),
  measure("entries of errors", "per-field `errors` array", "answer", ["faultsMost"], (chance) => ({
    faultsMost: chance.whole(1, 60),
  })),
  measure("spend of tool reads", "applies it to every call, reads included", "answer", ["toolReadDollars"], (chance) => ({
    toolReadDollars: chance.one([0, 0.001, 0.01]),
  })),
  measure("pages of unshown lists", "default 50 on most lists", "server", ["unshownPage"], (chance) => ({
    unshownPage: chance.one([undefined, chance.whole(1, 60)]),
  })),
  measure("workflows of the plans", "can be submitted depends on the plan", "server", ["free", "paid"], (chance) => ({
    free: getPlan(chance),
    paid: getPlan(chance),
  })),
  measure("room", "repo count would exceed the plan cap", "server", ["freeRoom", "paidRoom"], (chance) => ({
    freeRoom: chance.whole(1, 4),
    paidRoom: chance.one([0, 1, 3, 10_000]),
  })),
  measure("a full workspace on Free alone", "repo count would exceed the plan cap", "server", ["freeRoom"], (chance) =>
    chance.once(4) ? { freeRoom: 0 } : {},
  ),
  measure("the past", "silent: the content of a workspace", "server", ["past"], (chance) => ({
    past: {
      observations: chance.one([0, 1, chance.whole(2, 60), chance.whole(61, 450)]),
      jobs: chance.one([0, 1, chance.whole(2, 150)]),
      closed: chance.one(["a quarter", "a quarter", "all"]),
    },
  })),
  measure("rates", "about 600, about 3,000, about 60 requests a minute", "server", ["perMinute"], (chance) => ({
    perMinute: { free: chance.whole(540, 660), paid: chance.whole(2700, 3300), tools: chance.whole(54, 66) },
  })),
  measure("dispatch", "about every 30 s", "server", ["dispatchSeconds"], (chance) => ({ dispatchSeconds: chance.whole(20, 40) })),
  measure("the largest body", "`payload_too_large` (always 413)", "server", ["maxBytes"], (chance) => ({
    maxBytes: chance.one([chance.whole(64_000, 1_000_000), 64_000_000]),
  })),
  measure("sessions of the tool server", "silent: how long a session lasts", "server", ["sessionMinutes"], (chance) => ({
    sessionMinutes: chance.whole(5, 1440),
  })),
  measure("the ceiling of a workspace", "The numeric ceiling is not shown.", "server", ["workspaceCeiling"], (chance) => ({
    workspaceCeiling: chance.one([undefined, chance.whole(40, 500)]),
  })),
  measure("outages", "brief dependency outage", "server", ["outageEvery"], (chance) => ({
    outageEvery: chance.one([undefined, chance.whole(150, 900)]),
  })),
];
