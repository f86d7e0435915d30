import { parseBodyJson } from "../../engine/http/exchange.js";
import type { SystemUnderTest } from "../../engine/property/property.js";
import type { Row, Step } from "../../engine/scenario/format.js";
import { isRecord } from "../../engine/scenario/interpolate.js";
import { inFlightStatuses, isInFlight } from "../statements/jobs.js";
import { sampleCeilings } from "./rest/valid-request.js";

/** The resources that must exist on the server so that only the fault of a request can be refused. */
export interface Prerequisites {
  /** A job in one of these states. */
  job?: readonly string[];
  /** An observation that a list with these filters returns. */
  observation?: Row;
  /** A key of the case. */
  key?: true;
}

/** Whether all prerequisites exist. A missing one makes the case inconclusive. */
export type PrerequisiteResult = { ok: true } | { ok: false; why: string };

/** Returns the resources of a path's variables, in a state that the operation accepts. */
export function findPrerequisites(route: string, variables: readonly string[]): Prerequisites {
  return {
    ...(variables.includes("job_id") && { job: listJobStates(route) }),
    ...(variables.includes("ref") && { observation: createFilters(route) }),
    ...(variables.includes("key_id") && { key: true }),
  };
}

/** Returns the states that a prerequisite may have; undefined where any state is valid. */
export function listRequiredStates({ job, observation }: Prerequisites): readonly string[] | undefined {
  return job ?? (observation && [String(observation.status)]);
}

/** Finds or creates the prerequisites, and saves them as `{job}`, `{ref}` and `{key_id}`. */
export async function preparePrerequisites(
  sut: SystemUnderTest,
  { job, observation, key }: Prerequisites,
): Promise<PrerequisiteResult> {
  if (job) {
    const prerequisiteResult = await findJob(sut, job);
    if (!prerequisiteResult.ok) return prerequisiteResult;
  }
  if (observation) {
    const prerequisiteResult = await findRow(
      sut,
      { rest: "GET /api/observations", query: { ...observation, limit: 1 }, save: { ref: "/data/0/ref" } },
      "ref",
    );
    if (!prerequisiteResult.ok) return prerequisiteResult;
  }
  return key ? makeKey(sut) : { ok: true };
}

function listJobStates(route: string): readonly string[] {
  if (route.endsWith("/cancel")) return inFlightStatuses;
  return route.endsWith("/retry") ? ["failed", "cancelled"] : ["completed"];
}

function createFilters(route: string): Row {
  if (route.endsWith("/reopen")) return { status: "closed" };
  return { status: "new", kind: "finding" };
}

/** Finds a job by its row, because the list of jobs has no filter by state. */
async function findJob(sut: SystemUnderTest, states: readonly string[]): Promise<PrerequisiteResult> {
  const list: Step = { rest: "GET /api/jobs", query: { limit: 200 } };
  const stepResult = await sut.send(list);
  const body = stepResult.ok ? parseBodyJson(stepResult.response) : undefined;
  const rows = body?.ok && isRecord(body.value) && Array.isArray(body.value.data) ? body.value.data : [];
  const place = rows.findIndex((row) => isRecord(row) && states.includes(String(row.status)));
  if (place < 0 && states.some(isInFlight)) return submitJob(sut);
  if (place < 0) return { ok: false, why: `the target shows no job that is ${states.join(" or ")}` };
  return findRow(sut, { ...list, save: { job: `/data/${place}/id` } }, "job");
}

async function submitJob(sut: SystemUnderTest): Promise<PrerequisiteResult> {
  const rest = "POST /api/repos/{repo.owner}/{repo.name}/{repo.branch}/jobs";
  return findRow(sut, { rest, json: { workflow: "audit", params: {} }, save: { job: "/id" } }, "job");
}

async function findRow(sut: SystemUnderTest, step: Step, name: string): Promise<PrerequisiteResult> {
  const stepResult = await sut.send(step);
  if (!stepResult.ok) return { ok: false, why: stepResult.why };
  return sut.lookup(name) === undefined ? { ok: false, why: `no value to save as ${name}` } : { ok: true };
}

async function makeKey(sut: SystemUnderTest): Promise<PrerequisiteResult> {
  return findRow(
    sut,
    {
      rest: "POST /api/keys",
      session: "admin",
      json: { "{binding.key_name_field}": "k-{unique}", "{binding.key_scopes_field}": ["view_jobs"], ...sampleCeilings },
      save: { key_id: "/key_id" },
    },
    "key_id",
  );
}
