import { type JobStatus, jobTransition } from "../../src/suite/statements/jobs.js";
import {
  isRepeatable,
  observationKinds,
  priorities,
  stateAfterTriage,
  type TriageAction,
  triageActionNames,
  triageActions,
} from "../../src/suite/statements/observations.js";
import { call, control, keep, type Life, next, reachable, seeJob, seeObservation } from "./life.js";
import { type Answer, type Ask, ask, askAndGo, askInARow } from "./wire.js";

/** Does one thing to a world, drawn by its dice. */
export async function step(life: Life): Promise<void> {
  const draw = life.dice.below(100);
  const [act] = acts.filter(([upTo]) => draw < upTo).map(([, one]) => one);
  await act?.(life);
}

/** Up to which number each is drawn. */
const acts: readonly (readonly [number, (life: Life) => Promise<unknown>])[] = [
  [22, readOne],
  [36, readPage],
  [48, useTool],
  [62, submit],
  [72, changeJob],
  [84, triage],
  [89, moveClock],
  [92, meetFault],
  [95, submitAndGo],
  [98, askSlowly],
  [100, asStranger],
];

async function readOne(life: Life): Promise<void> {
  if (life.dice.below(2) === 0) {
    const ref = life.dice.of([...life.observations.keys()]);
    const { status, json } = await call(life, "GET", `/api/observations/${ref}`);
    if (status === 200) seeObservation(life, ref, json as Record<string, unknown>);
  } else {
    const id = life.dice.of([...life.jobs.keys()]);
    const { status, json } = await call(life, "GET", `/api/jobs/${id}`);
    if (status === 200) seeJob(life, id, (json as { status: JobStatus }).status);
  }
}

const filters = [
  ["status", ["new", "closed"]],
  ["priority", priorities],
  ["kind", observationKinds],
] as const;

async function readPage(life: Life): Promise<void> {
  const [field, values] = life.dice.of(filters);
  const value = life.dice.of(values as readonly string[]);
  const { status, json } = await call(life, "GET", `/api/observations?${field}=${value}&limit=${1 + life.dice.below(50)}`);
  const rows = status === 200 ? (json as { data: Record<string, unknown>[] }).data : [];
  life.tally.rows += rows.length;
  if (rows.some((row) => row[field] !== value)) life.tally.broken.push(`${life.id}: a row of ${field}=${value} shows another`);
}

async function useTool(life: Life): Promise<void> {
  const id = life.tally.requests;
  const uses = [
    { name: "list_observations", arguments: { status: "new", limit: 10 } },
    { name: "set_guidance", arguments: { guidance: `Mind what call ${id} says.` } },
  ];
  const body = { jsonrpc: "2.0", id, method: "tools/call", params: life.dice.of(uses) };
  const { status, json } = await call(life, "POST", "/mcp/", { body });
  if (status === 200 && (json as { id: unknown }).id !== id)
    life.tally.broken.push(`${life.id}: a tool's answer is of another call`);
}

function jobsPath({ repo }: Life): string {
  return `/api/repos/${repo}/jobs?force=true`;
}

function submission(life: Life): Partial<Ask> {
  return { body: { workflow: "audit", params: {} }, headers: { "idempotency-key": `soak-${life.tally.requests}-${life.id}` } };
}

async function submit(life: Life): Promise<void> {
  seeSubmitted(life, await call(life, "POST", jobsPath(life), submission(life)));
}

/** Sends a submission, goes, and asks again with its key until it is answered: there must be one job of it. */
async function submitAndGo(life: Life): Promise<void> {
  const more = submission(life);
  const gone = next(life, "POST", jobsPath(life), more);
  life.calls.set(gone.number, null);
  life.tally.dropped++;
  await askAndGo(gone, life.dice.below(3));
  for (let tries = 0; tries < 5; tries++) {
    const answer = await call(life, "POST", jobsPath(life), more);
    if (answer.status !== 429) return seeSubmitted(life, answer);
    await moveClock(life);
  }
}

function seeSubmitted(life: Life, { status, json }: Answer): void {
  if (status === 201 || status === 200) {
    const { id, status: now } = json as { id: string; status: JobStatus };
    if (life.jobs.has(id)) seeJob(life, id, now);
    else life.jobs.set(id, now);
  }
}

