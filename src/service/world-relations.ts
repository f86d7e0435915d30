import type { FixtureFault } from "./fixture-faults.js";
import type { World } from "./world.js";

/** Finds rows of a world that speak of each other and do not agree: retries and their parents, attempts and what they are about. */
export function relationFaults({ jobs, attempts, observations }: World): FixtureFault[] {
  const retries = Object.values(jobs).flatMap(({ id, retry_of, retried_by }): FixtureFault[] => {
    const parent = retry_of === null ? undefined : jobs[retry_of];
    const child = retried_by === null ? undefined : jobs[retried_by];
    return [
      ...(parent?.retried_by === null ? [{ path: ["jobs", parent.id, "retried_by"], problem: `${id} is a retry of it.` }] : []),
      ...(child && child.retry_of !== id
        ? [{ path: ["jobs", child.id, "retry_of"], problem: `${id} says that it was retried by it.` }]
        : []),
    ];
  });
  const works = Object.values(attempts).flatMap(({ id, job }) =>
    jobs[job] && jobs[job].attempt !== id
      ? [{ path: ["jobs", job, "attempt"], problem: `The attempt ${id} says that this job works for it.` }]
      : [],
  );
  const subjects = Object.values(observations).flatMap(({ ref, attempt }) => {
    const about = attempt === null ? undefined : attempts[attempt]?.observation;
    return about === undefined || about === ref
      ? []
      : [{ path: ["observations", ref, "attempt"], problem: `${attempt} is an attempt at ${about}.` }];
  });
  return [...retries, ...works, ...subjects];
}
