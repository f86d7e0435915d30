import { type Fault, getObservation, param, withQuery, withRows, withTemporaryFields, wrapRoute } from "../../mutants/mutant.js";
import type { FaultyServer } from "../laws/faulty-servers.js";

const OBSERVATIONS = "GET /api/observations";
type Around = Extract<Fault, { around: unknown }>["around"];

/** Accepts a cursor with another value of one of the filters, if the cursor fits the list with any value of it. */
function unboundTo(filter: string): Around {
  const others = { since: "2020-01-01T00:00:00Z", domain: "testing" } as Record<string, string>;
  return wrapRoute(OBSERVATIONS, (world, call, perform) => {
    const response = perform(world, call);
    if (response.status !== 400 || call.query.cursor === undefined) return response;
    const { [filter]: given, ...query } = call.query;
    const serviceResponses = [
      perform(world, { ...call, query }),
      given ? response : perform(world, withQuery(call, { [filter]: others[filter] })),
    ];
    return serviceResponses.find(({ status }) => status === 200) ?? response;
  });
}

/** Faults of one pair of values each. */
export const faultyServers: readonly FaultyServer[] = [
  {
    name: "takes a cursor whether there is a since or not",
    law: "pairs-of-cursor-and-change",
    blames: "CURSOR-FILTERS",
    shows: [/since/, /code: invalid_cursor/],
    around: unboundTo("since"),
  },
  {
    name: "accepts the cursor of any list for the repositories",
    law: "pairs-of-cursor-and-change",
    blames: "CURSOR-ENDPOINT",
    shows: [/GET \/api\/repos/, /code: invalid_cursor/],
    around: wrapRoute("GET /api/repos", (world, call, perform) => {
      const response = perform(world, call);
      return response.status === 400 && call.query.cursor ? perform(world, withQuery(call, { cursor: undefined })) : response;
    }),
  },
  {
    name: "keeps what passes either of two filters",
    law: "pairs-of-filters",
    blames: "OBS-FILTER-COMBINE",
    shows: [/priority: P2/, /domain: ux/, /not:/],
    around: wrapRoute(OBSERVATIONS, (world, call, perform) => {
      const response = perform(world, call);
      const { priority, domain, cursor } = call.query;
      if (priority?.[0] !== "P2" || domain?.[0] !== "ux" || cursor) return response;
      const others = perform(world, withQuery(call, { priority: undefined })).body as { data: { ref: string }[] };
      return withRows(response, (rows: { ref: string }[]) => [
        ...rows,
        ...others.data.filter(({ ref }) => rows.every((row) => row.ref !== ref)),
      ]);
    }),
  },
  {
    name: "forgets one filter beside another",
    law: "pairs-of-filters",
    blames: "OBS-FILTER-COMBINE",
    shows: [/has_fix_pr: "?true/, /close_reason: fixed/],
    around: wrapRoute(OBSERVATIONS, (world, call, perform) => {
      const { has_fix_pr, close_reason } = call.query;
      const forgets = has_fix_pr?.[0] === "true" && close_reason?.[0] === "fixed";
      const response = perform(world, call);
      return forgets ? withRows(response, (rows) => rows.slice(1)) : response;
    }),
  },
  {
    name: "loses the row behind a page that holds all but one of a category",
    law: "pairs-of-filter-and-page-border",
    blames: "CURSOR-WALK",
    shows: [/category: operations/],
    around: wrapRoute(OBSERVATIONS, (world, call, perform) => {
      const response = perform(world, call);
      const { category, cursor, limit } = call.query;
      const { data } = (response.body ?? {}) as { data?: unknown[] };
      const border = category?.[0] === "operations" && cursor && Number(limit?.[0]) > 2 && data?.length === 1;
      return border ? withRows(response, () => []) : response;
    }),
  },
  {
    name: "answers has_more after the last page of a domain",
    law: "pairs-of-filter-and-page-border",
    blames: "CURSOR-MORE",
    shows: [/domain: ux/, /has_more/],
    around: wrapRoute(OBSERVATIONS, (world, call, perform) => {
      const response = perform(world, call);
      return call.query.domain?.[0] === "ux" && response.status === 200
        ? { ...response, body: { ...(response.body as object), has_more: true } }
        : response;
    }),
  },
  {
    name: "has 50 rows on a page of a domain without a limit",
    law: "pairs-of-filter-and-page-size",
    blames: "PAGE-DEFAULT-OBS",
    shows: [/domain: /, /length: 100/],
    around: wrapRoute(OBSERVATIONS, (world, call, perform) =>
      perform(world, call.query.domain && !call.query.limit ? withQuery(call, { limit: "50" }) : call),
    ),
  },
  {
    name: "has 100 rows at most on a page of a category",
    law: "pairs-of-filter-and-page-size",
    blames: "PAGE-LIMIT-FILLED",
    shows: [/category: /, /limit: 200/, /length: 200/],
    around: wrapRoute(OBSERVATIONS, (world, call, perform) =>
      perform(world, call.query.category && call.query.limit?.[0] === "200" ? withQuery(call, { limit: "100" }) : call),
    ),
  },
  {
    name: "ignores the kind if the request has no limit",
    law: "pairs-of-filter-and-page-size",
    blames: "OBS-FILTER-KIND",
    shows: [/kind: /, /row/],
    around: wrapRoute(OBSERVATIONS, (world, call, perform) =>
      perform(world, call.query.limit ? call : withQuery(call, { kind: undefined })),
    ),
  },
  {
    name: "refuses to complete an advisory by the tool",
    law: "pairs-of-observation-state-and-action",
    blames: "MCP-TOOL-COMPLETE",
    shows: [/kind: advisory/, /tool: complete_observation/],
    aroundTool: (world, call, performTool) => {
      const isMeant =
        call.purpose === "complete_observation" && world.observations[String(call.arguments.ref)]?.kind === "advisory";
      return performTool(world, isMeant ? { ...call, arguments: { ...call.arguments, ref: "SERVICE-0" } } : call);
    },
  },
  {
    name: "loses a row of one repository by rank",
    law: "pairs-of-filter-and-order",
    blames: "OBS-ORDER-RANK-SET",
    shows: [/repo: "?\{slug2?\}/, /order: display_rank/],
    around: wrapRoute(OBSERVATIONS, (world, call, perform) => {
      const response = perform(world, call);
      const { repo, order, cursor } = call.query;
      return repo && order?.[0] === "display_rank" && !cursor ? withRows(response, (rows) => rows.slice(1)) : response;
    }),
  },
  {
    name: "cancels a failed job",
    law: "pairs-of-job-status-and-action",
    blames: "JOB-CANCEL-FINISHED",
    shows: [/outcome: failure/, /cancel/],
    around: wrapRoute("POST /api/jobs/{job_id}/cancel", (world, call, perform) => {
      const job = world.jobs[param(call, "job_id")];
      const hasFailed = job?.status === "failed";
      const response = perform(world, call);
      if (hasFailed && job) job.status = "cancelled";
      return response;
    }),
  },
  {
    name: "retries a completed job by the tool",
    law: "pairs-of-job-status-and-action",
    blames: "JOB-RETRY-INELIGIBLE",
    shows: [/outcome: success/, /tool: retry_job/],
    aroundTool: (world, call, performTool) => {
      const job = world.jobs[String(call.arguments.job_id)];
      if (call.purpose !== "retry_job" || job?.status !== "completed") return performTool(world, call);
      return withTemporaryFields(job, { status: "failed" }, () => performTool(world, call));
    },
  },
  {
    name: "dismisses an expired observation by the tool",
    law: "pairs-of-observation-state-and-action",
    blames: "OBS-ACTION-CLOSED",
    shows: [/expire-observation/, /tool: dismiss_observation/],
    aroundTool: (world, call, performTool) => {
      const observation = world.observations[String(call.arguments.ref)];
      const expired = call.purpose === "dismiss_observation" && observation?.close_reason === "expired";
      const response = performTool(world, call);
      if (expired) observation.close_reason = "dismissed";
      return response;
    },
  },
  {
    name: "does not reopen an observation that a pull request has fixed",
    law: "pairs-of-observation-state-and-action",
    blames: "OBS-REOPEN-OPENS",
    shows: [/merge-fix-pr/, /reopen/],
    around: wrapRoute("POST /api/observations/{ref}/reopen", (world, call, perform) => {
      const observation = getObservation(world, call);
      const fixed = observation?.close_reason === "fixed";
      const response = perform(world, call);
      if (fixed) Object.assign(observation, { status: "closed", close_reason: "fixed" });
      return response;
    }),
  },
];
