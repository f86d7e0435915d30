import type { Observation } from "../../src/service/world/world.js";
import { mutantPerValue } from "./family.js";
import {
  changeListIf,
  ignoreListParameter,
  ignoreListParameterWhere,
  isAcknowledged,
  listOtherFilterValue,
  omitFromFilteredList,
  replaceFilteredList,
  replaceParameterValue,
} from "./helpers/observations.js";
import { observationsRoute } from "./helpers/routes.js";
import { type Mutant, type Shown, type WrapCall, withQuery, withRows, wrapRoute } from "./mutant.js";

const states: Record<string, readonly unknown[]> = { open: ["in_review", "revising"], merged: ["merged"], closed: ["closed"] };

type ListRow = Record<string, unknown> & Pick<Observation, "status" | "priority" | "fix_pr"> & { ref: string };

/** Mutants that break a clause of OBS-FILTER-*. */
export const observationFilterFlagsMutants: Mutant[] = [
  {
    name: "counts a fix without a PR for has_fix_pr=true instead of only PRs",
    breaks: "OBS-FILTER-FIXPR-TRUE",
    around: replaceFilteredList("has_fix_pr", "true", (row) => row.fix_pr !== null || row.attempt !== null),
  },
  {
    name: "counts a fix without a PR for has_fix_pr=false instead of only PRs",
    breaks: "OBS-FILTER-FIXPR-FALSE",
    around: replaceFilteredList("has_fix_pr", "false", (row) => row.fix_pr === null && row.attempt === null),
  },
  {
    name: "leaves observations with a ticket out of needs_review instead of listing them",
    breaks: "OBS-FILTER-REVIEW",
    around: omitFromFilteredList("needs_review", "true", ({ ticket_url }) => ticket_url !== null),
  },
  {
    name: "leaves observations with a ticket out of easy_wins instead of listing them",
    breaks: "OBS-FILTER-EASYWINS",
    around: omitFromFilteredList("easy_wins", "true", ({ ticket_url }) => ticket_url !== null),
  },
  ...mutantPerValue("OBS-FILTER-FIXPR-TRUE", "pull request state", "finds no fix PR that is * instead of listing it", (state) =>
    changeListIf(
      ({ has_fix_pr }) => has_fix_pr === "true",
      (rows, world) => rows.filter(({ ref }) => !states[state]?.includes(world.observations[String(ref)]?.fix_pr?.status)),
    ),
  ),
  {
    name: "lists observations with fix PRs for has_fix_pr=false instead of the others alone",
    breaks: "OBS-FILTER-FIXPR-FALSE",
    around: ignoreListParameterWhere("has_fix_pr", ({ has_fix_pr }) => has_fix_pr === "false"),
  },
  {
    name: "lists closed observations as easy wins instead of open ones alone",
    breaks: "OBS-FILTER-EASYWINS",
    around: ignoreListParameter("easy_wins"),
  },
  ...mutantPerValue(
    "OBS-FILTER-EASYWINS",
    "close reason",
    "lists an observation closed as * as an easy win instead of open ones alone",
    (reason) => winners(reason),
  ),
  {
    name: "lists P3 as easy wins instead of higher priorities alone",
    breaks: "OBS-FILTER-EASYWINS-PRIORITY",
    around: replaceParameterValue("easy_wins", { kind: "finding", status: "new" }),
  },
  {
    name: "lists every open finding for needs_review instead of those that need it",
    breaks: "OBS-FILTER-REVIEW-ONLY",
    around: ignoreListParameter("needs_review"),
  },
  {
    name: "lists nothing for needs_review instead of the observations that need it",
    breaks: "OBS-FILTER-REVIEW",
    around: changeListIf(
      ({ needs_review }) => needs_review === "true",
      () => [],
    ),
  },
  {
    name: "finds no fix PR of a reopened observation instead of listing it",
    breaks: "OBS-FILTER-FIXPR-TRUE",
    around: omitRows("has_fix_pr", (row) => row.reopen_reason !== null),
  },
  {
    name: "leaves acknowledged observations out of easy_wins instead of listing them",
    breaks: "OBS-FILTER-EASYWINS",
    around: omitRows("easy_wins", isAcknowledged),
  },
  {
    name: "leaves reopened observations out of easy_wins instead of listing them",
    breaks: "OBS-FILTER-EASYWINS",
    around: omitRows("easy_wins", (row) => row.reopen_reason !== null),
  },
  {
    name: "leaves acknowledged findings with exhausted attempts out of needs_review instead of listing them",
    breaks: "OBS-FILTER-REVIEW",
    around: wrapRoute(observationsRoute, (world, call, perform) =>
      withRows<Pick<Observation, "acknowledged_at">>(perform(world, call), (rows) =>
        call.query.needs_review?.[0] === "true" ? rows.filter(({ acknowledged_at }) => acknowledged_at === null) : rows,
      ),
    ),
  },
];

/** Keeps among the easy wins those that were closed for one reason. */
function winners(reason: string): WrapCall {
  return (world, call, perform) => {
    const response = perform(world, call);
    const { easy_wins, status, cursor } = call.query;
    if (easy_wins?.[0] !== "true" || status?.[0] === "new" || cursor) return response;
    const serviceResponse = perform(world, withQuery(call, { easy_wins: undefined, status: undefined, close_reason: reason }));
    const { data = [] } = (serviceResponse.body ?? {}) as { data?: ListRow[] };
    return withRows<ListRow>(response, (rows) => [...rows, ...data.filter(({ ref }) => world.observations[ref]?.easy_win)]);
  };
}

/** Omits rows from a filtered list after some action. */
function omitRows(filter: string, isMeant: (row: Shown) => boolean): WrapCall {
  return listOtherFilterValue(
    filter,
    (value) => value === "true",
    "true",
    (row) => !isMeant(row),
  );
}
