import type { ClauseId } from "../../src/contract/types.js";
import type { Observation, World } from "../../src/service/world/world.js";
import { mutantPerValue } from "./family.js";
import { getQuery, isAcknowledged, listOtherFilterValue, renameValue, replaceFilteredList } from "./helpers/observations.js";
import { laneRoute, observationRoute, observationsRoute } from "./helpers/routes.js";
import { reportOtherResult } from "./helpers/tools.js";
import {
  changeResponses,
  changeToolRows,
  getRoute,
  type Mutant,
  type Shown,
  type WrapCall,
  withQuery,
  withResponse,
  withRows,
} from "./mutant.js";

const closedOnce = new WeakSet<Observation>();

type ListRow = Record<string, unknown> & Pick<Observation, "status" | "priority" | "fix_pr"> & { ref: string };

type Query = Readonly<Record<string, string | undefined>>;

type RowWithFixPr = Record<string, unknown> & { fix_pr: Observation["fix_pr"] };

/** Mutants that break a clause of OBS-LANE-*. */
export const observationLaneMutants: Mutant[] = [
  {
    name: "lists a suggestion with an open fix PR among the new instead of leaving it out",
    breaks: "OBS-LANE-EXCLUDED",
    around: replaceFilteredList("status", "new", (row) => row.status === "new" && (row.kind === "suggestion" || !isInLane(row))),
  },
  {
    name: "leaves fix PRs of suggestions out of the lane instead of listing them",
    breaks: "OBS-LANE-FIX-PRS",
    around: changeResponses("GET /api/repos/{owner}/{repo}/{branch}/fix-prs", (response, { observations }) =>
      withRows<Shown>(response, (rows) => rows.filter(({ ref }) => observations[String(ref)]?.kind !== "suggestion")),
    ),
  },
  ...["in_review", "revising", "merged"].flatMap((status) => [
    ofLane(
      `leaves the title out of a fix PR that is ${status} instead of showing it`,
      "OBS-LANE-FIELD-CONTENT",
      status,
      (entry) => ({ ...entry, title: "" }),
    ),
    ofLane(
      `leaves the status out of a fix PR that is ${status} instead of showing it`,
      "OBS-LANE-FIELD-STATUS",
      status,
      (entry) => renameStatus(entry, status, "known"),
    ),
    ofLane(
      `shows an unknown status of a fix PR that is ${status} instead of the stated one`,
      "OBS-LANE-STATUS-OPEN",
      status,
      (entry) => renameStatus(entry, status, status === "merged" ? "in_review" : "merged"),
    ),
  ]),
  {
    name: "leaves a merged fix PR out of the tool's lane instead of showing it as merged",
    breaks: "OBS-LANE-FIELD-STATUS",
    aroundTool: (world, call, performTool) => {
      const response = performTool(world, call);
      return call.purpose === "list_fix_prs"
        ? withRows<Shown>(response, (rows) => rows.filter(({ status }) => status !== "merged"))
        : response;
    },
  },
  {
    name: "shows a fix PR under revision by the tool as one in review instead of as revising",
    breaks: "OBS-LANE-FIELD-STATUS",
    aroundTool: changeToolRows("list_fix_prs", renameValue("status", "revising", "in_review")),
  },
  {
    name: "lists a closed fix PR by the tool instead of leaving it out",
    breaks: "OBS-LANE-STATUS-OPEN",
    aroundTool(world, call, performTool) {
      const response = performTool(world, call);
      const observations = Object.values(world.observations).filter(({ fix_pr }) => fix_pr?.status === "closed");
      const entries = observations.map(({ ref, title, fix_pr }) => ({ ref, title, pr_url: fix_pr?.url, status: "revising" }));
      return call.purpose === "list_fix_prs" ? withRows<Shown>(response, (rows) => [...rows, ...entries]) : response;
    },
  },
  ...["dismissed", "completed"].map(
    (reason): Mutant => ({
      name: `shows the open fix PR of a ${reason} observation by the tool as merged instead of as open`,
      breaks: "OBS-LANE-STATUS-OPEN",
      aroundTool(world, call, performTool) {
        const response = performTool(world, call);
        const isOfReason = ({ ref }: Shown) => world.observations[String(ref)]?.close_reason === reason;
        return call.purpose === "list_fix_prs"
          ? withRows<Shown>(response, (rows) => rows.map((row) => (isOfReason(row) ? { ...row, status: "merged" } : row)))
          : response;
      },
    }),
  ),
  {
    name: "lists observations with an open fix PR among the new instead of leaving them out",
    breaks: "OBS-LANE-EXCLUDED",
    around: createIgnoringLane(({ has_fix_pr }) => has_fix_pr === undefined),
  },
  {
    name: "lists observations with an open fix PR among the new with has_fix_pr instead of leaving them out",
    breaks: "OBS-LANE-HAS-FIX-PR",
    around: createIgnoringLane(({ has_fix_pr }) => has_fix_pr === "true"),
  },
  ...["ref", "title", "pr_url"].flatMap((field) =>
    mutantPerValue(
      "OBS-LANE-FIELD-CONTENT",
      "lane status",
      `lists a fix PR that is * by the tool without its ${field} instead of with it`,
      {
        mcp: (status) => ({
          aroundTool: changeToolRows("list_fix_prs", (entry) =>
            entry.status === status ? { ...entry, [field]: undefined } : entry,
          ),
        }),
      },
    ),
  ),
  ...mutantPerValue(
    "OBS-LANE-FIELD-STATUS",
    "lane status",
    "shows an unknown status by the tool of a fix PR that is * instead of the stated one",
    {
      mcp: (status) => ({ aroundTool: changeToolRows("list_fix_prs", renameValue("status", status, `${status}_one`)) }),
    },
  ),
  ...mutantPerValue(
    "OBS-LANE-STATUS-OPEN",
    "lane status",
    "confuses a fix PR that is * with a merged or an open one by the tool instead of showing its status",
    {
      mcp: (status) => ({
        aroundTool: changeToolRows("list_fix_prs", renameValue("status", status, status === "merged" ? "in_review" : "merged")),
      }),
    },
  ),
  {
    name: "shows the status of the fix PR as the status of an observation instead of its own",
    breaks: "OBS-LANE-STATUS-NEW",
    around(world, call, perform) {
      const response = perform(world, call);
      const { fix_pr, status } = (response.body ?? {}) as RowWithFixPr;
      return getRoute(call) === observationRoute && status === "new" && fix_pr
        ? withResponse(response, { status: fix_pr.status })
        : response;
    },
  },
  {
    name: "leaves a fix PR under revision out of the lane instead of listing it",
    breaks: "OBS-LANE-FIX-PRS",
    around(world, call, perform) {
      const response = perform(world, call);
      return getRoute(call)?.endsWith("/fix-prs")
        ? withRows<RowWithFixPr>(response, (rows) => rows.filter(({ status }) => status !== "revising"))
        : response;
    },
  },
  {
    name: "lists acknowledged observations with an open fix PR among the new instead of leaving them out",
    breaks: "OBS-LANE-EXCLUDED",
    around: listOtherFilterValue(
      "status",
      (value) => value === "new",
      undefined,
      (row) => row.status === "new" && (!inLane(row) || isAcknowledged(row)),
    ),
  },
  {
    name: "leaves a second fix PR out of the lane instead of listing it",
    breaks: "OBS-LANE-FIX-PRS",
    around: (world, call, perform) => {
      for (const row of Object.values(world.observations)) if (row.fix_pr?.status === "closed") closedOnce.add(row);
      const response = perform(world, call);
      return getRoute(call) === laneRoute
        ? withRows<Shown>(response, (rows) => rows.filter(({ ref }) => !isClosedOnce(world, String(ref))))
        : response;
    },
  },
];

