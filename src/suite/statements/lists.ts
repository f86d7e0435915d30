import { categories, closeReasons, domains, observationKinds, observationStatuses, priorities } from "./observations.js";
import type { Route } from "./routes.js";

/** A query parameter of a list, beside `cursor` and `limit`. */
export interface ListParameter {
  /** Which rows there are, their sequence, or what they show. */
  does: "filter" | "order" | "include";
  /** Every value of the text; absent where it is free: a slug, a name, a timestamp. */
  values?: readonly string[];
  clause: string;
  /** Clauses of single values. */
  clauses?: Readonly<Record<string, string>>;
  /** The field of a row that shows the value it was kept for. */
  field?: string;
  /** Its values share all rows out among them, though no row shows which it is kept for. */
  halves?: true;
  /** The text says to send it with these. */
  pairedWith?: Readonly<Record<string, string>>;
  /** The text says to send it without this one. */
  without?: string;
  /** What every row shows that it keeps, beside its own field, and the clause of that. */
  implies?: { row: Readonly<Record<string, string>>; clause: string };
  /** Values of which the text only says what they do with rows of a status. */
  onlyOf?: Readonly<Record<string, string>>;
}

/** One list. */
export interface ListText {
  route: Route;
  /** Where a row shows which it is; empty: what a row shows is open, so it is the whole row. */
  key: string;
  /** The fields of a row that the text names. */
  fields: readonly string[];
  /** Rows of a page where no `limit` is given. */
  defaultLimit: number;
  defaultLimitClause: string;
  parameters: Readonly<Record<string, ListParameter>>;
}

/** The most rows that a page can be asked for. PAGE-MAX, PAGE-LIMIT-OVER. */
export const PAGE_LIMIT = 200;

const jobFields = ["id", "workflow", "status", "repo_name"] as const;
const openFindings = { kind: "finding", status: "new" } as const;

/** The query parameters of the list of observations: the table of section 4. */
export const observationParameters = {
  kind: { does: "filter", values: observationKinds, clause: "OBS-FILTER-KIND", field: "kind" },
  status: { does: "filter", values: observationStatuses, clause: "OBS-FILTER-STATUS", field: "status" },
  priority: { does: "filter", values: priorities, clause: "OBS-FILTER-PRIORITY", field: "priority" },
  category: { does: "filter", values: categories, clause: "OBS-FILTER-CATEGORY", field: "category" },
  close_reason: {
    does: "filter",
    values: closeReasons,
    clause: "OBS-FILTER-CLOSEREASON",
    field: "close_reason",
    implies: { row: { status: "closed" }, clause: "OBS-FILTER-CLOSEREASON-CLOSED" },
  },
  domain: { does: "filter", values: domains, clause: "OBS-FILTER-DOMAIN" },
  order: {
    does: "order",
    values: ["recency", "display_rank", "resolved"],
    clause: "OBS-ORDER-RANK-SET",
    clauses: { recency: "OBS-ORDER-DEFAULT", display_rank: "OBS-ORDER-RANK-SET", resolved: "OBS-ORDER-RESOLVED" },
    onlyOf: { resolved: "closed" }, // OBS-ORDER-RESOLVED-OPEN
  },
  has_fix_pr: {
    does: "filter",
    values: ["true", "false"],
    clause: "OBS-FILTER-FIXPR-FALSE",
    clauses: { true: "OBS-FILTER-FIXPR-TRUE", false: "OBS-FILTER-FIXPR-FALSE" },
    halves: true,
    without: "status",
  },
  easy_wins: { does: "filter", values: ["true"], clause: "OBS-FILTER-EASYWINS", pairedWith: openFindings },
  needs_review: { does: "filter", values: ["true"], clause: "OBS-FILTER-REVIEW-ONLY", pairedWith: openFindings },
  include: { does: "include", values: ["locations"], clause: "OBS-FIELD-LOCATIONS-ITEM" },
  repo: { does: "filter", clause: "OBS-FILTER-REPO" },
  since: { does: "filter", clause: "OBS-FILTER-SINCE" },
} as const satisfies Record<string, ListParameter>;

/** The paginated lists of the text. PAGE-LISTS-CURSOR. */
export const lists = {
  observations: {
    route: "GET /api/observations",
    key: "/ref",
    fields: ["ref", "kind", "status", "priority", "category", "title", "acknowledged_at", "close_reason"],
    defaultLimit: 100,
    defaultLimitClause: "PAGE-DEFAULT-OBS",
    parameters: observationParameters,
  },
  "repository jobs": {
    route: "GET /api/repos/{owner}/{repo}/{branch}/jobs",
    key: "/id",
    fields: jobFields,
    defaultLimit: 50,
    defaultLimitClause: "PAGE-DEFAULT",
    parameters: { workflow: { does: "filter", clause: "JOB-LIST-REPO-WORKFLOW", field: "workflow" } },
  },
  jobs: {
    route: "GET /api/jobs",
    key: "/id",
    fields: jobFields,
    defaultLimit: 50,
    defaultLimitClause: "PAGE-DEFAULT",
    parameters: {},
  },
  repositories: {
    route: "GET /api/repos",
    key: "",
    fields: [],
    defaultLimit: 50,
    defaultLimitClause: "PAGE-DEFAULT",
    parameters: {},
  },
} as const satisfies Record<string, ListText>;

/** One of the lists. */
export type ListName = keyof typeof lists;

/** What the text says of a list. */
export function listText(name: ListName): ListText {
  return lists[name];
}

/** The list that a route answers with; undefined where the text does not call it paginated. */
export function listOf(route: string): ListText | undefined {
  return Object.values<ListText>(lists).find((list) => list.route === route);
}

/** A query parameter of a list with its name. */
export type NamedParameter = ListParameter & { name: string };

/** The query parameters of a list, in the order of the table. */
export function parametersOf(list: ListName): NamedParameter[] {
  return Object.entries(listText(list).parameters).map(([name, parameter]) => ({ name, ...parameter }));
}

/** What the text says of a query parameter of the observations; nothing of one that it does not name. */
export function observationParameter(name: string): Partial<ListParameter> {
  return Object.entries<ListParameter>(observationParameters).find(([known]) => known === name)?.[1] ?? {};
}
