import { type JobStatus, jobMoves, jobsEnded, jobTransition } from "../../src/suite/statements/jobs.js";
import {
  isRepeatable,
  observationKinds,
  priorities,
  type TriageAct,
  triageActNames,
  triageActs,
  triaged,
} from "../../src/suite/statements/observations.js";
import type { Server } from "./server.js";
import type { Dice, Tally } from "./tally.js";
import { type Answer, type Ask, ask, askAndGo, askInARow } from "./wire.js";

/** A world with all that its only caller knows of it. */
export interface Life {
  id: string;
  server: Server;
  dice: Dice;
  tally: Tally;
  keys: Readonly<Record<string, string>>;
  repo: string;
  /** By id, as last read. */
  jobs: Map<string, JobStatus>;
  /** By ref, as last read or made. */
  observations: Map<string, { status: "new" | "closed"; reason: string | null; doubtful?: true }>;
  /** What became of every call: the status that came, 0 where none did though one should have, null where nobody waited for it. */
  calls: Map<number, number | null>;
  /** The ids that answers carry. */
  answers: Set<string>;
}

/** Founds a world and reads what is in it. */
export async function beginLife(server: Server, dice: Dice, tally: Tally): Promise<Life> {
  tally.worlds++;
  const wishes = {
    fixture: "demo",
    seed: 1 + dice.below(1e6),
    clock: "frozen",
    options: { limits: dice.below(2) === 0 ? "off" : "text" },
  };
  const { json } = await control({ server, tally }, "POST", "/worlds", wishes);
  const { id, keys, repos } = json as { id: string; keys: Record<string, string>; repos: string[] };
  const parts = { jobs: new Map(), observations: new Map(), calls: new Map(), answers: new Set<string>() };
  const life: Life = { id, server, dice, tally, keys, repo: repos[0] ?? "", ...parts };
  await readAll(life);
  return life;
}

/** Takes a world away. */
export async function endLife({ server, tally, id }: Life): Promise<void> {
  const { status } = await control({ server, tally }, "DELETE", `/worlds/${id}`);
  if (status !== 204) tally.broken.push(`${id}: it could not be removed: ${status}`);
}

/** Asks the control plane. */
export function control(
  { server, tally }: Pick<Life, "server" | "tally">,
  method: string,
  path: string,
  body?: unknown,
): Promise<Answer> {
  tally.requests++;
  return ask({ number: 0, method, url: `${server.control}${path}`, ...(body !== undefined && { body }) });
}

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

function next({ server, keys, tally }: Life, method: string, path: string, more: Partial<Ask> = {}): Ask {
  return { number: ++tally.requests, method, url: `${server.url}${path}`, key: keys.full ?? "", ...more };
}

/** Sends a request and keeps what came of it. */
async function call(life: Life, method: string, path: string, more: Partial<Ask> = {}): Promise<Answer> {
  const one = next(life, method, path, more);
  const answer = await ask(one);
  keep(life, one, answer);
  return answer;
}

function keep({ calls, answers, tally, id: world }: Life, { number }: Ask, { status, id }: Answer): void {
  calls.set(number, status);
  if (id === undefined) return;
  if (answers.has(id)) {
    tally.doubled++;
    tally.broken.push(`${world}: two answers are called ${id}`);
  }
  answers.add(id);
}

/** Reads every row of the lists, each of which must be there once, and takes them for what there is. */
async function readAll(life: Life): Promise<void> {
  for (const row of await walk(life, "/api/jobs")) life.jobs.set(String(row.id), row.status as JobStatus);
  for (const row of await walk(life, "/api/observations"))
    life.observations.set(String(row.ref), { status: row.status as "new", reason: (row.close_reason as string) ?? null });
}

