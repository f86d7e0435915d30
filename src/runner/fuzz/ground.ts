import type { Scene } from "../property/property.js";
import type { Row, Step } from "../scenario/format.js";
import { isRecord } from "../scenario/interpolate.js";
import { bodyJson } from "../wire/exchange.js";
import { ceilings } from "./valid-request.js";

/** What a request must find on the server, so that nothing but its fault speaks against it. */
export interface Wanted {
  /** A job, best in one of these states. */
  job?: readonly string[];
  /** An observation of a list of these filters. */
  observation?: Row;
  /** A key of its own. */
  key?: true;
}

/** Whether the ground is laid; a row that is not there makes a case say nothing. */
export type Laid = { ok: true } | { ok: false; why: string };

/** What the variables of a path stand for, and in which state the operation takes it. */
export function wantedOf(route: string, variables: readonly string[]): Wanted {
  return {
    ...(variables.includes("job_id") && { job: jobStates(route) }),
    ...(variables.includes("ref") && { observation: filtersFor(route) }),
    ...(variables.includes("key_id") && { key: true }),
  };
}

/** Finds or makes what is wanted, and saves it as `{job}`, `{ref}` and `{key_id}`. */
export async function layGround(scene: Scene, { job, observation, key }: Wanted): Promise<Laid> {
  if (job) {
    const laid = await findJob(scene, job);
    if (!laid.ok) return laid;
  }
  if (observation) {
    const laid = await findRow(
      scene,
      { rest: "GET /api/observations", query: { ...observation, limit: 1 }, save: { ref: "/data/0/ref" } },
      "ref",
    );
    if (!laid.ok) return laid;
  }
  return key ? makeKey(scene) : { ok: true };
}

function jobStates(route: string): readonly string[] {
  if (route.endsWith("/cancel")) return ["pending", "running"];
  return route.endsWith("/retry") ? ["failed", "cancelled"] : ["completed"];
}

function filtersFor(route: string): Row {
  if (route.endsWith("/reopen")) return { status: "closed" };
  return { status: "new", kind: "finding" };
}

/** The list of jobs takes no filter by state, so the row is chosen first and saved by its place. */
async function findJob(scene: Scene, states: readonly string[]): Promise<Laid> {
  const list: Step = { rest: "GET /api/jobs", query: { limit: 200 } };
  const sent = await scene.send(list);
  const body = sent.ok ? bodyJson(sent.response) : undefined;
  const rows = body?.ok && isRecord(body.value) && Array.isArray(body.value.data) ? body.value.data : [];
  const place = rows.findIndex((row) => isRecord(row) && states.includes(String(row.status)));
  if (place < 0 && states.includes("pending")) return submitJob(scene);
  if (place < 0) return { ok: false, why: `there is no job that is ${states.join(" or ")}` };
  return findRow(scene, { ...list, save: { job: `/data/${place}/id` } }, "job");
}

async function submitJob(scene: Scene): Promise<Laid> {
  const rest = "POST /api/repos/{repo.owner}/{repo.name}/{repo.branch}/jobs";
  return findRow(scene, { rest, json: { workflow: "audit", params: {} }, save: { job: "/id" } }, "job");
}

async function findRow(scene: Scene, step: Step, name: string): Promise<Laid> {
  const sent = await scene.send(step);
  if (!sent.ok) return { ok: false, why: sent.why };
  return scene.look(name) === undefined ? { ok: false, why: `there is nothing to save as ${name}` } : { ok: true };
}

async function makeKey(scene: Scene): Promise<Laid> {
  return findRow(
    scene,
    {
      rest: "POST /api/keys",
      session: "admin",
      json: { "{binding.key_name_field}": "k-{unique}", "{binding.key_scopes_field}": ["view_jobs"], ...ceilings },
      save: { key_id: "/key_id" },
    },
    "key_id",
  );
}
