import { waysOf } from "../after.js";
import type { Ask } from "../ask.js";
import type { Command } from "../command.js";
import { type Journey, nextName, put, request, type Turn } from "../journey.js";
import { placeOf } from "../place.js";
import { bySurface, newestFirst, registered } from "./choices.js";

const ONE_FILTER: readonly Record<string, string>[] = [
  { status: "new" },
  { status: "closed" },
  ...["finding", "suggestion", "advisory"].map((kind) => ({ kind })),
  ...["P0", "P1", "P2", "P3"].map((priority) => ({ priority })),
  ...["security", "correctness", "maintainability", "performance", "architecture", "operations"].map((category) => ({
    category,
  })),
  ...["fixed", "dismissed", "completed", "expired"].map((close_reason) => ({ close_reason })),
  ...["security", "code_quality", "reliability", "data_apis", "testing", "devops", "ux"].map((domain) => ({ domain })),
  ...["recency", "display_rank", "resolved"].map((order) => ({ order })),
  { has_fix_pr: "true" },
  { has_fix_pr: "false" },
  { easy_wins: "true", kind: "finding", status: "new" },
  { needs_review: "true", kind: "finding", status: "new" },
  { include: "locations" },
  { since: "{now-1h}" },
  { status: "new", has_fix_pr: "true" },
  {},
];

/** How many ways there are to filter the list of observations. */
export const FILTERS = ONE_FILTER.length;

/** The pick that filters by one thing alone. */
export function filterBy(name: string, value: string): number {
  return ONE_FILTER.findIndex((filter) => filter[name] === value);
}

/** Asks for a filtered list, in the repository of an observation that is known, to its last page. */
const listObservations: Command = {
  picks: ["ref", "filter", "and", "elsewhere"],
  weight: 8,
  async play(journey, pick) {
    const ref = pick("ref", newestFirst(journey.states.observations));
    const own = (ref !== undefined && journey.states.observations[ref]?.repo) || "repo";
    const slugOf = (name: string) => journey.scene.look(placeOf(name).slug.slice(1, -1));
    const others = registered(journey.states).filter((name) => name.startsWith("repo") && slugOf(name) !== slugOf(own));
    const repo = pick("elsewhere", [own, own, own, ...others.slice(0, 1)]) ?? own;
    const filter = pick("filter", ONE_FILTER) ?? {};
    const and = pick("and", [{}, {}, ...ONE_FILTER.slice(0, 15)]);
    const query = { ...and, ...filter, repo: placeOf(repo).slug, limit: 200 };
    const ask: Ask = {
      what: "GET /api/observations",
      by: "rest",
      as: "full",
      query,
      walk: true,
      ...(ref !== undefined && { ref }),
    };
    return (await request(journey, ask)).failure;
  },
};

/** Asks the tool for an observation by its title, with a filter that the tool has. */
const searchObservations: Command = {
  picks: ["ref", "filter", "search"],
  weight: 5,
  async play(journey, pick) {
    const { observations } = journey.states;
    const ref = pick("ref", newestFirst(observations));
    const known = ref === undefined ? undefined : observations[ref];
    const filter = pick("filter", [{ status: "new" }, { status: "closed" }, {}, { kind: known?.kind ?? "finding" }]);
    const search =
      known?.title !== undefined &&
      pick("search", [true, false]) &&
      journey.scene.offers("binding.tool_args.list_observations.search");
    const query = { ...filter, ...(search ? { search: known.title } : { repo: placeOf(known?.repo ?? "repo").slug }) };
    const ask = bySurface(journey, () => undefined, {
      what: "GET /api/observations",
      as: "full",
      query,
      ...(ref !== undefined && { ref }),
    });
    return (await request(journey, { ...ask, by: journey.scene.offers("surface.mcp") ? "tool" : "rest" })).failure;
  },
};

const WRONG: readonly { query: Record<string, unknown>; flaw: string }[] = [
  { query: { kind: "no_such_kind" }, flaw: "OBS-FILTER-VALUE-OTHER" },
  { query: { status: "open" }, flaw: "OBS-FILTER-VALUE-OTHER" },
  { query: { priority: "P9" }, flaw: "OBS-FILTER-VALUE-OTHER" },
  { query: { order: "backwards" }, flaw: "OBS-FILTER-VALUE-OTHER" },
  { query: { since: "yesterday" }, flaw: "OBS-FILTER-VALUE-OTHER" },
  { query: { limit: 201 }, flaw: "PAGE-LIMIT-OVER" },
];

const listWrongly: Command = {
  picks: ["wrong", "list"],
  weight: 2,
  async play(journey, pick) {
    const wrong = pick("wrong", WRONG) ?? { query: { limit: 201 }, flaw: "PAGE-LIMIT-OVER" };
    const jobs = pick("list", [false, true]) && wrong.flaw === "PAGE-LIMIT-OVER";
    const what = jobs ? "GET /api/jobs" : "GET /api/observations";
    return (await request(journey, { what, by: "rest", as: "full", ...wrong })).failure;
  },
};

const CURSORS: readonly { query: Record<string, unknown>; what: Ask["what"]; flaw: string }[] = [
  { what: "GET /api/observations", query: { kind: "suggestion" }, flaw: "CURSOR-FILTERS" },
  { what: "GET /api/observations", query: { kind: "finding", status: "new" }, flaw: "CURSOR-FILTERS" },
  { what: "GET /api/jobs", query: {}, flaw: "CURSOR-ENDPOINT" },
];

/** CURSOR-FILTERS, CURSOR-ENDPOINT: takes the cursor of one list to another. */
const carryCursor: Command = {
  picks: ["to"],
  weight: 2,
  async play(journey, pick) {
    const cursor = await cursorOf(journey);
    const { what, query, flaw } = pick("to", CURSORS) ?? {};
    if (typeof cursor !== "string" || what === undefined || query === undefined || flaw === undefined) return cursor as Turn;
    return (await request(journey, { what, by: "rest", as: "full", query: { ...query, limit: 1, cursor: `{${cursor}}` }, flaw }))
      .failure;
  },
};

async function cursorOf(journey: Journey): Promise<string | Turn> {
  const name = nextName(journey, "cursor");
  const ask: Ask = { what: "GET /api/observations", by: "rest", as: "full", query: { kind: "finding", limit: 1 } };
  const step = { rest: ask.what, query: ask.query as Record<string, unknown>, save: { [name]: "/next_cursor" } };
  const told = await put(journey, step, { by: "rest", ways: (states) => waysOf(states, ask) });
  if (told.failure) return told.failure;
  return typeof journey.scene.look(name) === "string" ? name : undefined;
}

/** What a case can do with lists of observations and with cursors. */
export const listCommands = { listObservations, searchObservations, listWrongly, carryCursor };
