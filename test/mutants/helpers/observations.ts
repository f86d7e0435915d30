import type { IncomingCall, ServiceResponse } from "../../../src/service/call.js";
import { changeObservation, showObservation } from "../../../src/service/observations/observations.js";
import type { Observation, Repo, World } from "../../../src/service/world/world.js";
import {
  getBody,
  getObservation,
  param,
  type Shown,
  type WrapCall,
  withBody,
  withQuery,
  withRows,
  wrapRoute,
} from "../mutant.js";
import { observationsRoute } from "./routes.js";

/** The names of branches in each form. */
const forms: Record<string, RegExp> = {
  "one slash": /^[^/]+\/[^/]+$/,
  "several slashes": /\/.*\//,
  "at sign": /@/,
  "dots and capitals": /[A-Z].*\./,
  "plus and percent": /\+.*%/,
};

export const actionRoute = (name: string) => `POST /api/observations/{ref}/${name}`;

type Query = Readonly<Record<string, string | undefined>>;

export const parts = ["owner", "repo", "branch"] as const;

type ListRow = Record<string, unknown> & Pick<Observation, "status" | "priority" | "fix_pr"> & { ref: string };

export const otherTypes: Record<string, (value: unknown) => boolean> = {
  number: (value) => typeof value === "number",
  boolean: (value) => typeof value === "boolean",
  array: Array.isArray,
  object: (value) => typeof value === "object" && value !== null && !Array.isArray(value),
  null: (value) => value === null,
};

export const dismissedOnce = new WeakSet<Observation>();

export function exceptObservations({ observations }: World, isMeant: (row: Observation) => boolean): (shown: Shown) => boolean {
  return ({ ref }) => {
    const row = observations[String(ref)];
    return row !== undefined && !isMeant(row);
  };
}

/** Answers a request with one value of a filter: the list without this filter, reduced to the rows that pass a test. */
export function replaceFilteredList(filter: string, value: string, passes: (row: Observation) => boolean): WrapCall {
  return wrapRoute(observationsRoute, (world, call, perform) => {
    if (call.query[filter]?.[0] !== value) return perform(world, call);
    const all = perform(world, withQuery(call, { [filter]: undefined }));
    return withRows<Shown>(all, (rows) => rows.filter(exceptObservations(world, (row) => !passes(row))));
  });
}

/** Omits changed observations from a filtered list. */
export function omitFromFilteredList(filter: string, value: string, isMeant: (row: Observation) => boolean): WrapCall {
  return wrapRoute(observationsRoute, (world, call, perform) => {
    const response = perform(world, call);
    return call.query[filter]?.[0] === value
      ? withRows<Shown>(response, (rows) => rows.filter(exceptObservations(world, isMeant)))
      : response;
  });
}

export function hasSlugForm(form: string, slug: unknown): boolean {
  return typeof slug === "string" && forms[form]!.test(slug.slice(slug.indexOf("@") + 1));
}

/** Changes fields of an observation that the request does not name. */
export function changeObservationAfter(route: string, more: (observation: Observation, world: World) => void): WrapCall {
  return wrapRoute(route, (world, call, perform) => {
    const response = perform(world, call);
    const observation = world.observations[param(call, "ref")];
    if (observation && response.status < 300) more(observation, world);
    return response;
  });
}

export function performUnchanged(...[world, call, perform]: Parameters<WrapCall>): ReturnType<WrapCall> {
  return perform(world, call);
}

export function getQuery({ query }: IncomingCall): Query {
  return Object.fromEntries(Object.entries(query).map(([name, values]) => [name, values[0]]));
}

/** Changes the rows of a list if the request fits. */
export function changeListIf(isMeant: (query: Query) => boolean, change: (rows: ListRow[], world: World) => Shown[]): WrapCall {
  return wrapRoute(observationsRoute, (world, call, perform) => {
    const response = perform(world, call);
    return isMeant(getQuery(call)) ? withRows<ListRow>(response, (rows) => change(rows, world) as ListRow[]) : response;
  });
}

