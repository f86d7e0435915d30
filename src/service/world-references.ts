import { contract } from "../contract/load.js";
import type { FixtureFault } from "./fixture-faults.js";
import type { Appointment, World } from "./world.js";

type Path = FixtureFault["path"];
type Table = "workspaces" | "keys" | "repos" | "jobs" | "observations" | "attempts";

/** A name in a world that leads to a row, and whether that may have been dropped by a reset since. */
interface Reference {
  path: Path;
  to: Table;
  id: string | null;
  mayBeGone?: true;
}

/** What an appointment is about. */
const subjects: Record<Appointment["event"], { field: "job" | "repo" | "key"; many?: "jobs"; to: Table } | null> = {
  dispatch: null,
  "finish-job": { field: "job", many: "jobs", to: "jobs" },
  "enqueue-discovery": { field: "repo", to: "repos" },
  "warn-key-expiry": { field: "key", to: "keys" },
};
const bucketNames: readonly string[] = ["key", "plan", "mcp", ...Object.keys(contract.limits.buckets)];

/** Finds the names in a world that lead to nothing. */
export function referenceFaults(world: World): FixtureFault[] {
  const dangling = referencesOf(world).filter((reference) => !leads(world, reference));
  return [
    ...dangling.map(({ path, to, id }) => ({ path, problem: `There is no ${id} in ${to}.` })),
    ...agendaSubjects(world),
    ...windowFaults(world),
  ];
}

function leads(world: World, { to, id, mayBeGone }: Reference): boolean {
  if (id === null || Object.hasOwn(world[to], id)) return true;
  return mayBeGone === true && wasGivenOut(world, to, id);
}

/** Whether an id is that of a row that was there once: well formed, of a number given out, and of none that another row has. */
function wasGivenOut(world: World, to: Table, id: string): boolean {
  if (to === "observations") return isWithin(/^SERVICE-([1-9]\d*)$/.exec(id)?.[1], 10, world.serials.observation);
  const digits = /^job_[0-9a-z]{6}([0-9a-v]{5,})$/.exec(id)?.[1];
  const isTaken = Object.keys(world.jobs).some((other) => other.endsWith(digits ?? "") && other.length === id.length);
  return !isTaken && isWithin(digits, 32, world.serials.job);
}

function isWithin(digits: string | undefined, radix: number, last = 0): boolean {
  const number = Number.parseInt(digits ?? "", radix);
  return number >= 1 && number <= last;
}

function referencesOf(world: World): Reference[] {
  const { keys, sessions, repos, jobs, observations, attempts, submissions } = world;
  const ofWorkspace = Object.entries({ keys, sessions, repos, jobs, observations }).flatMap(([table, rows]) =>
    Object.entries<{ workspace: string }>(rows).map(
      ([id, { workspace }]): Reference => ({ path: [table, id, "workspace"], to: "workspaces", id: workspace }),
    ),
  );
  const ofRepo = Object.entries({ jobs, observations }).flatMap(([table, rows]) =>
    Object.entries<{ repo: string; attempt: string | null }>(rows).flatMap(([id, { repo, attempt }]): Reference[] => [
      { path: [table, id, "repo"], to: "repos", id: repo },
      { path: [table, id, "attempt"], to: "attempts", id: attempt },
    ]),
  );
  const ofJobs = Object.values(jobs).flatMap(({ id, retry_of, retried_by }): Reference[] => [
    { path: ["jobs", id, "retry_of"], to: "jobs", id: retry_of, mayBeGone: true },
    { path: ["jobs", id, "retried_by"], to: "jobs", id: retried_by, mayBeGone: true },
  ]);
  const ofAttempts = Object.values(attempts).flatMap(({ id, observation, job }): Reference[] => [
    { path: ["attempts", id, "observation"], to: "observations", id: observation, mayBeGone: true },
    { path: ["attempts", id, "job"], to: "jobs", id: job, mayBeGone: true },
  ]);
  const ofSubmissions = Object.entries(submissions).flatMap(([name, { job }]): Reference[] => [
    { path: ["submissions", name], to: "workspaces", id: name.slice(0, Math.max(0, name.indexOf(" "))) },
    { path: ["submissions", name, "job"], to: "jobs", id: job, mayBeGone: true },
  ]);
  return [...ofWorkspace, ...ofRepo, ...ofJobs, ...ofAttempts, ...ofSubmissions];
}

/** An appointment names what it is about, and nothing else. */
function agendaSubjects(world: World): FixtureFault[] {
  return world.agenda.flatMap((appointment, i) => {
    const subject = subjects[appointment.event];
    const given = appointment as Partial<Record<"job" | "jobs" | "repo" | "key", string | string[]>>;
    const field = subject?.many && given[subject.many] !== undefined ? subject.many : subject?.field;
    const extra = (["job", "jobs", "repo", "key"] as const).find((name) => name !== field && given[name] !== undefined);
    if (extra) return [{ path: ["agenda", i, extra], problem: `'${appointment.event}' is about no ${extra}.` }];
    if (!subject || !field) return [];
    const ids = [given[field] ?? []].flat();
    return ids.length > 0 && ids.every((id) => Object.hasOwn(world[subject.to], id))
      ? []
      : [{ path: ["agenda", i, field], problem: `'${appointment.event}' is about one of ${subject.to}.` }];
  });
}

function windowFaults({ rates, spend, keys, workspaces }: World): FixtureFault[] {
  const faults: FixtureFault[] = [];
  for (const [key, windows] of Object.entries(rates)) {
    if (!Object.hasOwn(keys, key)) faults.push({ path: ["rates", key], problem: `There is no key ${key}.` });
    for (const bucket of Object.keys(windows))
      if (!bucketNames.includes(bucket))
        faults.push({
          path: ["rates", key, bucket],
          problem: `There is no bucket ${bucket}; there are ${bucketNames.join(", ")}.`,
        });
  }
  for (const id of Object.keys(spend))
    if (!Object.hasOwn(workspaces, id) && !Object.hasOwn(keys, id))
      faults.push({ path: ["spend", id], problem: `There is no workspace or key ${id}.` });
  return faults;
}