function isInLane({ fix_pr }: Observation): boolean {
  return fix_pr?.status === "in_review" || fix_pr?.status === "revising";
}

/** A server that changes the entries of one status in the lane of fixes. */
function ofLane(name: string, breaks: ClauseId, status: string, change: (entry: object) => object): Mutant {
  return reportOtherResult(name, breaks, "list_fix_prs", (body) => ({
    ...body,
    data: (body.data as object[]).map((entry) => (Object.values(entry).includes(status) ? change(entry) : entry)),
  }));
}

function renameStatus(entry: object, status: string, other: string): object {
  return Object.fromEntries(Object.entries(entry).map(([name, value]) => [name, value === status ? other : value]));
}

function isClosedOnce({ observations }: World, ref: string): boolean {
  const row = observations[ref];
  return row !== undefined && closedOnce.has(row);
}

/** Lists every new observation, those with an open fix PR too. */
function createIgnoringLane(holds: (query: Query) => boolean): WrapCall {
  return (world, call, perform) => {
    if (getRoute(call) !== observationsRoute || getQuery(call).status !== "new" || !holds(getQuery(call)))
      return perform(world, call);
    return withRows<ListRow>(perform(world, withQuery(call, { status: undefined })), (rows) =>
      rows.filter(({ status }) => status === "new"),
    );
  };
}

function inLane({ fix_pr }: Shown): boolean {
  return ["in_review", "revising"].includes(String((fix_pr as Observation["fix_pr"])?.status));
}
