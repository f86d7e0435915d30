import { findJobTransition, type JobStatus } from "../../src/suite/statements/jobs.js";
import {
  findStateAfterTriage,
  isRepeatable,
  observationKinds,
  priorities,
  type TriageAction,
  triageActionNames,
  triageActions,
} from "../../src/suite/statements/observations.js";
import { type CallerState, call, control, keep, next, reachable, seeJob, seeObservation } from "./caller.js";
import { ask, type ClientResponse, type SentRequest, sendAndDisconnect, sendPipelined } from "./wire.js";

/** Does one thing to a world, drawn by its dice. */
export async function step(caller: CallerState): Promise<void> {
  const draw = caller.dice.below(100);
  const [act] = weightedRequests.filter(([upTo]) => draw < upTo).map(([, one]) => one);
  await act?.(caller);
}

/** Up to which number each is drawn. */
const weightedRequests: readonly (readonly [number, (caller: CallerState) => Promise<unknown>])[] = [
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

async function readOne(caller: CallerState): Promise<void> {
  if (caller.dice.below(2) === 0) {
    const ref = caller.dice.of([...caller.observations.keys()]);
    const { status, json } = await call(caller, "GET", `/api/observations/${ref}`);
    if (status === 200) seeObservation(caller, ref, json as Record<string, unknown>);
  } else {
    const id = caller.dice.of([...caller.jobs.keys()]);
    const { status, json } = await call(caller, "GET", `/api/jobs/${id}`);
    if (status === 200) seeJob(caller, id, (json as { status: JobStatus }).status);
  }
}

const filters = [
  ["status", ["new", "closed"]],
  ["priority", priorities],
  ["kind", observationKinds],
] as const;

async function readPage(caller: CallerState): Promise<void> {
  const [field, values] = caller.dice.of(filters);
  const value = caller.dice.of(values as readonly string[]);
  const { status, json } = await call(caller, "GET", `/api/observations?${field}=${value}&limit=${1 + caller.dice.below(50)}`);
  const rows = status === 200 ? (json as { data: Record<string, unknown>[] }).data : [];
  caller.tally.rows += rows.length;
  if (rows.some((row) => row[field] !== value))
    caller.tally.broken.push(`${caller.id}: a row of ${field}=${value} shows another`);
}

async function useTool(caller: CallerState): Promise<void> {
  const id = caller.tally.requests;
  const uses = [
    { name: "list_observations", arguments: { status: "new", limit: 10 } },
    { name: "set_guidance", arguments: { guidance: `Mind what call ${id} says.` } },
  ];
  const body = { jsonrpc: "2.0", id, method: "tools/call", params: caller.dice.of(uses) };
  const { status, json } = await call(caller, "POST", "/mcp/", { body });
  if (status === 200 && (json as { id: unknown }).id !== id)
    caller.tally.broken.push(`${caller.id}: a tool's answer is of another call`);
}

function jobsPath({ repo }: CallerState): string {
  return `/api/repos/${repo}/jobs?force=true`;
}

function submission(caller: CallerState): Partial<SentRequest> {
  return {
    body: { workflow: "audit", params: {} },
    headers: { "idempotency-key": `soak-${caller.tally.requests}-${caller.id}` },
  };
}

async function submit(caller: CallerState): Promise<void> {
  readSubmittedJobs(caller, await call(caller, "POST", jobsPath(caller), submission(caller)));
}

/** Sends a submission, disconnects, and repeats it with its key until a response arrives. There must be one job. */
async function submitAndGo(caller: CallerState): Promise<void> {
  const more = submission(caller);
  const sentRequest = next(caller, "POST", jobsPath(caller), more);
  caller.calls.set(sentRequest.number, null);
  caller.tally.dropped++;
  await sendAndDisconnect(sentRequest, caller.dice.below(3));
  for (let tries = 0; tries < 5; tries++) {
    const response = await call(caller, "POST", jobsPath(caller), more);
    if (response.status !== 429) return readSubmittedJobs(caller, response);
    await moveClock(caller);
  }
}

function readSubmittedJobs(caller: CallerState, { status, json }: ClientResponse): void {
  if (status === 201 || status === 200) {
    const { id, status: now } = json as { id: string; status: JobStatus };
    if (caller.jobs.has(id)) seeJob(caller, id, now);
    else caller.jobs.set(id, now);
  }
}

/** Cancels or retries a job, whose status must allow it. */
async function changeJob(caller: CallerState): Promise<void> {
  const { jobs, dice, tally } = caller;
  const id = dice.of([...jobs.keys()]);
  const on = dice.of(["cancel", "retry"] as const);
  const before = jobs.get(id) as JobStatus;
  const response = await call(caller, "POST", `/api/jobs/${id}/${on}`);
  const isDone = response.status === 200 || response.status === 201;
  if (!isDone) return;
  const possibleJobTransitions = reachable(before).map((status) => findJobTransition(status, on));
  if (possibleJobTransitions.every((line) => line === undefined))
    tally.broken.push(`${caller.id}: a ${before} job could be asked to ${on}`);
  if (on === "retry") readSubmittedJobs(caller, response);
  else jobs.set(id, "cancelled");
}

async function triage(caller: CallerState): Promise<void> {
  const act = caller.dice.of(triageActionNames);
  const ref = caller.dice.of([...caller.observations.keys()]);
  const { route, body } = triageActions[act] as { route: string; body?: (note: string) => object };
  const [method = "", path = ""] = route.replace("{ref}", ref).split(" ");
  const response = await call(caller, method, path, { body: body?.("soaked") ?? {} });
  if (response.status < 300 && response.status > 0) seeTriaged(caller, ref, act);
}

function seeTriaged({ observations, tally, id }: CallerState, ref: string, act: TriageAction): void {
  const before = observations.get(ref);
  if (!before) return;
  const after = findStateAfterTriage(before.status, act);
  if (!after && !isRepeatable(act) && !before.doubtful)
    tally.broken.push(`${id}: ${act} was taken of a ${before.status} observation`);
  if (after)
    observations.set(ref, { status: after.status, reason: after.closeReason ?? (after.status === "new" ? null : before.reason) });
}

async function moveClock(caller: CallerState): Promise<void> {
  caller.tally.moves++;
  await control(caller, "POST", `/worlds/${caller.id}/clock/advance`, { by: caller.dice.of(["1s", "31s", "61s", "20m"]) });
  // a run that ends may find a dismissed observation again
  for (const observation of caller.observations.values()) observation.doubtful = true;
}

/** Sets a fault, meets it, and takes it away. */
async function meetFault(caller: CallerState): Promise<void> {
  const faults = [
    { status: 500 },
    { delay: "5ms" },
    { socket: "CONNECTION_RESET_BY_PEER" },
    { socket: "EMPTY_RESPONSE" },
    { status: 503, retry_after: 1 },
  ];
  const fault = caller.dice.of(faults);
  const { status } = await control(caller, "POST", `/worlds/${caller.id}/faults`, { on: "GET /api/jobs", nth: 1, ...fault });
  if (status !== 201) caller.tally.broken.push(`${caller.id}: a fault was refused: ${status}`);
  const sentRequest = next(caller, "GET", "/api/jobs?limit=5");
  const response = await ask(sentRequest);
  keep(caller, sentRequest, response);
  if ("socket" in fault) caller.calls.set(sentRequest.number, null);
  const wanted = "socket" in fault ? 0 : "status" in fault ? fault.status : response.status;
  if (response.status !== wanted)
    caller.tally.broken.push(`${caller.id}: a fault of ${JSON.stringify(fault)} gave ${response.status}`);
  caller.tally.faults++;
  await control(caller, "DELETE", `/worlds/${caller.id}/faults`);
}

/** Sends several requests at once on one connection and reads late. Every response must come, in order. */
async function askSlowly(caller: CallerState): Promise<void> {
  const refs = Array.from({ length: 5 }, () => caller.dice.of([...caller.observations.keys()]));
  const paths = [...refs.map((ref) => `/api/observations/${ref}`), "/api/observations?limit=200"];
  const all = paths.map((path) => next(caller, "GET", path));
  caller.tally.slow++;
  const responses = await sendPipelined(all, caller.dice.below(200));
  if (responses.length > all.length) caller.tally.doubled++;
  for (const [index, one] of all.entries()) keep(caller, one, responses[index] ?? { status: 0, id: undefined, json: undefined });
  const shown = responses
    .slice(0, refs.length)
    .map(({ status, json }, at) => (status === 200 ? (json as { ref: string }).ref : refs[at]));
  if (shown.join() !== refs.slice(0, shown.length).join())
    caller.tally.broken.push(`${caller.id}: answers on one connection are out of order`);
}

/** Sends a write with a read-only key. */
async function asStranger(caller: CallerState): Promise<void> {
  const role = caller.dice.of(["viewer", "expired", "revoked", "triage"]);
  const { status } = await call(caller, "POST", jobsPath(caller), { ...submission(caller), key: caller.keys[role] ?? "" });
  if (status < 400 && status !== 0) caller.tally.broken.push(`${caller.id}: the key ${role} could submit`);
}
