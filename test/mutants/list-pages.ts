import type { IncomingCall, ServiceResponse } from "../../src/service/call.js";
import { changeMatchingResponses, mutantPerValue } from "./family.js";
import { wrapSignedInCalls } from "./helpers/keys.js";
import { ignoreParameter, isPage } from "./helpers/observations.js";
import { changeWireResponse } from "./helpers/responses.js";
import { observationsRoute } from "./helpers/routes.js";
import { matchesRoute } from "./impersonation.js";
import { getRoute, type Mutant, type Shown, type WrapCall, withQuery, withRows, wrapRoute } from "./mutant.js";

const pages = ["GET /api/repos", "GET /api/jobs", observationsRoute, "GET /api/repos/{owner}/{repo}/{branch}/jobs"];

/** Mutants that break a clause of PAGE-DEFAULT-*, PAGE-FIELD-*, PAGE-LIMIT-*, PAGE-LISTS-* or PAGE-MAX-*. */
export const listPagesMutants: Mutant[] = [
  ...pages.flatMap((route) => [
    changeWireResponse(
      `answers has_more as text on a page of ${route} that others follow instead of true`,
      "PAGE-FIELD-TYPES",
      matchesRoute(route),
      (response) => ({
        ...response,
        text: response.text.replace(/"has_more":true/, '"has_more":"yes"'),
      }),
    ),
    changeWireResponse(
      `answers has_more as text on a last page of ${route} instead of false`,
      "PAGE-FIELD-TYPES",
      matchesRoute(route),
      (response) => ({
        ...response,
        text: response.text.replace(/"has_more":false/, '"has_more":"no"'),
      }),
    ),
  ]),
  ...mutantPerValue("PAGE-FIELD-TYPES", "list", "answers has_more as text on * instead of a boolean", (list) =>
    wrapRoute(list, changePage(addPageFields)),
  ),
  ...mutantPerValue("PAGE-FIELD-TYPES", "list", "answers an object for the rows of * instead of a list", (list) =>
    wrapRoute(
      list,
      changePage(({ data, ...page }) => ({ ...page, data: Object.fromEntries((data as Shown[]).map((row, at) => [at, row])) })),
    ),
  ),
  ...mutantPerValue(
    "PAGE-FIELD-TYPES",
    "page position",
    "leaves next_cursor out of the * page instead of answering it",
    (position) => at(position, ({ next_cursor: _, ...page }) => page),
  ),
  ...mutantPerValue("PAGE-LISTS-CURSOR", "list", "ignores the cursor of * instead of continuing there", (list) =>
    wrapRoute(list, ignoreParameter("cursor")),
  ),
  ...mutantPerValue("PAGE-LISTS-CURSOR", "list", "ignores the limit of * instead of applying it", (list) =>
    wrapRoute(list, ignoreParameter("limit")),
  ),
  ...mutantPerValue("PAGE-LISTS-CURSOR", "list", "hands out no cursor for * instead of one", (list) =>
    wrapRoute(
      list,
      changePage((page) => ({ ...page, next_cursor: null })),
    ),
  ),
  {
    name: "lists 50 rows of a repository without a limit instead of 100",
    breaks: "PAGE-DEFAULT-OBS",
    around: wrapRoute(observationsRoute, (world, call, perform) =>
      perform(world, call.query.repo && !call.query.limit ? withQuery(call, { limit: "50" }) : call),
    ),
  },
  ...["49", "51"].map(
    (rows): Mutant => ({
      name: `lists ${rows} rows of every list but the observations by default instead of the stated number`,
      breaks: "PAGE-DEFAULT",
      around: (world, call, perform) =>
        getRoute(call) === observationsRoute ? perform(world, call) : changeDefault(rows)(world, call, perform),
    }),
  ),
  {
    name: "lists 101 observations by default instead of 100",
    breaks: "PAGE-DEFAULT-OBS",
    around: wrapRoute(observationsRoute, changeDefault("101")),
  },
  {
    name: "lists 99 observations by default instead of 100",
    breaks: "PAGE-DEFAULT-OBS",
    around: wrapRoute(observationsRoute, changeDefault("99")),
  },
  ...mutantPerValue("PAGE-MAX", "list", "refuses a limit of 200 on * instead of accepting it", (list) =>
    wrapRoute(
      list,
      changeReadLimit((limit) => limit === 200, "201"),
    ),
  ),
  ...mutantPerValue("PAGE-LIMIT-OVER", "list", "reduces a limit above 200 on * instead of refusing it", (list) =>
    wrapRoute(
      list,
      changeReadLimit((limit) => limit > 200, "200"),
    ),
  ),
  ...mutantPerValue("PAGE-LIMIT-NUMBER", "list", "ignores a limit that is not a number on * instead of refusing it", (list) =>
    wrapRoute(
      list,
      changeReadLimit((limit) => Number.isNaN(limit), undefined),
    ),
  ),
  ...mutantPerValue("PAGE-LIMIT-HELD", "list", "answers one row more than the limit on * instead of the limit", (list) =>
    wrapRoute(list, returnTooManyRows),
  ),
  ...mutantPerValue(
    "PAGE-LIMIT-HELD",
    "page position",
    "answers one row more than the limit on the * page instead of the limit",
    (position) => (world, call, perform) => {
      const response = perform(world, call);
      return getPosition(call, response) === position ? returnTooManyRows(world, call, () => response) : response;
    },
  ),
  {
    name: "answers 50 rows for every limit instead of the requested number",
    breaks: "PAGE-LIMIT-HELD",
    around: changeReadLimit((limit) => limit < 50, "50"),
  },
  wrapSignedInCalls(
    "reduces the limit of a signed-in person instead of refusing it",
    "PAGE-LIMIT-OVER",
    "GET /api/observations",
    (world, call, perform) => perform(world, Number(call.query.limit?.at(-1)) > 200 ? withQuery(call, { limit: "200" }) : call),
  ),
  ...["include", "order", "since", "has_fix_pr"].map(
    (parameter): Mutant => ({
      name: `answers at most a hundred rows with ${parameter} instead of the requested number`,
      breaks: "PAGE-LIMIT-FILLED",
      around: wrapRoute(observationsRoute, (world, call, perform) => {
        const isCut = parameter in call.query && between(call.query.limit?.[0], 100, 200);
        return perform(world, isCut ? withQuery(call, { limit: "100" }) : call);
      }),
    }),
  ),
  ...["include", "order", "since", "cursor"].map(
    (parameter): Mutant => ({
      name: `answers fifty rows by default with ${parameter} instead of the stated number`,
      breaks: "PAGE-DEFAULT-OBS",
      around: wrapRoute(observationsRoute, (world, call, perform) =>
        perform(world, parameter in call.query && !("limit" in call.query) ? withQuery(call, { limit: "50" }) : call),
      ),
    }),
  ),
  {
    name: "reduces a too high limit on later pages instead of refusing it",
    breaks: "PAGE-LIMIT-OVER",
    around: (world, call, perform) => {
      const isCut = "cursor" in call.query && Number(call.query.limit?.[0]) > 200;
      return perform(world, isCut ? withQuery(call, { limit: "200" }) : call);
    },
  },
  {
    name: "reduces a limit above 100 to 100 instead of applying it",
    breaks: "PAGE-LIMIT-FILLED",
    around: wrapRoute(observationsRoute, (world, call, perform) => {
      const limit = Number(call.query.limit?.[0]);
      return perform(world, limit > 100 && limit <= 200 ? withQuery(call, { limit: "100" }) : call);
    }),
  },
];

