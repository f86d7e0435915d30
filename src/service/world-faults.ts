import { parseRange } from "./access.js";
import { endOf, runsOf } from "./agenda.js";
import { defaultOptions } from "./fixture.js";
import type { FixtureFault } from "./fixture-faults.js";
import type { Job, Observation, World } from "./world.js";
import { referenceFaults } from "./world-references.js";
import { relationFaults } from "./world-relations.js";

/** A mistake in a world that its JSON Schema cannot see, and where it stands. */
export type WorldFault = FixtureFault;

type Path = WorldFault["path"];

/** The rows that carry their own id. */
const tables = ["workspaces", "keys", "sessions", "repos", "jobs", "observations", "attempts"] as const;

/**
 * Finds what is wrong with a world of the schema: names that lead to nothing, numbers given out twice, times to come where something has been,
 * and values that contradict each other. None in a world that the service has made.
 */
export function worldFaults(world: World): WorldFault[] {
  return [
    ...optionFaults(world),
    ...referenceFaults(world),
    ...identityFaults(world),
    ...relationFaults(world),
    ...serialFaults(world),
    ...timeFaults(world),
    ...repoFaults(world),
    ...Object.values(world.jobs).flatMap((job) => jobFaults(world, job)),
    ...Object.values(world.observations).flatMap(observationFaults),
    ...keyFaults(world),
    ...workspaceFaults(world),
    ...agendaFaults(world),
  ];
}

/** A row stands under its own id, and is of its repository's workspace. */
function identityFaults(world: World): WorldFault[] {
  const misplaced = tables.flatMap((table) =>
    Object.entries(world[table]).flatMap(([id, row]) => {
      const field = table === "observations" ? "ref" : "id";
      const own = (row as unknown as Record<string, unknown>)[field];
      return own === id ? [] : [fault([table, id, field], `It stands under ${id}, so it must be that.`)];
    }),
  );
  const strayed = (["jobs", "observations"] as const).flatMap((table) =>
    Object.entries(world[table]).flatMap(([id, { repo, workspace }]) => {
      const owner = world.repos[repo]?.workspace;
      return owner === undefined || owner === workspace
        ? []
        : [fault([table, id, "workspace"], `Its repository ${repo} is of the workspace ${owner}.`)];
    }),
  );
  return [...misplaced, ...strayed];
}

/** Every option is there that a world has. */
function optionFaults({ options }: World): WorldFault[] {
  const missing = Object.keys(defaultOptions).filter((name) => !Object.hasOwn(options, name));
  return missing.map((name) => fault(["options", name], "It is missing."));
}

/** Every number was given out once, and none beyond the last. */
function serialFaults(world: World): WorldFault[] {
  return [
    ...countFaults(
      world,
      "repo",
      Object.entries(world.repos).map(([id, { serial }]) => [["repos", id, "serial"], serial]),
    ),
    ...countFaults(
      world,
      "job_row",
      Object.entries(world.jobs).map(([id, { serial }]) => [["jobs", id, "serial"], serial]),
    ),
    ...countFaults(
      world,
      "observation",
      Object.entries(world.observations).map(([id, { number }]) => [["observations", id, "number"], number]),
    ),
    ...countFaults(
      world,
      "appointment",
      world.agenda.map(({ serial }, i) => [["agenda", i, "serial"], serial]),
    ),
    ...["job", "attempt"].flatMap((kind) => {
      const table = kind === "job" ? "jobs" : "attempts";
      const rows = Object.keys(world[table]).map((id): [Path, number] => [[table, id, "id"], serialOfId(id)]);
      return countFaults(world, kind, rows);
    }),
  ];
}

function countFaults(world: World, kind: string, given: [Path, number][]): WorldFault[] {
  const last = world.serials[kind] ?? 0;
  const seen = new Set<number>();
  return given.flatMap(([path, serial]) => {
    const isTwice = seen.has(serial);
    seen.add(serial);
    if (isTwice) return [fault(path, `The number ${serial} of a ${kind} was given out before.`)];
    return serial >= 1 && serial <= last ? [] : [fault(path, `Of serials.${kind} only 1 to ${last} were given out.`)];
  });
}

