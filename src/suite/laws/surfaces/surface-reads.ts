import type { SystemUnderTest } from "../../../engine/property/property.js";
import type { Row } from "../../../engine/scenario/format.js";
import { createTableProperty, type PairRow, type RowOutcome } from "../../pairs/pair-table.js";
import { openReadings, type Readings } from "../../pairs/readings.js";
import { findUnmetNeed } from "../../pairs/row-script.js";
import { jobStatuses } from "../../statements/jobs.js";
import { observationParameters, PAGE_LIMIT } from "../../statements/lists.js";
import { closeReasons, observationKinds } from "../../statements/observations.js";
import { findToolData, toolData } from "../../statements/tool-data.js";
import { findToolStatement, type ToolPurpose } from "../../statements/tools.js";
import { workflowsOnEveryPlan } from "../../statements/workflows.js";
import { type Listing, readRows } from "../lists/listing.js";
import { type Filters, readList } from "../lists/queries.js";
import { createInconclusive } from "../outcome.js";
import { readEachGuide } from "./guide-reads.js";
import { compareFixPrs } from "./lane-reads.js";
import { compareList } from "./list-reads.js";
import { compareForecast, compareSingle } from "./single-reads.js";
import { readToolRows } from "./tool-rows.js";

/** One call of a read tool, compared with its route. `shows`: the fields of the resource that the call is about. */
interface ReadRow extends PairRow {
  tool: ToolPurpose;
  given: Row;
  shows?: Row;
}

/** The rows of a case in REST; each list is read once. */
interface Context {
  readings: Readings;
  /** All jobs of the workspace. */
  jobs: Listing | undefined;
  /** Returns how many rows a tool shows without filters. */
  maxRows(tool: "list_observations" | "list_jobs"): Promise<number>;
}

const { kind, status, priority } = observationParameters;
const SLUGS = ["{slug}", "{slug2}"];
const filterValues = { kind: kind.values, status: status.values, priority: priority.values, repo: SLUGS };
const createTriple = (repo: string) => ({ owner: `{${repo}.owner}`, repo: `{${repo}.name}`, branch: `{${repo}.branch}` });

/** MCP-TOOL-OBS-FILTERS: no filter, each value of each filter, and each with a status. */
const filterSets: readonly Filters[] = [
  {},
  ...Object.entries(filterValues).flatMap(([name, values]) =>
    values.flatMap((value): Filters[] => [
      { [name]: value },
      ...(name === "status" ? [] : status.values.map((one) => ({ [name]: value, status: one }))),
    ]),
  ),
];

/** One value of each filter with a page size: it must not disable the filter. A target without that argument leaves these out. */
const pagedCalls: readonly (readonly [tool: "list_observations" | "list_jobs", given: Row])[] = [
  ["list_observations", { kind: "advisory" }],
  ["list_observations", { status: "closed" }],
  ["list_observations", { priority: "P3" }],
  ["list_observations", { repo: "{slug2}" }],
  ["list_jobs", { status: "failed" }],
];

const explainedObservations: readonly Row[] = [
  ...observationKinds.flatMap((observationKind) => status.values.map((state) => ({ kind: observationKind, status: state }))),
  ...closeReasons.map((reason) => ({ close_reason: reason })),
];

const rows: readonly ReadRow[] = [
  ...filterSets.map((filterSet) => createRow("list_observations", filterSet)),
  ...[{}, ...jobStatuses.map((one) => ({ status: one }))].map((given) => createRow("list_jobs", given)),
  ...pagedCalls.map(([tool, filters]) => createRow(tool, { ...filters, limit: 20 })),
  ...explainedObservations.map((shows) => createRow("explain_observation", { ref: "" }, shows)),
  ...jobStatuses.map((one) => createRow("job_status", { job_id: "" }, { status: one })),
  ...workflowsOnEveryPlan.flatMap((workflow) => [
    createRow("forecast", { workflow }),
    createRow("forecast", { workflow, ...createTriple("repo") }),
  ]),
  createRow("read_guide", { guide: "{binding.guide}" }),
  ...["repo", "repo2"].map((repo) => createRow("list_fix_prs", createTriple(repo), { repo })),
];

function createRow(tool: ToolPurpose, row: Row, shows?: Row): ReadRow {
  const about = Object.entries({ ...row, ...shows }).flatMap(([name, value]) => (value === "" ? [] : [`${name}=${value}`]));
  const name = [tool, ...about].join(" ").replace(/[{}]/g, "");
  return { name, tool, given: row, ...(shows && { shows }), judges: [] };
}

/** MCP-TOOL-*: a read tool shows the same data as its route. */
export const surfaceReads = createTableProperty<ReadRow, Context>({
  id: "surface-reads",
  title: "Each read tool shows what its route shows, for each filter, status, workflow and lane that both take",
  kind: "reads on both surfaces",
  needs: ["surface.mcp"],
  effects: ["read"],
  proves: [
    ...Object.values(toolData).flatMap((data) => [data.clause, ...("filterClause" in data ? [data.filterClause] : [])]),
    ...["OBS-LANE-FIX-PRS", "OBS-GET-ROUTE", "JOB-GET-ROUTE", findToolStatement("read_guide").clause],
  ],
  rows,
  open: openContext,
  tryRow,
});

