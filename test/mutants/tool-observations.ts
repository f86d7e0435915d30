import type { IncomingToolCall } from "../../src/service/tools/tool-call.js";
import type { Observation } from "../../src/service/world/world.js";
import { mutantPerValue, wrapTool } from "./family.js";
import { bySlug, exceptObservations, getNamesakes, hasSlugForm, observationsIn } from "./helpers/observations.js";
import { listOtherRows, performOtherCall } from "./helpers/tools.js";
import { type Mutant, type Shown, withArguments, withRows } from "./mutant.js";

const nowhere = "no@where";

type Given = IncomingToolCall["arguments"];

/** Mutants that break a clause of MCP-TOOL-OBS-*. */
export const toolObservationsMutants: Mutant[] = [
  ...(
    [
      ["acknowledged", (row) => row.acknowledged_at !== null],
      ["reopened", (row) => row.reopen_reason !== null],
    ] satisfies [string, (row: Observation) => boolean][]
  ).map(
    ([what, isMeant]): Mutant => ({
      name: `finds no observation by the tool's search that was ${what} instead of finding it`,
      breaks: "MCP-TOOL-OBS-SEARCH",
      ...wrapTool("list_observations", (world, call, performTool) => {
        const response = performTool(world, call);
        return call.arguments.search === undefined
          ? response
          : withRows<Shown>(response, (rows) => rows.filter(exceptObservations(world, isMeant)));
      }),
    }),
  ),
  {
    name: "searches only the 200 newest observations by the tool instead of all",
    breaks: "MCP-TOOL-OBS-SEARCH",
    ...wrapTool("list_observations", (world, call, performTool) => {
      const newest = Object.values(world.observations).sort((a, b) => b.updated_at - a.updated_at);
      const found = new Set<unknown>(newest.slice(0, 200).map(({ ref }) => ref));
      const response = performTool(world, call);
      if (call.arguments.search === undefined) return response;
      return withRows<Shown>(response, (rows) => rows.filter(({ ref }) => found.has(ref)));
    }),
  },
  ...mutantPerValue(
    "MCP-TOOL-OBS-FILTERS",
    "branch form",
    "lists no observations by the tool for a slug with * instead of the observations of that repository",
    {
      mcp: (form) =>
        wrapTool("list_observations", (world, call, performTool) => {
          const { repo } = call.arguments;
          return performTool(world, hasSlugForm(form, repo) ? withArguments(call, { ...call.arguments, repo: nowhere }) : call);
        }),
    },
  ),
  ...mutantPerValue("MCP-TOOL-OBS-FILTERS", "filter", "ignores the tool's filter * instead of applying it", {
    mcp: (filter) => byTool(({ [filter]: _, ...rest }) => rest),
  }),
  ...mutantPerValue(
    "MCP-TOOL-OBS-FILTERS",
    "filter",
    "finds nothing by the tool's filter * instead of the matching observations",
    {
      mcp: (filter) =>
        wrapTool("list_observations", (world, call, performTool) => {
          const response = performTool(world, call);
          return call.arguments[filter] === undefined ? response : withRows(response, () => []);
        }),
    },
  ),
  ...mutantPerValue("MCP-TOOL-OBS-SEARCH", "search", "lists every observation by the tool for * instead of the matching ones", {
    mcp: (what) =>
      byTool(({ search, ...rest }) =>
        search !== undefined && what === searchIn(rest) ? rest : { ...rest, ...(search !== undefined && { search }) },
      ),
  }),
  ...mutantPerValue("MCP-TOOL-OBS-SEARCH", "search", "lists nothing by the tool for * instead of the matching observations", {
    mcp: (what) =>
      wrapTool("list_observations", (world, call, performTool) => {
        const { search, ...rest } = call.arguments;
        const response = performTool(world, call);
        return search !== undefined && what === searchIn(rest) ? withRows(response, () => []) : response;
      }),
  }),
  ...mutantPerValue(
    "MCP-TOOL-OBS-FILTERS",
    "namesake",
    "includes by the tool observations of a repository whose slug differs only in its * instead of one repository's",
    {
      mcp: (part) =>
        wrapTool("list_observations", (world, call, performTool) =>
          withRows<Shown>(performTool(world, call), (rows) => [
            ...rows,
            ...observationsIn(world, getNamesakes(world, bySlug(world, call.caller.workspace.id, call.arguments.repo), part)),
          ]),
        ),
    },
  ),
  searching("searches findings alone instead of every kind", (rows) => rows.filter(({ kind }) => kind === "finding")),
  searching("finds one observation by a search instead of all matches", (rows) => rows.slice(0, 1)),
  searching("finds nothing by a search with a bracket instead of the matches", (rows, { search }) =>
    String(search).includes("(") ? [] : rows,
  ),
  ...(
    [
      ["kind", "priority"],
      ["priority", "status"],
      ["status", "kind"],
    ] as const
  ).map(
    ([one, other]): Mutant => ({
      name: `ignores ${one} with ${other} in list_observations instead of applying both`,
      breaks: "MCP-TOOL-OBS-FILTERS",
      aroundTool: (world, call, performTool) => {
        const { [one]: _, ...rest } = call.arguments;
        const isMeant = call.purpose === "list_observations" && other in rest && !("search" in rest);
        return performTool(world, isMeant ? withArguments(call, rest) : call);
      },
    }),
  ),
  listOtherRows(
    "lists no observations by the tool without a status instead of all",
    "MCP-TOOL-OBS-LIST",
    "list_observations",
    (rows, given) => (given.status ? rows : []),
  ),
  listOtherRows("lists no closed observation by the tool instead of all", "MCP-TOOL-OBS-LIST", "list_observations", (rows) =>
    rows.filter(({ status }) => status === "new"),
  ),
  listOtherRows("searches for whole titles instead of parts", "MCP-TOOL-OBS-SEARCH", "list_observations", (rows, { search }) =>
    search === undefined ? rows : rows.filter(({ title }) => title === search),
  ),
  performOtherCall(
    "searches every kind with a kind filter instead of that kind alone",
    "MCP-TOOL-OBS-SEARCH",
    "list_observations",
    (_, call) => {
      const { kind: _kind, ...rest } = call.arguments;
      return rest.search === undefined ? call : withArguments(call, rest);
    },
  ),
  {
    name: "ignores an unknown kind by the tool instead of refusing it",
    breaks: "MCP-TOOL-OBS-FILTERS",
    aroundTool(world, call, performTool) {
      const { kind, ...rest } = call.arguments;
      return performTool(world, kind === "bogus" ? withArguments(call, rest) : call);
    },
  },
];

function searchIn(shown: Shown): string {
  return shown.kind === undefined ? "search" : "search and kind";
}

/** Calls the listing tool with other arguments. */
function byTool(read: (shown: Shown) => Shown) {
  return wrapTool("list_observations", (world, call, performTool) =>
    performTool(world, { ...call, arguments: read(call.arguments) }),
  );
}

function searching(name: string, change: (rows: Shown[], given: Given) => Shown[]): Mutant {
  return listOtherRows(name, "MCP-TOOL-OBS-SEARCH", "list_observations", (rows, given) =>
    given.search === undefined ? rows : change(rows, given),
  );
}
