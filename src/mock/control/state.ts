import type { Problem } from "../../common/problem.js";
import { contract } from "../../contract/load.js";
import { listFinishedJobs } from "../../service/world/schedule.js";
import type { Job, Observation, ScheduledEvent, World } from "../../service/world/world.js";
import { createClosedObject, type Endpoint, showEndpoint } from "./endpoint.js";
import { type KeyMeters, readKeyMeters } from "./key-meters.js";

/** A page of rows of a world. */
export interface RowPage<Row> {
  /** Number of matching rows on all pages. */
  total: number;
  rows: Row[];
  /** The `after` of the next page; null on the last page. */
  next: string | null;
}

/** Counts of the rows of a world by status, and its next scheduled events. */
export interface WorldState {
  now: string;
  jobs: Record<string, number>;
  observations: Record<string, number>;
  repos: number;
  mails: number;
  /** The next scheduled events, at most twenty. */
  schedule: { at: string; event: string }[];
}

/** A job in the world, of any workspace. */
export interface JobRow extends Pick<Job, "id" | "workspace" | "repo_name" | "workflow" | "status" | "retry_of" | "error"> {
  created_at: string;
  started_at: string | null;
  finished_at: string | null;
}

/** An observation in the world, of any workspace. */
export interface ObservationRow
  extends Pick<Observation, "ref" | "workspace" | "kind" | "status" | "priority" | "title" | "close_reason"> {
  repo: string;
  fix_pr: string | null;
  created_at: string;
  updated_at: string;
}

/** A key of a world with the levels of its buckets. The id names the key. Its token is in the information about the world. */
export interface KeyRow extends KeyMeters {
  id: string;
  name: string;
  workspace: string;
  plan: string;
  scopes: readonly string[];
  /** The networks that may use the key; null for any. */
  allowed_cidrs: readonly string[] | null;
  expires_at: string | null;
  /** Why the key is invalid, or null. */
  dead: "revoked" | "expired" | "suspended" | null;
}

interface Paging {
  after?: string;
  limit?: number;
}

interface RowQuery extends Paging {
  status?: string;
  search?: string;
  sort?: string;
  descending?: boolean;
}

/** The fields of a row that a list can be sorted by. Times are numbers; the text fields can be searched. */
type RowFields<Row> = Record<string, (row: Row, world: World) => string | number>;

const usualLimit = 50;
const maxListedRows = 20;

const paging = {
  after: { type: "string", description: "Only rows after this row: `next` of the previous page." },
  limit: { type: "integer", minimum: 1, maximum: 200, description: `Maximum number of rows; default ${usualLimit}.` },
};

const jobFields: RowFields<Job> = {
  id: ({ id }) => id,
  status: ({ status }) => status,
  workflow: ({ workflow }) => workflow,
  workspace: ({ workspace }) => workspace,
  repo_name: ({ repo_name }) => repo_name,
  created_at: ({ created_at }) => created_at,
  finished_at: ({ finished_at }) => finished_at ?? 0,
};

const observationFields: RowFields<Observation> = {
  ref: ({ number }) => number,
  status: ({ status }) => status,
  priority: ({ priority }) => priority,
  kind: ({ kind }) => kind,
  title: ({ title }) => title,
  workspace: ({ workspace }) => workspace,
  repo: ({ repo }, { repos }) => formatRepo(repos[repo]),
  created_at: ({ created_at }) => created_at,
  updated_at: ({ updated_at }) => updated_at,
};

/** Returns the query of a list of rows. */
function createRowQuery(statuses: readonly string[], fields: RowFields<never>) {
  return createClosedObject({
    status: { enum: statuses },
    search: {
      type: "string",
      maxLength: 200,
      description: "Only rows with this text in the id or in another field of `sort` that is no time.",
    },
    sort: { enum: Object.keys(fields), description: "The field that orders the rows; without it, the newest comes first." },
    descending: { type: "boolean", description: "The largest value of `sort` comes first." },
    ...paging,
  });
}

/** The endpoints that list the rows of a world, of all workspaces. */
export const stateEndpoints: Endpoint[] = [
  {
    on: "GET /worlds/{id}/state",
    description: "Returns counts of a world: jobs and observations by status, and the next scheduled events.",
    status: 200,
    run: ({ worldEntry }) => showEndpoint(readState(worldEntry.world)),
  },
  {
    on: "GET /worlds/{id}/state/jobs",
    description: "Lists the jobs of every workspace, newest first.",
    status: 200,
    query: createRowQuery(contract.enums.JobStatus, jobFields),
    run: ({ worldEntry, query }) => showEndpoint(listJobs(worldEntry.world, query as RowQuery)),
  },
  {
    on: "GET /worlds/{id}/state/observations",
    description: "Lists the observations of every workspace, newest first.",
    status: 200,
    query: createRowQuery(contract.enums.ObservationStatus, observationFields),
    run: ({ worldEntry, query }) => showEndpoint(listObservations(worldEntry.world, query as RowQuery)),
  },
  {
    on: "GET /worlds/{id}/state/keys",
    description: "Lists the keys of every workspace, oldest first, each with the levels of its buckets and its spending.",
    status: 200,
    query: createClosedObject(paging),
    run: ({ worldEntry, query }) => showEndpoint(listKeys(worldEntry.world, query as Paging)),
  },
];

function readState(world: World): WorldState {
  return {
    now: formatTime(world.now),
    jobs: countBy(contract.enums.JobStatus, Object.values(world.jobs)),
    observations: countBy(contract.enums.ObservationStatus, Object.values(world.observations)),
    repos: Object.values(world.repos).filter(({ deleted_at }) => deleted_at === null).length,
    mails: world.mails.length,
    schedule: world.schedule.slice(0, maxListedRows).flatMap(listEvents).slice(0, maxListedRows),
  };
}