/** All rows of a list, page by page. */
export async function walk(life: Life, path: string): Promise<Record<string, unknown>[]> {
  const rows: Record<string, unknown>[] = [];
  let cursor = "";
  do {
    const glue = path.includes("?") ? "&" : "?";
    const { status, json } = await call(
      life,
      "GET",
      `${path}${glue}limit=200${cursor && `&cursor=${encodeURIComponent(cursor)}`}`,
    );
    if (status === 429) {
      await control(life, "POST", `/worlds/${life.id}/clock/advance`, { by: "61s" });
      continue;
    }
    const page = json as { data: Record<string, unknown>[]; next_cursor: string | null };
    rows.push(...page.data);
    cursor = page.next_cursor ?? "";
    if (cursor === "") break;
  } while (rows.length < 5000);
  return rows;
}

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
  const act = life.dice.of(triageActNames);
  const ref = life.dice.of([...life.observations.keys()]);
  const { route, body } = triageActs[act] as { route: string; body?: (note: string) => object };
  const [method = "", path = ""] = route.replace("{ref}", ref).split(" ");
  const answer = await call(life, method, path, { body: body?.("soaked") ?? {} });
  if (answer.status < 300 && answer.status > 0) seeTriaged(life, ref, act);
}

function seeTriaged({ observations, tally, id }: Life, ref: string, act: TriageAct): void {
  const before = observations.get(ref);
  if (!before) return;
  const after = triaged(before.status, act);
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

/** Asks for several things at once on one connection and reads late: every answer must come, in order. */
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

function seeJob({ jobs, tally, id: world }: Life, id: string, status: JobStatus): void {
  const before = jobs.get(id);
  if (before !== undefined && !reachable(before).includes(status)) tally.broken.push(`${world}: a ${before} job is ${status}`);
  jobs.set(id, status);
}

/** Where a job of a status may stand by now, if nobody asks for anything. */
function reachable(from: JobStatus): JobStatus[] {
  if (jobsEnded.some((ended) => ended === from)) return [from];
  const further = jobMoves.filter((move) => move.from === from).flatMap(({ to }) => reachable(to));
  return [...new Set([from, ...further])];
}

function seeObservation({ observations, tally, id: world }: Life, ref: string, row: Record<string, unknown>): void {
  const known = observations.get(ref);
  const [status, reason] = [row.status as "new" | "closed", (row.close_reason as string | null) ?? null];
  const isSame = known?.status === status && known.reason === reason;
  const mayReturn = known?.doubtful && known.status === "closed" && status === "new";
  const mayClose = known?.doubtful && known.status === "new";
  if (known && !isSame && !mayReturn && !mayClose)
    tally.broken.push(`${world}: ${ref} is ${status} (${reason}), not ${known.status} (${known.reason})`);
  observations.set(ref, { status, reason });
}

/** Compares what the lists show at the end with what was done: nothing is there that nobody made, and everything once. */
export async function checkRows(life: Life): Promise<void> {
  const { jobs, tally, id: world } = life;
  const shown = await walk(life, "/api/jobs");
  const ids = shown.map(({ id }) => String(id));
  if (new Set(ids).size !== ids.length) tally.broken.push(`${world}: a job is listed twice`);
  const strange = ids.filter((id) => !jobs.has(id)).length;
  const missing = [...jobs.keys()].filter((id) => !ids.includes(id)).length;
  if (strange > 0) tally.doubled += strange;
  if (missing > 0) tally.lost += missing;
  if (strange + missing > 0) tally.broken.push(`${world}: ${strange} jobs that nobody submitted, ${missing} jobs less than were`);
  for (const row of shown) if (jobs.has(String(row.id))) seeJob(life, String(row.id), row.status as JobStatus);
  const all = await walk(life, "/api/observations");
  for (const row of all) seeObservation(life, String(row.ref), row);
  const refs = new Set(all.map(({ ref }) => ref));
  const parts: number[] = [];
  for (const value of priorities) parts.push((await walk(life, `/api/observations?priority=${value}`)).length);
  if (refs.size !== all.length || parts.reduce((sum, part) => sum + part) !== all.length)
    tally.broken.push(`${world}: by priority ${parts.join(" and ")} observations, of ${refs.size} (${all.length})`);
}
