import { finalStatuses, type JobStatus, serviceTransitions } from "../../src/suite/statements/jobs.js";
import { priorities } from "../../src/suite/statements/observations.js";
import type { Server } from "./server.js";
import type { Dice, Tally } from "./tally.js";
import { ask, type ClientResponse, type SentRequest } from "./wire.js";

/** A world with everything that its only caller knows of it. */
export interface CallerState {
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
  /** The result of every call: its status, 0 for a missing answer, null if the caller did not wait. */
  calls: Map<number, number | null>;
  /** The ids that answers carry. */
  answers: Set<string>;
}

/** Creates a world and reads its content. */
export async function openCaller(server: Server, dice: Dice, tally: Tally): Promise<CallerState> {
  tally.worlds++;
  const wishes = {
    fixture: "demo",
    seed: 1 + dice.below(1e6),
    clock: "frozen",
    limits: dice.below(2) === 0 ? "off" : "text",
  };
  const { json } = await control({ server, tally }, "POST", "/worlds", wishes);
  const { id, keys, repos } = json as { id: string; keys: Record<string, string>; repos: string[] };
  const parts = { jobs: new Map(), observations: new Map(), calls: new Map(), answers: new Set<string>() };
  const caller: CallerState = { id, server, dice, tally, keys, repo: repos[0] ?? "", ...parts };
  await readAll(caller);
  return caller;
}

/** Deletes the world of a caller. */
export async function closeCaller({ server, tally, id }: CallerState): Promise<void> {
  const { status } = await control({ server, tally }, "DELETE", `/worlds/${id}`);
  if (status !== 204) tally.broken.push(`${id}: it could not be removed: ${status}`);
}

/** Sends a request to the control plane. */
export function control(
  { server, tally }: Pick<CallerState, "server" | "tally">,
  method: string,
  path: string,
  body?: unknown,
): Promise<ClientResponse> {
  tally.requests++;
  return ask({ number: 0, method, url: `${server.control}${path}`, ...(body !== undefined && { body }) });
}

/** Returns a unique request. */
export function next(
  { server, keys, tally }: CallerState,
  method: string,
  path: string,
  more: Partial<SentRequest> = {},
): SentRequest {
  return { number: ++tally.requests, method, url: `${server.url}${path}`, key: keys.full ?? "", ...more };
}

/** Sends a request and records its response. */
export async function call(
  caller: CallerState,
  method: string,
  path: string,
  more: Partial<SentRequest> = {},
): Promise<ClientResponse> {
  const sentRequest = next(caller, method, path, more);
  const response = await ask(sentRequest);
  keep(caller, sentRequest, response);
  return response;
}

/** Records the response to a request, and checks that no other response has its id. */
export function keep(
  { calls, answers: responses, tally, id: world }: CallerState,
  { number }: SentRequest,
  { status, id }: ClientResponse,
): void {
  calls.set(number, status);
  if (id === undefined) return;
  if (responses.has(id)) {
    tally.doubled++;
    tally.broken.push(`${world}: two answers are called ${id}`);
  }
  responses.add(id);
}

/** Reads every row of the lists, each of which must be there once, and takes them for what there is. */
async function readAll(caller: CallerState): Promise<void> {
  for (const row of await readAllPages(caller, "/api/jobs")) caller.jobs.set(String(row.id), row.status as JobStatus);
  for (const row of await readAllPages(caller, "/api/observations"))
    caller.observations.set(String(row.ref), { status: row.status as "new", reason: (row.close_reason as string) ?? null });
}

/** All rows of a list, page by page. */
export async function readAllPages(caller: CallerState, path: string): Promise<Record<string, unknown>[]> {
  const rows: Record<string, unknown>[] = [];
  let cursor = "";
  do {
    const separator = path.includes("?") ? "&" : "?";
    const { status, json } = await call(
      caller,
      "GET",
      `${path}${separator}limit=200${cursor && `&cursor=${encodeURIComponent(cursor)}`}`,
    );
    if (status === 429) {
      await control(caller, "POST", `/worlds/${caller.id}/clock/advance`, { by: "61s" });
      continue;
    }
    const page = json as { data: Record<string, unknown>[]; next_cursor: string | null };
    rows.push(...page.data);
    cursor = page.next_cursor ?? "";
    if (cursor === "") break;
  } while (rows.length < 5000);
  return rows;
}

/** Records the job in a response. Its status must be reachable from the recorded status. */
export function seeJob({ jobs, tally, id: world }: CallerState, id: string, status: JobStatus): void {
  const before = jobs.get(id);
  if (before !== undefined && !reachable(before).includes(status)) tally.broken.push(`${world}: a ${before} job is ${status}`);
  jobs.set(id, status);
}

/** Returns the statuses that a job may have now without further requests. */
export function reachable(from: JobStatus): JobStatus[] {
  if (finalStatuses.some((finalStatus) => finalStatus === from)) return [from];
  const further = serviceTransitions.filter((move) => move.from === from).flatMap(({ to }) => reachable(to));
  return [...new Set([from, ...further])];
}

/** Compares an observation in a response with its expected state, and records it. */
export function seeObservation({ observations, tally, id: world }: CallerState, ref: string, row: Record<string, unknown>): void {
  const known = observations.get(ref);
  const [status, reason] = [row.status as "new" | "closed", (row.close_reason as string | null) ?? null];
  const isSame = known?.status === status && known.reason === reason;
  const mayReturn = known?.doubtful && known.status === "closed" && status === "new";
  const mayClose = known?.doubtful && known.status === "new";
  if (known && !isSame && !mayReturn && !mayClose)
    tally.broken.push(`${world}: ${ref} is ${status} (${reason}), not ${known.status} (${known.reason})`);
  observations.set(ref, { status, reason });
}

/** Compares the lists at the end with the recorded work: every row once, and no unknown row. */
export async function checkRows(caller: CallerState): Promise<void> {
  const { jobs, tally, id: world } = caller;
  const shown = await readAllPages(caller, "/api/jobs");
  const ids = shown.map(({ id }) => String(id));
  if (new Set(ids).size !== ids.length) tally.broken.push(`${world}: a job is listed twice`);
  const strangeCount = ids.filter((id) => !jobs.has(id)).length;
  const missingCount = [...jobs.keys()].filter((id) => !ids.includes(id)).length;
  if (strangeCount > 0) tally.doubled += strangeCount;
  if (missingCount > 0) tally.lost += missingCount;
  if (strangeCount + missingCount > 0)
    tally.broken.push(`${world}: ${strangeCount} jobs that nobody submitted, ${missingCount} jobs less than were`);
  for (const row of shown) if (jobs.has(String(row.id))) seeJob(caller, String(row.id), row.status as JobStatus);
  const all = await readAllPages(caller, "/api/observations");
  for (const row of all) seeObservation(caller, String(row.ref), row);
  const refs = new Set(all.map(({ ref }) => ref));
  const parts: number[] = [];
  for (const value of priorities) parts.push((await readAllPages(caller, `/api/observations?priority=${value}`)).length);
  if (refs.size !== all.length || parts.reduce((sum, part) => sum + part) !== all.length)
    tally.broken.push(`${world}: by priority ${parts.join(" and ")} observations, of ${refs.size} (${all.length})`);
}