function between(text: string | undefined, min: number, max: number): boolean {
  return text !== undefined && Number(text) > min && Number(text) <= max;
}

/** Lists this many rows if the request has no limit. */
function changeDefault(limit: string): WrapCall {
  return (world, call, perform) => perform(world, call.query.limit ? call : withQuery(call, { limit }));
}

/** Changes some limits. */
function changeReadLimit(isMeant: (limit: number) => boolean, read: string | undefined): WrapCall {
  return (world, call, perform) => {
    const [limit] = call.query.limit ?? [];
    return perform(world, limit !== undefined && isMeant(Number(limit)) ? withQuery(call, { limit: read }) : call);
  };
}

/** Adds rows to a page until it has one more than requested. */
function returnTooManyRows(...[world, call, perform]: Parameters<WrapCall>): ReturnType<WrapCall> {
  const response = perform(world, call);
  const limit = Number(call.query.limit?.[0]);
  if (!limit) return response;
  return withRows<Shown>(response, (rows) => {
    const more = Array.from({ length: limit + 1 - rows.length }, () => rows.at(-1) ?? {});
    return rows.length === 0 ? rows : [...rows, ...more];
  });
}

function changePage(change: (page: Shown) => Shown): WrapCall {
  return changeMatchingResponses(isPage, (response) => ({ ...response, body: change(response.body as Shown) }));
}

function addPageFields(page: Shown): Shown {
  return { ...page, has_more: page.has_more ? "yes" : "no" };
}

function at(position: string, change: (page: Shown) => Shown): WrapCall {
  return changeMatchingResponses(
    (response, call) => getPosition(call, response) === position,
    (response) => ({ ...response, body: change(response.body as Shown) }),
  );
}

function getPosition(call: IncomingCall, response: ServiceResponse): string | undefined {
  if (!isPage(response)) return undefined;
  if (call.query.cursor === undefined) return "first";
  return (response.body as Shown).has_more ? "middle" : "last";
}