async function openContext(sut: SystemUnderTest): Promise<{ ok: true; context: Context } | { ok: false; why: string }> {
  const opened = await openReadings(sut);
  if (!opened.ok) return opened;
  const readings = opened.context;
  const jobs = await readRows(sut, "jobs", readList({ list: "jobs", filters: {} }, { limit: PAGE_LIMIT }));
  const known = new Map<string, number>();
  const maxRows: Context["maxRows"] = async (tool) => {
    const sent = known.has(tool) ? undefined : await sut.send({ mcp: { tool, arguments: {} } });
    const { key } = findToolData(tool);
    const toolRows = sent?.ok ? readToolRows(sent.response, key) : undefined;
    const all = tool === "list_jobs" ? (jobs.ok ? jobs.rows : []) : readings.whole.rows;
    if (sent) known.set(tool, all.filter((row) => toolRows?.shows(String(row[key]))).length);
    return known.get(tool) ?? 0;
  };
  return { ok: true, context: { readings, jobs: jobs.ok ? jobs : undefined, maxRows } };
}

async function tryRow(sut: SystemUnderTest, context: Context, row: ReadRow): Promise<RowOutcome> {
  const { tool, given, shows = {} } = row;
  const unmet = findUnmetNeed(sut, [{ mcp: { tool, arguments: given } }], /(slug|repo)2/.test(row.name) ? ["repos.2"] : []);
  if (unmet) return unmet;
  switch (tool) {
    case "list_observations":
      return compareObservationList(sut, context, given);
    case "list_jobs":
      return compareJobList(sut, context, given);
    case "explain_observation":
      return compareExplanation(sut, context, shows);
    case "job_status":
      return compareJobStatus(sut, context, shows);
    case "forecast": {
      const { workflow, owner } = given;
      return compareForecast(sut, { workflow, ...(owner !== undefined && { repo_name: "{slug}" }) }, given);
    }
    case "read_guide":
      return sut.offers("binding.guide") ? readEachGuide(sut) : createInconclusive("the target names no guide");
    default:
      return compareFixPrs(sut, context.readings, String(shows.repo), given);
  }
}

async function compareObservationList(sut: SystemUnderTest, { readings, maxRows }: Context, given: Row): Promise<RowOutcome> {
  const { limit, ...others } = given;
  const filters = others as Filters;
  const required = await readings.read({ status: "new", ...filters });
  const listing = await readings.read({ status: "closed" });
  const { repo } = filters;
  const inRepo = repo === undefined ? [] : await Promise.all([{ repo }, { repo, status: "closed" }].map(readings.read));
  if (!required || !listing || inRepo.includes(undefined))
    return createInconclusive("REST does not list the rows of these filters");
  const ofRepo = inRepo.flatMap((list) => (list ? [list] : []));
  return compareList(sut, {
    tool: "list_observations",
    arguments: given,
    sources: [readings.whole, listing, required],
    required,
    isRequired: () => true,
    exclusion(row) {
      const other = Object.entries(filters).find(([name, value]) => name !== "repo" && row[name] !== value);
      if (other) {
        const [name, value] = other;
        return [{ rest: "GET /api/observations/{row}", given: { status: 200, json: { [name]: { not: value } } } }];
      }
      if (ofRepo.length === 0 || ofRepo.some(({ rows: own }) => own.some(({ ref }) => ref === row.ref))) return undefined;
      const hidden = { status: 200, json: { data: { not: { contains: { ref: "{row}" } } } } };
      return ofRepo.map(({ step }) => ({ ...step, given: hidden }));
    },
    max: limit === undefined ? await maxRows("list_observations") : 0,
  });
}

async function compareJobList(sut: SystemUnderTest, { jobs, maxRows }: Context, row: Row): Promise<RowOutcome> {
  if (!jobs) return createInconclusive("REST does not list the jobs");
  const { status: only, limit } = row;
  const isExcluded = (row: Row) => only !== undefined && row.status !== only;
  return compareList(sut, {
    tool: "list_jobs",
    arguments: row,
    sources: [jobs],
    required: jobs,
    isRequired: (row) => !isExcluded(row),
    exclusion: (row) =>
      isExcluded(row) ? [{ rest: "GET /api/jobs/{row}", given: { status: 200, json: { status: { not: only } } } }] : undefined,
    max: limit === undefined ? await maxRows("list_jobs") : 0,
  });
}

async function compareExplanation(sut: SystemUnderTest, { readings }: Context, shows: Row): Promise<RowOutcome> {
  const listing = await readings.read({ status: "closed" });
  for (const source of [readings.whole, ...(listing ? [listing] : [])]) {
    const row = source.rows.find((one) => Object.entries(shows).every(([name, value]) => one[name] === value));
    if (row)
      return compareSingle(sut, {
        ...{ tool: "explain_observation", argument: "ref", path: "/api/observations/", detailClause: "OBS-GET-ROUTE" },
        ...{ source, row },
      });
  }
  return createInconclusive("no observation is in this state");
}

async function compareJobStatus(sut: SystemUnderTest, { jobs }: Context, shows: Row): Promise<RowOutcome> {
  const row = jobs?.rows.find(({ status: own }) => own === shows.status);
  if (!jobs || !row) return createInconclusive("no job has this status");
  return compareSingle(sut, {
    ...{ tool: "job_status", argument: "job_id", path: "/api/jobs/", detailClause: "JOB-GET-ROUTE" },
    ...{ source: jobs, row },
  });
}
