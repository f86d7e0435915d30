import { categories, closeReasons, domains, observationKinds, observationStatuses, priorities } from "./observations.js";
import type { Route } from "./routes.js";

/** A query parameter of a list, apart from `cursor` and `limit`. */
export interface ListParameter {
  /** Whether the parameter selects rows, orders them or adds fields to them. */
  kind: "filter" | "order" | "include";
  /** Every value that the contract lists; absent for free values: a slug, a name, a timestamp. */
  values?: readonly string[];
  clause: string;
  /** Clauses of single values. */
  clauses?: Readonly<Record<string, string>>;
  /** The field of a row that shows the value of the filter. */
  field?: string;
  /** Whether the values divide all rows into disjoint parts, although no row shows its part. */
  partitions?: true;
  /** Parameters that the contract requires together with this one. */
  pairedWith?: Readonly<Record<string, string>>;
  /** A parameter that the contract forbids together with this one. */
  excludes?: string;
  /** Other fields that every selected row shows, and the clause of that. */
  implies?: { row: Readonly<Record<string, string>>; clause: string };
  /** Values whose effect the contract states only for rows of one status. */
  onlyForStatus?: Readonly<Record<string, string>>;
}

/** A paginated list. */
export interface ListStatement {
  route: Route;
  /** JSON pointer to the field that identifies a row. Empty: the contract shows no field, so the whole row is the key. */
  key: string;
  /** The fields of a row that the contract names. */
  fields: readonly string[];
  /** Rows of a page without `limit`. PAGE-DEFAULT-OBS: of the other lists the contract says only that most have 50. */
  defaultLimit?: number;
  parameters: Readonly<Record<string, ListParameter>>;
}

/** The largest `limit` of a page. PAGE-MAX, PAGE-LIMIT-OVER. */
export const PAGE_LIMIT = 200;

const jobFields = ["id", "workflow", "status", "repo_name"] as const;
const openFindings = { kind: "finding", status: "new" } as const;

/** The query parameters of the list of observations, from the table of section 4. */
export const observationParameters = {
  kind: { kind: "filter", values: observationKinds, clause: "OBS-FILTER-KIND", field: "kind" },
  status: { kind: "filter", values: observationStatuses, clause: "OBS-FILTER-STATUS", field: "status" },
  priority: { kind: "filter", values: priorities, clause: "OBS-FILTER-PRIORITY", field: "priority" },
  category: { kind: "filter", values: categories, clause: "OBS-FILTER-CATEGORY", field: "category" },
  close_reason: {
    kind: "filter",
    values: closeReasons,
    clause: "OBS-FILTER-CLOSEREASON",
    field: "close_reason",
    implies: { row: { status: "closed" }, clause: "OBS-FILTER-CLOSEREASON-CLOSED" },
  },
  domain: { kind: "filter", values: domains, clause: "OBS-FILTER-DOMAIN" },
  order: {
    kind: "order",
    values: ["recency", "display_rank", "resolved"],
    clause: "OBS-ORDER-RANK-SET",
    clauses: { recency: "OBS-ORDER-DEFAULT", display_rank: "OBS-ORDER-RANK-SET", resolved: "OBS-ORDER-RESOLVED" },
    onlyForStatus: { resolved: "closed" }, // OBS-ORDER-RESOLVED-OPEN
  },
  has_fix_pr: {
    kind: "filter",
    values: ["true", "false"],
    clause: "OBS-FILTER-FIXPR-FALSE",
    clauses: { true: "OBS-FILTER-FIXPR-TRUE", false: "OBS-FILTER-FIXPR-FALSE" },
    partitions: true,
    excludes: "status",
  },
  easy_wins: { kind: "filter", values: ["true"], clause: "OBS-FILTER-EASYWINS", pairedWith: openFindings },
  needs_review: { kind: "filter", values: ["true"], clause: "OBS-FILTER-REVIEW-ONLY", pairedWith: openFindings },
  include: { kind: "include", values: ["locations"], clause: "OBS-FIELD-LOCATIONS-ITEM" },
  repo: { kind: "filter", clause: "OBS-FILTER-REPO" },
  since: { kind: "filter", clause: "OBS-FILTER-SINCE" },
} as const satisfies Record<string, ListParameter>;

/** The paginated lists of the contract. PAGE-LISTS-CURSOR. */
export const lists = {
  observations: {
    route: "GET /api/observations",
    key: "/ref",
    fields: ["ref", "kind", "status", "priority", "category", "title", "acknowledged_at", "close_reason"],
    defaultLimit: 100,
    parameters: observationParameters,
  },
  "repository jobs": {
    route: "GET /api/repos/{owner}/{repo}/{branch}/jobs",
    key: "/id",
    fields: jobFields,
    parameters: { workflow: { kind: "filter", clause: "JOB-LIST-REPO-WORKFLOW", field: "workflow" } },
  },
  jobs: {
    route: "GET /api/jobs",
    key: "/id",
    fields: jobFields,
    parameters: {},
  },
  repositories: {
    route: "GET /api/repos",
    key: "",
    fields: [],
    parameters: {},
  },
} as const satisfies Record<string, ListStatement>;

/** The name of a list. */
export type ListName = keyof typeof lists;

/** Returns the contract's statement about a list. */
export function findListStatement(name: ListName): ListStatement {
  return lists[name];
}

/** Returns the list that a route serves; undefined where the contract does not call it paginated. */
export function findList(route: string): ListStatement | undefined {
  return Object.values<ListStatement>(lists).find((list) => list.route === route);
}

/** A query parameter of a list, with its name. */
export type NamedParameter = ListParameter & { name: string };

/** Returns the query parameters of a list, in the order of the table. */
export function listParameters(list: ListName): NamedParameter[] {
  return Object.entries(findListStatement(list).parameters).map(([name, parameter]) => ({ name, ...parameter }));
}

/** Returns the contract's statement about a query parameter of the observations; an empty object for an unknown one. */
export function findObservationParameter(name: string): Partial<ListParameter> {
  return Object.entries<ListParameter>(observationParameters).find(([known]) => known === name)?.[1] ?? {};
}