/** The number in an id such as `job_7h2k9d00012`; NaN where there is none. */
function serialOfId(id: string): number {
  const digits = /^[a-z]+_[0-9a-z]{6}([0-9a-v]{5,})$/.exec(id)?.[1];
  return digits === undefined ? Number.NaN : Number.parseInt(digits, 32);
}

/** What has been is not to come. */
function timeFaults(world: World): WorldFault[] {
  const past = [
    "created_at",
    "updated_at",
    "started_at",
    "finished_at",
    "acknowledged_at",
    "resolved_at",
    "deleted_at",
    "revoked_at",
  ];
  const rows = (["keys", "repos", "jobs", "observations", "attempts"] as const).flatMap((table) =>
    Object.entries(world[table]).flatMap(([id, row]) =>
      past.flatMap((field) => {
        const at = (row as unknown as Record<string, unknown>)[field];
        if (typeof at !== "number") return [];
        if (at > world.now) return [toCome([table, id, field])];
        return at < row.created_at ? [fault([table, id, field], "It is earlier than created_at.")] : [];
      }),
    ),
  );
  const submissions = Object.entries(world.submissions).flatMap(([id, { at }]) =>
    at > world.now ? [toCome(["submissions", id, "at"])] : [],
  );
  const mails = world.mails.flatMap(({ at }, i) => (at > world.now ? [toCome(["mails", i, "at"])] : []));
  const windows = Object.entries(world.rates).flatMap(([key, buckets]) =>
    Object.entries(buckets).flatMap(([bucket, { since }]) =>
      since > world.now ? [toCome(["rates", key, bucket, "since"])] : [],
    ),
  );
  const spending = Object.entries(world.spend).flatMap(([id, { since }]) =>
    since > world.now ? [toCome(["spend", id, "since"])] : [],
  );
  const epoch = world.epoch > world.now ? [toCome(["epoch"])] : [];
  return [...epoch, ...rows, ...submissions, ...mails, ...windows, ...spending];
}

/** The times of a job are those of its status, and its repository's name is its own. JOB-FIELD-STATUS. */
function jobFaults(world: World, job: Job): WorldFault[] {
  const { id, status, started_at, finished_at, repo, repo_name, error, failure_classification } = job;
  const at = (field: keyof Job, problem: string) => fault(["jobs", id, field], problem);
  const faults: WorldFault[] = [];
  const slug = world.repos[repo]?.slug;
  if (slug !== undefined && slug !== repo_name) faults.push(at("repo_name", `Its repository is called ${slug}.`));
  const runs = status === "running";
  const ends = status !== "pending" && !runs;
  if (started_at === null && status !== "pending" && status !== "cancelled")
    faults.push(at("started_at", `A ${status} job has started.`));
  if (status === "pending" && started_at !== null) faults.push(at("started_at", "A pending job has not started."));
  if (ends !== (finished_at !== null))
    faults.push(at("finished_at", ends ? `A ${status} job has ended.` : `A ${status} job has not ended.`));
  for (const [field, value] of Object.entries({ error, failure_classification }))
    if ((status === "failed") !== (value !== null))
      faults.push(at(field as "error", "It is there when the job has failed, and only then."));
  return faults;
}

/** A closed observation says why and since when, an open one nothing of it. OBS-FIELD-CLOSE-ONLY. */
function observationFaults(observation: Observation): WorldFault[] {
  const { ref, number, status, close_reason, resolved_at, dismissal_category, dismissal_note } = observation;
  const at = (field: keyof Observation, problem: string) => fault(["observations", ref, field], problem);
  const faults: WorldFault[] = [];
  if (ref !== `SERVICE-${number}`) faults.push(at("number", `The number of ${ref} is in its reference.`));
  const isClosed = status === "closed";
  if (isClosed !== (close_reason !== null))
    faults.push(at("close_reason", "It is there when the observation is closed, and only then."));
  if (isClosed !== (resolved_at !== null))
    faults.push(at("resolved_at", "It is there when the observation is closed, and only then."));
  for (const [field, value] of Object.entries({ dismissal_category, dismissal_note }))
    if ((close_reason === "dismissed") !== (value !== null))
      faults.push(at(field as "dismissal_note", "It is there when the observation was dismissed, and only then."));
  return faults;
}

