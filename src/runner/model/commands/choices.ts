import type { Ask } from "../ask.js";
import type { Pick } from "../command.js";
import { hasTool, type Journey, nextName, request, type Told, type Turn } from "../journey.js";
import type { States } from "../states.js";

/** The names of what is known of one kind, the newest first. */
export function newestFirst(things: Readonly<Record<string, unknown>>): string[] {
  return Object.keys(things).reverse();
}

/** An ask by either surface, as picked, where the target has the tool for it. */
export function bySurface(journey: Journey, pick: Pick, ask: Omit<Ask, "by">): Ask {
  const rest: Ask = { ...ask, by: "rest" };
  const tool: Ask = { ...ask, by: "tool" };
  const routed = /^[A-Z]+ \//.test(ask.what);
  const ways = [...(routed ? [rest] : []), ...(hasTool(journey, tool) ? [tool] : [])];
  return pick("surface", ways) ?? rest;
}

/** The caller as picked: mostly the one who may do everything, else one of these. */
export function byCaller(journey: Journey, pick: Pick, others: readonly string[]): string {
  const offered = others.filter(
    (role) => role.startsWith("key") || SPECIAL.includes(role) || journey.scene.offers(`key.${role}`),
  );
  const number = pick("as", [0, 0, 0, 0, 0, ...offered.map((_, index) => index + 1)]) ?? 0;
  return offered[number - 1] ?? "full";
}

const SPECIAL = ["none", "malformed", "unknown"];

/** Repositories that are registered, as far as is known, in the workspace of `full`. */
export function registered({ repos }: States, of = "full"): string[] {
  return Object.keys(repos).filter(
    (name) => repos[name]?.of === of && repos[name]?.registered.includes(true) && !repos[name]?.deleted,
  );
}

/** Reads one job over REST when more than one status is possible, so that what follows can be judged sharply. */
export async function pinJob(journey: Journey, job: string | undefined): Promise<Told> {
  if (job === undefined || (journey.states.jobs[job]?.possible.length ?? 0) < 2) return {};
  return request(journey, { what: "GET /api/jobs/{job_id}", by: "rest", as: "full", job });
}

/** Reads one observation over REST when more than one state is possible. */
export async function pinObservation(journey: Journey, ref: string | undefined): Promise<Told> {
  if (ref === undefined || (journey.states.observations[ref]?.possible.length ?? 0) < 2) return {};
  return request(journey, { what: "GET /api/observations/{ref}", by: "rest", as: "full", ref });
}

/** Reads what a write was about, mostly: what one surface does the other shows. */
export async function readBack(journey: Journey, pick: Pick, ask: Omit<Ask, "by" | "as">): Promise<Turn> {
  if (!pick("back", [true, true, false])) return undefined;
  return (await request(journey, bySurface(journey, pick, { ...ask, as: "full" }))).failure;
}

/** Sends an ask that may make a job, under a new name. */
export function requestNamed(journey: Journey, ask: Ask): Promise<Told> {
  return request(journey, { ...ask, names: nextName(journey, "job") });
}
