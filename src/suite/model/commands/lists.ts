import type { Row } from "../../../engine/scenario/format.js";
import { findObservationParameter, listParameters, type NamedParameter, PAGE_LIMIT } from "../../statements/lists.js";
import { DEFAULT_ROLE } from "../../statements/roles.js";
import type { Command } from "../command.js";
import { type Contradiction, createNextName, type ModelRun, send, sendStep } from "../model-run.js";
import { listBranches } from "../rules/branches.js";
import { findAddress } from "../rules/repository-address.js";
import type { ModelRequest } from "../rules/request.js";
import { chooseSurface, listRegisteredRepos, sortNewestFirst } from "./choices.js";

/** Queries of the list of observations by name. The status is the default, so it comes first. */
const filters: Readonly<Record<string, Row>> = {
  ...groupFilters(({ name }) => name === "status"),
  ...groupFilters(({ name }) => name !== "status"),
  since: { since: "{now-1h}" },
  "status=new&has_fix_pr=true": { status: "new", has_fix_pr: "true" },
  none: {},
};

/** Filters to add: rows show their value, and they imply no other field. */
const secondFilters: Readonly<Record<string, Row>> = Object.fromEntries(
  Object.entries(filters).filter(([, query]) => {
    const [name = "", ...more] = Object.keys(query);
    const { field, implies } = findObservationParameter(name);
    return field !== undefined && !implies && more.length === 0;
  }),
);

function groupFilters(test: (parameter: NamedParameter) => boolean): Record<string, Row> {
  const pairs = listParameters("observations")
    .filter(test)
    .flatMap(({ name, values = [], pairedWith }) => values.map((value) => ({ name, value, pairedWith })));
  return Object.fromEntries(pairs.map(({ name, value, pairedWith }) => [`${name}=${value}`, { [name]: value, ...pairedWith }]));
}

/** The names of the filters. */
export const FILTERS = Object.keys(filters);

/** Reads a filtered list to its last page, in the repository of a known observation. */
const listObservations: Command = {
  arguments: ["ref", "filter", "and", "elsewhere"],
  weight: 8,
  async run(modelRun, choose) {
    const ref = choose("ref", sortNewestFirst(modelRun.states.observations));
    const own = (ref !== undefined && modelRun.states.observations[ref]?.repo) || "repo";
    const getSlug = (name: string) => modelRun.sut.lookup(findAddress(name).slug.slice(1, -1));
    const others = listRegisteredRepos(modelRun.states).filter(
      (name) => name.startsWith("repo") && getSlug(name) !== getSlug(own),
    );
    const [another] = others;
    const repo = choose("elsewhere", { own, ...(another !== undefined && { another }) }, 3) ?? own;
    const filter = choose("filter", filters) ?? {};
    const and = choose("and", { nothing: {}, ...secondFilters }, 2);
    const query = { ...and, ...filter, repo: findAddress(repo).slug, limit: PAGE_LIMIT };
    const request: ModelRequest = {
      what: "GET /api/observations",
      by: "rest",
      as: DEFAULT_ROLE,
      query,
      walk: true,
      ...(ref !== undefined && { ref }),
    };
    return (await send(modelRun, request)).failure;
  },
};

/** Searches an observation by its title with a tool, and one filter of the tool. */
const searchObservations: Command = {
  arguments: ["ref", "filter", "search"],
  weight: 5,
  async run(modelRun, choose) {
    const { observations } = modelRun.states;
    const ref = choose("ref", sortNewestFirst(observations));
    const observation = ref === undefined ? undefined : observations[ref];
    const filter = choose<Row>("filter", {
      "status=new": { status: "new" },
      "status=closed": { status: "closed" },
      none: {},
      "its kind": { kind: observation?.kind ?? "finding" },
    });
    const search =
      observation?.title !== undefined &&
      choose("search", [true, false]) &&
      modelRun.sut.offers("binding.tool_args.list_observations.search");
    const query = {
      ...filter,
      ...(search ? { search: observation.title } : { repo: findAddress(observation?.repo ?? "repo").slug }),
    };
    const request = chooseSurface(modelRun, () => undefined, {
      what: "GET /api/observations",
      as: DEFAULT_ROLE,
      query,
      ...(ref !== undefined && { ref }),
    });
    return (await send(modelRun, { ...request, by: modelRun.sut.offers("surface.mcp") ? "tool" : "rest" })).failure;
  },
};