function keyFaults(world: World): WorldFault[] {
  const prefix = world.id === "default" ? "mock_" : `mock_${world.id}_`;
  const tokens = new Set<string>();
  const keys = Object.values(world.keys).flatMap(({ id, token, allowed_cidrs }) => {
    const at = (field: string, problem: string) => [fault(["keys", id, field], problem)];
    const ranges = (allowed_cidrs ?? []).flatMap((range, i) =>
      parseRange(range) ? [] : [fault(["keys", id, "allowed_cidrs", i], `${range} is neither a CIDR range nor a host address.`)],
    );
    if (!token.startsWith(prefix)) return [...ranges, ...at("token", `A key of the world ${world.id} begins with ${prefix}.`)];
    if (tokens.has(token)) return [...ranges, ...at("token", "Another key has the same token.")];
    tokens.add(token);
    return ranges;
  });
  const sessions = Object.values(world.sessions).flatMap(({ id, token }) =>
    token === (world.id === "default" ? id : `${world.id}_${id}`)
      ? []
      : [fault(["sessions", id, "token"], `The cookie of a session is its name, in a world of its own behind ${world.id}_.`)],
  );
  return [...keys, ...sessions];
}

function repoFaults(world: World): WorldFault[] {
  const live = new Set<string>();
  return Object.values(world.repos).flatMap(({ id, workspace, owner, repo, branch, slug, deleted_at }) => {
    if (slug !== `${repo}@${branch}`) return [fault(["repos", id, "slug"], `It is ${repo}@${branch}.`)];
    const triple = JSON.stringify([workspace, owner, repo, branch]);
    if (deleted_at !== null) return [];
    if (live.has(triple)) return [fault(["repos", id, "branch"], `${owner}/${repo}/${branch} is there twice in its workspace.`)];
    live.add(triple);
    return [];
  });
}

function workspaceFaults({ workspaces }: World): WorldFault[] {
  return Object.values(workspaces).flatMap(({ id, state, suspended_at }) =>
    (state === "suspended") === (suspended_at !== null)
      ? []
      : [fault(["workspaces", id, "suspended_at"], "It is there while the workspace is suspended, and only then.")],
  );
}

/** Soonest first, and a running job's end where it will be. */
function agendaFaults(world: World): WorldFault[] {
  const disorder = world.agenda.flatMap(({ at }, i) =>
    at < (world.agenda[i - 1]?.at ?? at) ? [fault(["agenda", i, "at"], "What comes before it is later.")] : [],
  );
  const ends = world.agenda.flatMap((appointment, i) => {
    if (appointment.event !== "finish-job") return [];
    return runsOf(appointment).flatMap((id) => {
      const job = world.jobs[id];
      if (!job) return [];
      const field = "jobs" in appointment ? "jobs" : "job";
      if (job.status !== "running") return [fault(["agenda", i, field], `${id} is ${job.status}, so it cannot end.`)];
      return appointment.at === endOf(job)
        ? []
        : [fault(["agenda", i, "at"], `${id} ends ${job.seconds} seconds behind its started_at.`)];
    });
  });
  const planned = new Set(world.agenda.flatMap((one) => (one.event === "finish-job" ? runsOf(one) : [])));
  const endless = Object.values(world.jobs).filter(
    ({ id, status }) => world.options.work === "time" && status === "running" && !planned.has(id),
  );
  return [
    ...disorder,
    ...ends,
    ...endless.map(({ id }) => fault(["jobs", id, "status"], "It runs, and no end of it is on the agenda.")),
  ];
}

function toCome(path: Path): WorldFault {
  return fault(path, "This time is to come: it is later than `now`.");
}

function fault(path: Path, problem: string): WorldFault {
  return { path, problem };
}