/** Ignores one query parameter. */
export function ignoreParameter(parameter: string): WrapCall {
  return (world, call, perform) => perform(world, withQuery(call, { [parameter]: undefined }));
}

export function isPage({ status, body }: ServiceResponse): boolean {
  return status === 200 && typeof body === "object" && body !== null && "has_more" in body && "data" in body;
}

/** Returns the ids of repositories of the same workspace whose name differs from a repository in one part only. */
export function getNamesakes(world: World, repo: Repo | undefined, part: string): string[] {
  const isNamesake = (row: Repo) =>
    row.workspace === repo?.workspace && parts.every((name) => (row[name] === repo[name]) === (name !== part));
  return Object.values(world.repos)
    .filter(isNamesake)
    .map(({ id }) => id);
}

export function bySlug(world: World, workspace: string | undefined, slug: unknown): Repo | undefined {
  return Object.values(world.repos).find((row) => row.workspace === workspace && row.slug === slug);
}

export function observationsIn(world: World, repos: readonly string[]): Shown[] {
  return Object.values(world.observations)
    .filter(({ repo }) => repos.includes(repo))
    .map((row) => showObservation(row, world.repos[row.repo]!, { locations: false }));
}

export function ignoreListParameter(parameter: string): WrapCall {
  return ignoreListParameterWhere(parameter, () => true);
}

export function ignoreListParameterWhere(parameter: string, holds: (query: Query) => boolean): WrapCall {
  return replaceParameterValue(parameter, {}, (query) => query[parameter] !== undefined && holds(query));
}

/** Lists as if one parameter had another value. */
export function replaceParameterValue(
  parameter: string,
  other: Query,
  holds = (query: Query): boolean => query[parameter] !== undefined,
): WrapCall {
  return wrapRoute(observationsRoute, (world, call, perform) =>
    perform(world, holds(getQuery(call)) ? withQuery(call, { [parameter]: undefined, ...other }) : call),
  );
}

export function renameValue(field: string, value: string, name: string): (row: Shown) => Shown {
  return (row) => (row[field] === value ? { ...row, [field]: name } : row);
}

/** Changes an observation after an operation has succeeded. */
export function changeObservationAfterIf(
  route: string,
  isMeant: (observationBefore: Observation, body: Shown) => boolean,
  changedFields: Partial<Observation>,
): WrapCall {
  return wrapRoute(route, (world, call, perform) => {
    const row = getObservation(world, call);
    const before = row && { ...row };
    const response = perform(world, call);
    if (row && before && response.status < 300 && isMeant(before, getBody(call))) changeObservation(world, row, changedFields);
    return response;
  });
}

/** Changes the observation behind the back of an operation that has been answered with success. */
export function setFieldsAfter(route: string, changedFields: Partial<Observation>): WrapCall {
  return changeObservationAfterIf(route, () => true, changedFields);
}

export function getRow({ observations }: World, ref: unknown): Observation | undefined {
  return observations[String(ref)];
}

export function isAcknowledged({ acknowledged_at }: Pick<Observation, "acknowledged_at"> | Shown): boolean {
  return acknowledged_at !== null;
}

/** Answers a request with the list for another value of a filter, reduced to the rows that pass a test. */
export function listOtherFilterValue(
  filter: string,
  isMeant: (value: string | undefined) => boolean,
  instead: string | undefined,
  passes: (row: Shown) => boolean,
): WrapCall {
  return wrapRoute(observationsRoute, (world, call, perform) => {
    if (!isMeant(call.query[filter]?.[0])) return perform(world, call);
    return withRows<Shown>(perform(world, withQuery(call, { [filter]: instead })), (rows) => rows.filter(passes));
  });
}

/** Changes one field of the body. */
export function withField(route: string, field: string, read: (value: unknown) => unknown): WrapCall {
  return wrapRoute(route, (world, call, perform) => perform(world, withBody(call, { [field]: read(getBody(call)[field]) })));
}

export function hasLength(value: unknown, length: number): value is string {
  return typeof value === "string" && value.length === length;
}
