import fc, { type Arbitrary } from "fast-check";
import type { DrawContext } from "../property/property.js";
import type { Row, Step } from "../scenario/format.js";

const JOB = ["id", "workflow", "status", "repo_name"] as const;
const OBSERVATION = ["ref", "kind", "status", "priority", "category", "title", "acknowledged_at", "close_reason"] as const;

/**
 * The paginated lists of the text (PAGE-LISTS-CURSOR): where a row of each shows which it is, and the fields that the text names. What a
 * repository shows is open: there it is the whole row.
 */
export const LISTS = {
  observations: { rest: "GET /api/observations", id: "/ref", fields: OBSERVATION },
  "repository jobs": { rest: "GET /api/repos/{repo}/jobs", id: "/id", fields: JOB },
  jobs: { rest: "GET /api/jobs", id: "/id", fields: JOB },
  repositories: { rest: "GET /api/repos", id: "", fields: [] },
} as const;

/** One of the lists. */
export type ListName = keyof typeof LISTS;

/** Query parameters that keep some of the rows. */
export type Filters = Readonly<Record<string, string>>;

/** A list and the filters it is asked with. */
export interface Query {
  list: ListName;
  filters: Filters;
}

/** Filters of the observations whose value a row shows, with every value of the text. */
export const SHOWN = {
  kind: ["finding", "suggestion", "advisory"],
  status: ["new", "closed"],
  priority: ["P0", "P1", "P2", "P3"],
  category: ["security", "correctness", "maintainability", "performance", "architecture", "operations"],
  close_reason: ["fixed", "dismissed", "completed", "expired"],
} as const;

/** Filters of the observations whose value no row need show. */
export const UNSHOWN = {
  has_fix_pr: ["true", "false"],
  domain: ["security", "code_quality", "reliability", "data_apis", "testing", "devops", "ux"],
  easy_wins: ["true"],
  needs_review: ["true"],
} as const;

const ORDERS = [
  ["order", "recency"],
  ["order", "display_rank"],
  ["include", "locations"],
] as const;

const FILTERS: readonly (readonly [string, string])[] = Object.entries({ ...SHOWN, ...UNSHOWN }).flatMap(([name, values]) =>
  values.map((value) => [name, value] as const),
);

/** Draws filters of the observations that the text lets stand together. */
export function drawFilters({ offers }: DrawContext, most = 3): Arbitrary<Filters> {
  const slugs = ["{slug}", ...(offers("repos.2") ? ["{slug2}"] : [])].map((slug) => ["repo", slug] as const);
  return fc
    .uniqueArray(fc.constantFrom(...FILTERS, ...slugs, ...ORDERS), { selector: ([name]) => name, maxLength: most })
    .map((pairs) => lawful(Object.fromEntries(pairs)));
}

/** Draws a list with filters. */
export function drawQuery(context: DrawContext): Arbitrary<Query> {
  const plain = fc.constantFrom<Query>(
    { list: "jobs", filters: {} },
    { list: "repositories", filters: {} },
    { list: "repository jobs", filters: {} },
    { list: "repository jobs", filters: { workflow: "audit" } },
    { list: "repository jobs", filters: { workflow: "discover" } },
  );
  const observations = drawFilters(context).map((filters): Query => ({ list: "observations", filters }));
  return fc.oneof({ arbitrary: observations, weight: 3 }, { arbitrary: plain, weight: 1 });
}

/** Draws a page size; small ones more often, since they make more borders. */
export function drawLimit(): Arbitrary<number> {
  return fc.oneof(
    { arbitrary: fc.integer({ min: 1, max: 12 }), weight: 3 },
    { arbitrary: fc.integer({ min: 1, max: 200 }), weight: 1 },
  );
}

/** The step that reads a list. */
export function readList({ list, filters }: Query, more: Row, walk = true): Step {
  return { rest: LISTS[list].rest, query: { ...filters, ...more }, ...(walk && { walk }) };
}

/**
 * Takes away filters that contradict each other or that the text says to send otherwise: close_reason implies closed rows, has_fix_pr goes
 * without status, easy_wins and needs_review with `kind=finding&status=new`.
 */
export function lawful(filters: Filters): Filters {
  const { status, close_reason, has_fix_pr, ...rest } = filters;
  if (rest.easy_wins !== undefined || rest.needs_review !== undefined) return { ...rest, kind: "finding", status: "new" };
  return {
    ...rest,
    ...(close_reason !== undefined && { close_reason }),
    ...(has_fix_pr !== undefined && { has_fix_pr }),
    ...(status !== undefined && close_reason === undefined && has_fix_pr === undefined && { status }),
  };
}