function listEvents(scheduled: ScheduledEvent): { at: string; event: string }[] {
  const { at, event } = scheduled;
  const runs = event === "finish-job" ? listFinishedJobs(scheduled) : [""];
  return runs.map(() => ({ at: formatTime(at), event }));
}

function countBy(statuses: readonly string[], rows: readonly { status: string }[]): Record<string, number> {
  const counts = new Map(statuses.map((status) => [status, 0]));
  for (const { status } of rows) counts.set(status, (counts.get(status) ?? 0) + 1);
  return Object.fromEntries(counts);
}

function listJobs(world: World, query: RowQuery): RowPage<JobRow> | Problem {
  const readId = ({ id }: Job) => id;
  const compare = (a: Job, b: Job) => b.created_at - a.created_at || b.serial - a.serial;
  const rows = selectRows({ world, rows: Object.values(world.jobs), readId, compare, fields: jobFields }, query);
  return cutPage(rows, readId, buildJobRow, query);
}

function listObservations(world: World, query: RowQuery): RowPage<ObservationRow> | Problem {
  const readId = ({ ref }: Observation) => ref;
  const compare = (a: Observation, b: Observation) => b.created_at - a.created_at || b.number - a.number;
  const rows = selectRows({ world, rows: Object.values(world.observations), readId, compare, fields: observationFields }, query);
  return cutPage(rows, readId, (observation) => buildObservationRow(world, observation), query);
}

/** The rows of a table, and how to read them. */
interface Table<Row> {
  world: World;
  rows: readonly Row[];
  readId(row: Row): string;
  /** The usual order: newest first. */
  compare(a: Row, b: Row): number;
  fields: RowFields<Row>;
}

/** Returns the rows of a status that have a text, in the wanted order. Rows with equal values are in the usual order. */
function selectRows<Row extends { status: string }>(
  { world, rows, readId, compare, fields }: Table<Row>,
  { status, search, sort, descending = false }: RowQuery,
): Row[] {
  const text = search?.toLowerCase();
  const readers = [readId, ...Object.values(fields)];
  const hasText = (value: string | number) => typeof value === "string" && value.toLowerCase().includes(text ?? "");
  const found = rows.filter(
    (row) =>
      (status === undefined || row.status === status) &&
      (text === undefined || readers.some((read) => hasText(read(row, world)))),
  );
  const read = sort === undefined ? undefined : fields[sort];
  if (!read) return found.sort(compare);
  const values = new Map(found.map((row) => [row, read(row, world)]));
  const sign = descending ? -1 : 1;
  return found.sort((a, b) => {
    const [one, other] = [values.get(a)!, values.get(b)!];
    return one === other ? compare(a, b) : one < other ? -sign : sign;
  });
}

function listKeys(world: World, query: Paging): RowPage<KeyRow> | Problem {
  return cutPage(
    Object.values(world.keys),
    ({ id }) => id,
    ({ id }) => buildKeyRow(world, id),
    query,
  );
}

function cutPage<Row, View>(
  rows: readonly Row[],
  idOf: (row: Row) => string,
  view: (row: Row) => View,
  { after, limit = usualLimit }: Paging,
): RowPage<View> | Problem {
  const before = after === undefined ? -1 : rows.findIndex((row) => idOf(row) === after);
  if (after !== undefined && before < 0) return { problem: `There is no row '${after}' to continue after.`, field: "after" };
  const shownRows = rows.slice(before + 1, before + 1 + limit);
  const last = shownRows.at(-1);
  const next = last !== undefined && before + 1 + limit < rows.length ? idOf(last) : null;
  return { total: rows.length, rows: shownRows.map(view), next };
}

function buildJobRow({ id, workspace, repo_name, workflow, status, retry_of, error, ...job }: Job): JobRow {
  return {
    ...{ id, workspace, repo_name, workflow, status, retry_of, error },
    created_at: formatTime(job.created_at),
    started_at: job.started_at === null ? null : formatTime(job.started_at),
    finished_at: job.finished_at === null ? null : formatTime(job.finished_at),
  };
}

function buildObservationRow({ repos }: World, observation: Observation): ObservationRow {
  const { ref, workspace, kind, status, priority, title, close_reason } = observation;
  return {
    ...{ ref, workspace, kind, status, priority, title, close_reason },
    repo: formatRepo(repos[observation.repo]),
    fix_pr: observation.fix_pr?.status ?? null,
    created_at: formatTime(observation.created_at),
    updated_at: formatTime(observation.updated_at),
  };
}

function formatRepo(repo: World["repos"][string] | undefined): string {
  return repo ? `${repo.owner}/${repo.repo}/${repo.branch}` : "";
}

function buildKeyRow(world: World, keyId: string): KeyRow {
  const key = world.keys[keyId]!;
  const workspace = world.workspaces[key.workspace]!;
  const isExpired = key.expires_at !== null && key.expires_at <= world.now;
  const isSuspended = workspace.state === "suspended";
  return {
    id: key.id,
    name: key.name,
    workspace: workspace.id,
    plan: workspace.plan,
    scopes: key.scopes,
    allowed_cidrs: key.allowed_cidrs,
    expires_at: key.expires_at === null ? null : formatTime(key.expires_at),
    dead: key.revoked_at !== null ? "revoked" : isExpired ? "expired" : isSuspended ? "suspended" : null,
    ...readKeyMeters(world, key),
  };
}

function formatTime(ms: number): string {
  return new Date(ms).toISOString();
}