/** Cancels or retries a job, which must be in place for it. */
async function changeJob(life: Life): Promise<void> {
  const { jobs, dice, tally } = life;
  const id = dice.of([...jobs.keys()]);
  const on = dice.of(["cancel", "retry"] as const);
  const before = jobs.get(id) as JobStatus;
  const answer = await call(life, "POST", `/api/jobs/${id}/${on}`);
  const isDone = answer.status === 200 || answer.status === 201;
  if (!isDone) return;
  const possible = reachable(before).map((status) => jobTransition(status, on));
  if (possible.every((line) => line === undefined)) tally.broken.push(`${life.id}: a ${before} job could be asked to ${on}`);
  if (on === "retry") seeSubmitted(life, answer);
  else jobs.set(id, "cancelled");
}

async function triage(life: Life): Promise<void> {
  const act = life.dice.of(triageActionNames);
  const ref = life.dice.of([...life.observations.keys()]);
  const { route, body } = triageActions[act] as { route: string; body?: (note: string) => object };
  const [method = "", path = ""] = route.replace("{ref}", ref).split(" ");
  const answer = await call(life, method, path, { body: body?.("soaked") ?? {} });
  if (answer.status < 300 && answer.status > 0) seeTriaged(life, ref, act);
}

function seeTriaged({ observations, tally, id }: Life, ref: string, act: TriageAction): void {
  const before = observations.get(ref);
  if (!before) return;
  const after = stateAfterTriage(before.status, act);
  if (!after && !isRepeatable(act) && !before.doubtful)
    tally.broken.push(`${id}: ${act} was taken of a ${before.status} observation`);
  if (after)
    observations.set(ref, { status: after.status, reason: after.closeReason ?? (after.status === "new" ? null : before.reason) });
}

async function moveClock(life: Life): Promise<void> {
  life.tally.moves++;
  await control(life, "POST", `/worlds/${life.id}/clock/advance`, { by: life.dice.of(["1s", "31s", "61s", "20m"]) });
  // what was dismissed may be found again by a run that ends
  for (const one of life.observations.values()) one.doubtful = true;
}

/** Sets a fault, meets it, and takes it away. */
async function meetFault(life: Life): Promise<void> {
  const harms = [
    { status: 500 },
    { delay: "5ms" },
    { socket: "CONNECTION_RESET_BY_PEER" },
    { socket: "EMPTY_RESPONSE" },
    { status: 503, retry_after: 1 },
  ];
  const harm = life.dice.of(harms);
  const { status } = await control(life, "POST", `/worlds/${life.id}/faults`, { on: "GET /api/jobs", nth: 1, ...harm });
  if (status !== 201) life.tally.broken.push(`${life.id}: a fault was refused: ${status}`);
  const one = next(life, "GET", "/api/jobs?limit=5");
  const answer = await ask(one);
  keep(life, one, answer);
  if ("socket" in harm) life.calls.set(one.number, null);
  const wanted = "socket" in harm ? 0 : "status" in harm ? harm.status : answer.status;
  if (answer.status !== wanted) life.tally.broken.push(`${life.id}: a fault of ${JSON.stringify(harm)} gave ${answer.status}`);
  life.tally.faults++;
  await control(life, "DELETE", `/worlds/${life.id}/faults`);
}

/** Sends several requests at once on one connection and reads late. Every answer must come, in order. */
async function askSlowly(life: Life): Promise<void> {
  const refs = Array.from({ length: 5 }, () => life.dice.of([...life.observations.keys()]));
  const paths = [...refs.map((ref) => `/api/observations/${ref}`), "/api/observations?limit=200"];
  const all = paths.map((path) => next(life, "GET", path));
  life.tally.slow++;
  const answers = await askInARow(all, life.dice.below(200));
  if (answers.length > all.length) life.tally.doubled++;
  for (const [index, one] of all.entries()) keep(life, one, answers[index] ?? { status: 0, id: undefined, json: undefined });
  const shown = answers
    .slice(0, refs.length)
    .map(({ status, json }, at) => (status === 200 ? (json as { ref: string }).ref : refs[at]));
  if (shown.join() !== refs.slice(0, shown.length).join())
    life.tally.broken.push(`${life.id}: answers on one connection are out of order`);
}

/** A key that may read asks to write. */
async function asStranger(life: Life): Promise<void> {
  const role = life.dice.of(["viewer", "expired", "revoked", "triage"]);
  const { status } = await call(life, "POST", jobsPath(life), { ...submission(life), key: life.keys[role] ?? "" });
  if (status < 400 && status !== 0) life.tally.broken.push(`${life.id}: the key ${role} could submit`);
}
