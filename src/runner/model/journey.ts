import type { Failure, Scene } from "../property/property.js";
import type { Step } from "../scenario/format.js";
import { bindingsOfTool } from "../scenario/tools.js";
import { bodyJson, type WireResponse } from "../wire/exchange.js";
import { everythingSaid, isRefusal, readRpc } from "../wire/mcp.js";
import { afterLost, waysOf } from "./after.js";
import { type Ask, stepOf } from "./ask.js";
import type { Branch } from "./branch.js";
import { judge } from "./judge.js";
import { textOf } from "./operations.js";
import { letTimePass } from "./passing.js";
import { reachAfter } from "./reaching.js";
import { joinStates, type States } from "./states.js";

/** One case on its way: where it is played, and what is known so far. */
export interface Journey {
  scene: Scene;
  states: States;
  /** Answers judged. */
  subjects: number;
  /** Things named so far. */
  names: number;
  /** Buckets that something was drawn from, where only an untouched one can be judged. */
  drawn: Set<string>;
  /** Requests that were not answered. */
  lost: number;
}

/** A contradiction, which ends the journey, or nothing. */
export type Turn = Failure | undefined;

/** What became of a request. */
export interface Told {
  failure?: Failure;
  /** The answer; none where the request was lost. */
  answer?: WireResponse;
}

/** A name for a thing that is yet to be made. */
export function nextName(journey: Journey, kind: string): string {
  journey.names += 1;
  return `${kind}${journey.names}`;
}

/** Sends a request, judges the answer by what is known, and keeps what it tells. */
export async function request(journey: Journey, ask: Ask): Promise<Told> {
  const before = journey.states;
  const told = await put(journey, stepOf(ask), {
    by: ask.by,
    ways: (states) => waysOf(states, ask),
    lost: (states) => afterLost(states, ask),
  });
  if (told.answer && !told.failure) {
    await nameWhatWasMade(journey, ask, told.answer);
    reachAfter(journey.scene.coverage, ask, { before, after: journey.states, answer: told.answer });
  }
  return told;
}

/** What a step's answer is judged by. */
export interface Judging {
  by: Ask["by"];
  ways: (states: States) => Branch[];
  lost?: (states: States) => States;
}

/** Sends any step and judges its answer by the ways in which it may come out. */
export async function put(journey: Journey, step: Step, { by, ways, lost }: Judging): Promise<Told> {
  const { scene } = journey;
  const setUp = scene.played.length;
  const sent = await scene.send(step);
  await look(journey);
  if (!sent.ok) {
    journey.lost += 1;
    if (lost) journey.states = lost(journey.states);
    return {};
  }
  const judged = judge(ways(journey.states), { by }, sent.response, scene.look);
  journey.subjects += 1;
  if (judged.ok) {
    journey.states = judged.states;
    return { answer: sent.response };
  }
  const { save: _, saveKey: __, ...plain } = step;
  const { clauses, why, allows } = judged;
  const reads = step.rest?.startsWith("GET ") || step.mcp?.effect === "read";
  const last: Step = { ...plain, id: "contradiction", ...allows, ...(reads && { until: { within: "20s", every: "5s" } }) };
  const failure: Failure = {
    verdict: "failed",
    clauses,
    why: `${titleOf(step)}: ${why}`,
    steps: [...scene.played.slice(0, setUp), last],
  };
  return { failure, answer: sent.response };
}

/** Looks at the clock: where it has moved, much may have happened. */
export async function look(journey: Journey): Promise<void> {
  const now = (await journey.scene.now()).getTime();
  if (now !== journey.states.now || !journey.states.fresh) journey.states = letTimePass(journey.states, now);
}

/** Makes an event happen. When the target says that it could not, it may have happened all the same. */
export async function happen(
  journey: Journey,
  { event, values = {}, save }: { event: string; values?: Record<string, unknown>; save?: Record<string, string> },
  then: (states: States) => States,
): Promise<boolean> {
  if (!journey.scene.offers(`drive.${event}`)) return false;
  const answer = await journey.scene.drive(event, values, save);
  await look(journey);
  const next = then(journey.states);
  journey.states = answer.ok ? next : (joinStates([journey.states, next]) ?? next);
  return answer.ok;
}

/** Whether the target has the tool that does this, under names that are known. */
export function hasTool(journey: Journey, ask: Ask): boolean {
  const { mcp } = stepOf({ ...ask, by: "tool" });
  const isTool = textOf(ask.what).tool !== undefined || !/^[A-Z]+ \//.test(ask.what);
  if (!isTool || !mcp || !journey.scene.offers("surface.mcp")) return false;
  return bindingsOfTool(mcp).every((binding) => journey.scene.offers(`binding.${binding}`));
}

/** Gives a job that was made its name. A tool does not say where its id stands, so the job is looked up over REST by what the tool said. */
async function nameWhatWasMade(journey: Journey, ask: Ask, answer: WireResponse): Promise<void> {
  const { names } = ask;
  if (names === undefined || !(names in journey.states.jobs)) return;
  if (ask.by === "tool" && !isRefusal(answer)) await findMade(journey, names, answer);
  const { look: value } = journey.scene;
  const id = value(names);
  const twin = Object.keys(journey.states.jobs).some((other) => other !== names && value(other) === id);
  if (id !== undefined && !twin) return;
  const { [names]: _, ...jobs } = journey.states.jobs;
  const known = Object.entries(jobs).map(([name, job]) => [name, job.child === names ? withoutChild(job) : job] as const);
  const keyed = Object.fromEntries(Object.entries(journey.states.keyed).filter(([, { job }]) => job !== names));
  journey.states = { ...journey.states, jobs: Object.fromEntries(known), keyed };
}

function withoutChild<T extends { child?: string }>({ child: _, ...job }: T): Omit<T, "child"> {
  return job;
}

async function findMade(journey: Journey, names: string, answer: WireResponse): Promise<void> {
  const { scene, states } = journey;
  const rpc = readRpc(answer);
  const said = rpc.ok ? everythingSaid(rpc.result) : "";
  const list: Ask = {
    what: "GET /api/repos/{owner}/{repo}/{branch}/jobs",
    by: "rest",
    as: "full",
    repo: states.jobs[names]?.repo ?? "repo",
    query: { limit: 100 },
  };
  const listed = await scene.send(stepOf(list));
  const body = listed.ok ? bodyJson(listed.response) : undefined;
  const rows = body?.ok ? ((body.value as { data?: { id?: unknown }[] }).data ?? []) : [];
  const known = Object.keys(states.jobs).map((name) => scene.look(name));
  const index = rows.findIndex(({ id }) => typeof id === "string" && said.includes(id) && !known.includes(id));
  if (index >= 0) await scene.send({ ...stepOf(list), save: { [names]: `/data/${index}/id` } });
}

function titleOf({ rest, mcp }: Step): string {
  return rest ?? (mcp?.tool ? `tool ${mcp.tool}` : "a request");
}
