import { bodyJson } from "../../engine/http/exchange.js";
import type { SystemUnderTest } from "../../engine/property/property.js";
import type { Row, Step } from "../../engine/scenario/format.js";
import { isRecord } from "../../engine/scenario/interpolate.js";
import { inFlightStatuses, isInFlight } from "../statements/jobs.js";
import { ceilings } from "./valid-request.js";

/** What a request must find on the server, so that nothing but its fault speaks against it. */
export interface Prerequisites {
  /** A job, best in one of these states. */
  job?: readonly string[];
  /** An observation of a list of these filters. */
  observation?: Row;
  /** A key of its own. */
  key?: true;
}

/** Whether all prerequisites are there; one that is not makes a case say nothing. */
export type Arrangement = { ok: true } | { ok: false; why: string };

/** What the variables of a path stand for, and in which state the operation takes it. */
export function prerequisitesOf(route: string, variables: readonly string[]): Prerequisites {
  return {
    ...(variables.includes("job_id") && { job: jobStates(route) }),
    ...(variables.includes("ref") && { observation: filtersFor(route) }),
    ...(variables.includes("key_id") && { key: true }),
  };
}

/** The states of which a row that is sought has one; undefined where any will do. */
export function soughtStates({ job, observation }: Prerequisites): readonly string[] | undefined {
  return job ?? (observation && [String(observation.status)]);
}

/** Finds or makes what is wanted, and saves it as `{job}`, `{ref}` and `{key_id}`. */
export async function arrange(sut: SystemUnderTest, { job, observation, key }: Prerequisites): Promise<Arrangement> {
  if (job) {
    const arrangement = await findJob(sut, job);
    if (!arrangement.ok) return arrangement;
  }
  if (observation) {
    const arrangement = await findRow(
      sut,
      { rest: "GET /api/observations", query: { ...observation, limit: 1 }, save: { ref: "/data/0/ref" } },
      "ref",
    );
    if (!arrangement.ok) return arrangement;
  }
  return key ? makeKey(sut) : { ok: true };
}

function jobStates(route: string): readonly string[] {
  if (route.endsWith("/cancel")) return inFlightStatuses;
  return route.endsWith("/retry") ? ["failed", "cancelled"] : ["completed"];
}

function filtersFor(route: string): Row {
  if (route.endsWith("/reopen")) return { status: "closed" };
  return { status: "new", kind: "finding" };
}

/** The list of jobs takes no filter by state, so the row is chosen first and saved by its place. */
async function findJob(sut: SystemUnderTest, states: readonly string[]): Promise<Arrangement> {
  const list: Step = { rest: "GET /api/jobs", query: { limit: 200 } };
  const sent = await sut.send(list);
  const body = sent.ok ? bodyJson(sent.response) : undefined;
  const rows = body?.ok && isRecord(body.value) && Array.isArray(body.value.data) ? body.value.data : [];
  const place = rows.findIndex((row) => isRecord(row) && states.includes(String(row.status)));
  if (place < 0 && states.some(isInFlight)) return submitJob(sut);
  if (place < 0) return { ok: false, why: `there is no job that is ${states.join(" or ")}` };
  return findRow(sut, { ...list, save: { job: `/data/${place}/id` } }, "job");
}

async function submitJob(sut: SystemUnderTest): Promise<Arrangement> {
  const rest = "POST /api/repos/{repo.owner}/{repo.name}/{repo.branch}/jobs";
  return findRow(sut, { rest, json: { workflow: "audit", params: {} }, save: { job: "/id" } }, "job");
}

async function findRow(sut: SystemUnderTest, step: Step, name: string): Promise<Arrangement> {
  const sent = await sut.send(step);
  if (!sent.ok) return { ok: false, why: sent.why };
  return sut.lookup(name) === undefined ? { ok: false, why: `there is nothing to save as ${name}` } : { ok: true };
}

async function makeKey(sut: SystemUnderTest): Promise<Arrangement> {
  return findRow(
    sut,
    {
      rest: "POST /api/keys",
      session: "admin",
      json: { "{binding.key_name_field}": "k-{unique}", "{binding.key_scopes_field}": ["view_jobs"], ...ceilings },
      save: { key_id: "/key_id" },
    },
    "key_id",
  );
}