const limitTooHigh = { query: { limit: PAGE_LIMIT + 1 }, flaw: "PAGE-LIMIT-OVER" };
/** Invalid queries, and the clause that each breaks. */
const wrongQueries: Readonly<Record<string, { query: Row; flaw: string }>> = {
  "no such kind": { query: { kind: "no_such_kind" }, flaw: "OBS-FILTER-VALUE-OTHER" },
  "no such status": { query: { status: "open" }, flaw: "OBS-FILTER-VALUE-OTHER" },
  "no such priority": { query: { priority: "P9" }, flaw: "OBS-FILTER-VALUE-OTHER" },
  "no such order": { query: { order: "backwards" }, flaw: "OBS-FILTER-VALUE-OTHER" },
  "no timestamp": { query: { since: "yesterday" }, flaw: "OBS-FILTER-VALUE-OTHER" },
  "too many rows": limitTooHigh,
};

/** The names of the invalid queries. */
export const INVALID_QUERIES = Object.keys(wrongQueries);

const listWithInvalidQuery: Command = {
  arguments: ["wrong", "list"],
  weight: 2,
  async run(modelRun, choose) {
    const wrong = choose("wrong", wrongQueries) ?? limitTooHigh;
    const jobs = choose("list", ["observations", "jobs"]) === "jobs" && wrong === limitTooHigh;
    const what = jobs ? "GET /api/jobs" : "GET /api/observations";
    return (await send(modelRun, { what, by: "rest", as: DEFAULT_ROLE, ...wrong })).failure;
  },
};

/** Lists that a cursor is not valid for. */
const otherLists: Readonly<Record<string, Pick<ModelRequest, "what" | "query" | "flaw">>> = {
  "another kind": { what: "GET /api/observations", query: { kind: "suggestion" }, flaw: "CURSOR-FILTERS" },
  "one filter more": { what: "GET /api/observations", query: { kind: "finding", status: "new" }, flaw: "CURSOR-FILTERS" },
  "the list of jobs": { what: "GET /api/jobs", query: {}, flaw: "CURSOR-ENDPOINT" },
};

/** The names of these lists. */
export const OTHER_LISTS = Object.keys(otherLists);

/** CURSOR-FILTERS, CURSOR-ENDPOINT: sends the cursor of one list with another list. */
const reuseCursor: Command = {
  arguments: ["to"],
  weight: 2,
  async run(modelRun, choose) {
    const cursor = await readCursor(modelRun);
    const { what, query, flaw } = choose("to", otherLists) ?? {};
    if (typeof cursor !== "string" || what === undefined || query === undefined || flaw === undefined)
      return cursor as Contradiction;
    return (
      await send(modelRun, { what, by: "rest", as: DEFAULT_ROLE, query: { ...query, limit: 1, cursor: `{${cursor}}` }, flaw })
    ).failure;
  },
};

async function readCursor(modelRun: ModelRun): Promise<string | Contradiction> {
  const name = createNextName(modelRun, "cursor");
  const request: ModelRequest = {
    what: "GET /api/observations",
    by: "rest",
    as: DEFAULT_ROLE,
    query: { kind: "finding", limit: 1 },
  };
  const step = { rest: request.what, query: request.query as Row, save: { [name]: "/next_cursor" } };
  const result = await sendStep(modelRun, step, { by: "rest", branches: (states) => listBranches(states, request) });
  if (result.failure) return result.failure;
  return typeof modelRun.sut.lookup(name) === "string" ? name : undefined;
}

/** Commands on lists of observations and cursors. */
export const listCommands = { listObservations, searchObservations, listWithInvalidQuery, reuseCursor };
