import type { Job, Repo, World } from "../../src/service/world/world.js";
import { changing, each } from "./family.js";
import { type Fault, type Mutant, routeOf, type Shown } from "./mutant.js";

/** Faults in jobs that begin with one kind of request: they never leave `pending`. */
export const beginningMutants: Mutant[] = each(
  "JOB-STATE-DISPATCH",
  "beginning of a job",
  "leaves a job pending that began with a *",
  {
    rest: (beginning) => stuck("rest", beginning),
    mcp: (beginning) => stuck("mcp", beginning),
  },
);

function stuck(surface: "rest" | "mcp", beginning: string): Fault {
  const byTool = new WeakSet<Job | Repo>();
  const forced = new WeakSet<Job | Repo>();
  const isMeant = (world: World, job: Job | undefined) =>
    job !== undefined &&
    (byTool.has(job) || (isOfRegistration(job) && byTool.has(world.repos[job.repo]!)) ? "mcp" : "rest") === surface &&
    (forced.has(job) ? "forced submission" : beginningOf(job)) === beginning;
  const waiting = (world: World, shown: Shown): Shown => {
    if (Array.isArray(shown?.data)) return { ...shown, data: shown.data.map((row: Shown) => waiting(world, row)) };
    const hasBegun = ["running", "completed", "failed"].includes(String(shown?.status));
    return hasBegun && isMeant(world, world.jobs[String(shown.id)]) ? { ...shown, status: "pending" } : shown;
  };
  return {
    aroundTool: (world, call, performTool) => noting(world, byTool, () => performTool(world, call)),
    around: (world, call, perform) =>
      changing(
        ({ status }) => status < 300 && routeOf(call) !== null,
        (reply) => ({ ...reply, body: waiting(world, reply.body as Shown) }),
      )(world, call, () => noting(world, call.query.force ? forced : new WeakSet(), () => perform(world, call))),
  };
}

function isOfRegistration({ workflow, retry_of }: Job): boolean {
  return workflow === "discover" && retry_of === null;
}

function beginningOf(job: Job): string {
  if (job.retry_of !== null) return "retry";
  if (job.workflow === "fix") return "fix";
  return isOfRegistration(job) ? "registration" : "submission";
}

/** Does something, and notes the jobs and repositories that are there because of it. */
function noting<T>(world: World, made: WeakSet<Job | Repo>, act: () => T): T {
  const all = () => [...Object.values(world.jobs), ...Object.values(world.repos)];
  const before = new Set(all());
  const done = act();
  for (const one of all()) if (!before.has(one)) made.add(one);
  return done;
}
