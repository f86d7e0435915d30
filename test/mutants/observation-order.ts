import type { Observation } from "../../src/service/world/world.js";
import { mutantPerValue, wrapTool } from "./family.js";
import { changeListIf, getQuery, getRow, replaceParameterValue } from "./helpers/observations.js";
import { observationsRoute } from "./helpers/routes.js";
import { changeResponses, getRoute, type Mutant, type Shown, type WrapCall, withRows } from "./mutant.js";

type ListRow = Record<string, unknown> & Pick<Observation, "status" | "priority" | "fix_pr"> & { ref: string };

/** Mutants that break a clause of OBS-ORDER-*. */
export const observationOrderMutants: Mutant[] = [
  ...mutantPerValue(
    "OBS-ORDER-RESOLVED",
    "close reason",
    "orders observations that are * last by resolution instead of by their time",
    (reason) =>
      changeListIf(
        ({ order }) => order === "resolved",
        (rows) => [
          ...rows.filter(({ close_reason }) => close_reason !== reason),
          ...rows.filter(({ close_reason }) => close_reason === reason),
        ],
      ),
  ),
  {
    name: "orders by rank by default instead of by recency",
    breaks: "OBS-ORDER-DEFAULT",
    around: replaceParameterValue("order", { order: "display_rank" }, ({ order }) => order === undefined),
  },
  {
    name: "leaves P3 out of the top findings instead of listing it",
    breaks: "OBS-ORDER-RANK-SET",
    around: changeListIf(
      ({ order }) => order === "display_rank",
      (rows) => rows.filter(({ priority }) => priority !== "P3"),
    ),
  },
  {
    name: "orders resolved observations by their last change instead of their resolution",
    breaks: "OBS-ORDER-RESOLVED",
    around: replaceParameterValue("order", { order: "recency" }, ({ order }) => order === "resolved"),
  },
  ...["close_reason", "kind"].map(
    (filter): Mutant => ({
      name: `ignores the order resolved beside the filter ${filter} instead of applying it`,
      breaks: "OBS-ORDER-RESOLVED",
      around: replaceParameterValue(
        "order",
        { order: "recency" },
        (query) => query.order === "resolved" && query[filter] !== undefined,
      ),
    }),
  ),
  {
    name: "orders closed observations by an earlier acknowledgement instead of their resolution",
    breaks: "OBS-ORDER-RESOLVED",
    around: orderByTime(({ acknowledged_at, resolved_at }) => acknowledged_at ?? resolved_at ?? 0),
  },
  {
    name: "orders observations with a ticket last by resolution instead of by their time",
    breaks: "OBS-ORDER-RESOLVED",
    around: orderByTime(({ ticket_url, resolved_at }) => (ticket_url === null ? (resolved_at ?? 0) : 0)),
  },
  {
    name: "orders fixed observations by the opening of their PR instead of their resolution",
    breaks: "OBS-ORDER-RESOLVED",
    around: changeResponses(observationsRoute, (response, _, call) =>
      call.query.order?.[0] === "resolved"
        ? withRows<Shown>(response, (rows) => rows.toSorted((a, b) => Number(isFixed(a)) - Number(isFixed(b))))
        : response,
    ),
  },
  {
    name: "orders observations completed by the tool as unresolved instead of by their time",
    breaks: "OBS-ORDER-RESOLVED",
    ...wrapTool("complete_observation", (world, call, performTool) => {
      const response = performTool(world, call);
      const row = getRow(world, call.arguments.ref);
      if (row && response.status < 300) row.resolved_at = row.created_at;
      return response;
    }),
  },
];

/** Orders a list by resolution with another time. */
function orderByTime(moment: (row: Observation) => number): WrapCall {
  return (world, call, perform) => {
    const response = perform(world, call);
    if (getRoute(call) !== observationsRoute || getQuery(call).order !== "resolved") return response;
    const getMoment = ({ ref }: ListRow) => moment(world.observations[ref] as Observation);
    return withRows<ListRow>(response, (rows) => rows.toSorted((a, b) => getMoment(b) - getMoment(a)));
  };
}

function isFixed({ close_reason }: Shown): boolean {
  return close_reason === "fixed";
}
