import type { Job, Observation, World } from "../../src/service/world/world.js";
import { mutantPerValue, wrapTool } from "./family.js";
import { changeListIf, getRow, setFieldsAfter } from "./helpers/observations.js";
import { fixRoute, observationRoute, observationsRoute } from "./helpers/routes.js";
import {
  changeResponses,
  changeShownRows,
  getObservation,
  getRoute,
  type Mutant,
  param,
  type Shown,
  withResponse,
  withRows,
  withTemporaryFields,
  wrapRoute,
} from "./mutant.js";

const firstAttempts = new WeakMap<Observation, string>();

type ListRow = Record<string, unknown> & Pick<Observation, "status" | "priority" | "fix_pr"> & { ref: string };

type RowWithFixPr = Record<string, unknown> & { fix_pr: Observation["fix_pr"] };

/** Mutants that break a clause of OBS-FIX-*. */
export const observationFixMutants: Mutant[] = [
  {
    name: "answers a fix request with the earlier failed fix instead of a new job",
    breaks: "OBS-FIX-MAKES-JOB",
    around: wrapRoute("POST /api/observations/{ref}/fix", (world, call, perform) => {
      const job = getFix(world, getObservation(world, call));
      return job?.status === "failed"
        ? withTemporaryFields(job, { status: "running" }, () => perform(world, call))
        : perform(world, call);
    }),
  },
  {
    name: "leaves an observation with an unmerged PR out of the new instead of listing it",
    breaks: "OBS-FIX-UNMERGED",
    around: changeListIf(
      ({ status }) => status === "new",
      (rows) => rows.filter(({ fix_pr }) => fix_pr?.status !== "closed"),
    ),
  },
  {
    name: "leaves an observation with a fix but no PR out of the new instead of listing it",
    breaks: "OBS-FIX-LISTED-BEFORE-PR",
    around: (world, call, perform) =>
      call.query.status?.[0] === "new"
        ? withRows<ListRow>(perform(world, call), (rows) => rows.filter(({ ref }) => !world.observations[ref]?.attempt))
        : perform(world, call),
  },
  ...mutantPerValue(
    "OBS-FIX-ON-CLOSED",
    "close reason",
    "starts a fix of an observation closed as * instead of refusing it",
    (reason) =>
      wrapRoute(fixRoute, (world, call, perform) => {
        const row = getObservation(world, call);
        const isMeant = row?.close_reason === reason;
        return withTemporaryFields(
          isMeant ? row : undefined,
          { status: "new", ...(isMeant && row.fix_pr && { fix_pr: null }) },
          () => perform(world, call),
        );
      }),
  ),
  {
    name: "closes an observation when its fix starts instead of leaving it open",
    breaks: "OBS-FIX-STAYS-NEW",
    around: setFieldsAfter(fixRoute, { status: "closed", close_reason: "fixed" }),
  },
  {
    name: "answers the attempt's id as the job of a fix instead of the job's id",
    breaks: "OBS-FIX-FIELD-IDS",
    around(world, call, perform) {
      const response = perform(world, call);
      const { attempt_id } = (response.body ?? {}) as RowWithFixPr;
      return getRoute(call) === fixRoute && attempt_id ? withResponse(response, { job_id: attempt_id }) : response;
    },
  },
  {
    name: "answers a fix request with an ended fix instead of a new job",
    breaks: "OBS-FIX-MAKES-JOB",
    around(world, call, perform) {
      const attempt = world.attempts[getObservation(world, call)?.attempt ?? ""];
      const job = getRoute(call) === fixRoute ? world.jobs[attempt?.job ?? ""] : undefined;
      return withTemporaryFields(job, { status: "running" }, () => perform(world, call));
    },
  },
  {
    name: "starts a fix as an audit instead of a fix",
    breaks: "OBS-FIX-MAKES-JOB",
    around(world, call, perform) {
      const response = perform(world, call);
      const job = world.jobs[String(((response.body ?? {}) as RowWithFixPr).job_id)];
      if (getRoute(call) === fixRoute && job) job.workflow = "audit";
      return response;
    },
  },
  {
    name: "shows the observation of a started fix without its status instead of with it",
    breaks: "OBS-FIX-FIELD-OBSERVATION",
    around(world, call, perform) {
      const response = perform(world, call);
      return getRoute(call) === fixRoute && response.status < 300
        ? withResponse(response, { observation: { ref: param(call, "ref") } })
        : response;
    },
  },
  {
    name: "shows an observation closed by a merged PR as completed instead of fixed",
    breaks: "OBS-FIX-MERGED",
    around(world, call, perform) {
      const response = perform(world, call);
      return getRoute(call) === observationRoute && ((response.body ?? {}) as RowWithFixPr).close_reason === "fixed"
        ? withResponse(response, { close_reason: "completed" })
        : response;
    },
  },
  {
    name: "shows an acknowledged observation as completed after its fix is merged instead of fixed",
    breaks: "OBS-FIX-MERGED",
    around: changeShownRows(observationRoute, (shown) =>
      shown.close_reason === "fixed" && shown.acknowledged_at !== null ? { ...shown, close_reason: "completed" } : shown,
    ),
  },
  {
    name: "leaves an observation with a failed fix out of the new instead of listing it",
    breaks: "OBS-FIX-LISTED-BEFORE-PR",
    around: changeResponses(observationsRoute, (response, world, call) =>
      call.query.status?.[0] === "new"
        ? withRows<Shown>(response, (rows) => rows.filter((row) => !hasFailed(world, row)))
        : response,
    ),
  },
  {
    name: "starts a fix of a closed observation by the tool instead of refusing it",
    breaks: "OBS-FIX-ON-CLOSED",
    ...wrapTool("submit_fix", (world, call, performTool) => {
      const row = getRow(world, call.arguments.ref);
      return withTemporaryFields(row, { status: "new" }, () => performTool(world, call));
    }),
  },
  {
    name: "shows a reopened observation with a merged fix as completed instead of fixed",
    breaks: "OBS-FIX-MERGED",
    around: changeShownRows("GET /api/observations/{ref}", (shown, { observations }) => {
      const wasReopened = observations[String(shown.ref)]?.reopen_reason;
      return shown.close_reason === "fixed" && wasReopened ? { ...shown, close_reason: "completed" } : shown;
    }),
  },
  {
    name: "answers a fix request with the fix of another finding instead of a new job",
    breaks: "OBS-FIX-MAKES-JOB",
    around: wrapRoute(fixRoute, (world, call, perform) => {
      const observation = getObservation(world, call);
      const beside = Object.values(world.observations).find(
        ({ repo, attempt, ref }) => repo === observation?.repo && attempt && ref !== observation.ref,
      );
      return observation && beside
        ? withTemporaryFields(observation, { attempt: beside.attempt }, () => perform(world, call))
        : perform(world, call);
    }),
  },
  {
    name: "gives all attempts in a repository one id instead of one each",
    breaks: "OBS-FIX-FIELD-IDS",
    around: changeResponses(fixRoute, (response, world, call) => {
      const { repo } = getObservation(world, call) ?? {};
      return response.status < 300 ? withResponse(response, { attempt_id: `attempt_of_${repo}` }) : response;
    }),
  },
  {
    name: "closes also findings with the title of the fixed one instead of that one alone",
    breaks: "OBS-FIX-STAYS-NEW",
    around: changeShownRows("GET /api/observations/{ref}", (shown, { observations }) => {
      const fixed = Object.values(observations).find(
        ({ ref, repo, title, close_reason }) =>
          close_reason === "fixed" &&
          title === shown.title &&
          repo === observations[String(shown.ref)]?.repo &&
          ref !== shown.ref,
      );
      return fixed && shown.status === "new" ? { ...shown, status: "closed", close_reason: "fixed" } : shown;
    }),
  },
  {
    name: "answers the first attempt in a second fix instead of a new one",
    breaks: "OBS-FIX-FIELD-IDS",
    around: changeResponses("POST /api/observations/{ref}/fix", (response, world, call) => {
      const observation = getObservation(world, call);
      if (response.status >= 300 || !observation) return response;
      const { attempt_id } = response.body as { attempt_id: string };
      const first = firstAttempts.get(observation) ?? attempt_id;
      firstAttempts.set(observation, first);
      return withResponse(response, { attempt_id: first });
    }),
  },
];

function getFix({ attempts, jobs }: World, row: Observation | undefined): Job | undefined {
  return jobs[attempts[row?.attempt ?? ""]?.job ?? ""];
}

function hasFailed({ observations, attempts, jobs }: World, { ref }: Shown): boolean {
  const attempt = attempts[observations[String(ref)]?.attempt ?? ""];
  return jobs[attempt?.job ?? ""]?.status === "failed";
}
