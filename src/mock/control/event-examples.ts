import { findFixInFlight } from "../../service/jobs/fix-attempts.js";
import { explainUnfixable, isInWorkflowFile } from "../../service/observations/fixes.js";
import type { Job, Observation, World } from "../../service/world/world.js";

type Examples = Record<string, Record<string, unknown>>;

/** Returns example arguments of an event for the current state of a world, by their effect. Missing resources get placeholder names. */
export function buildEventExamples(event: string, world: World): Examples {
  return (Object.hasOwn(byEvent, event) ? byEvent[event]?.(findResources(world)) : undefined) ?? { "as it is": {} };
}

/** The resources of a world to which an event can apply. */
interface WorldResources {
  workspace: string;
  suspended: string;
  repo: string;
  job: string;
  open: string;
  /** An observation with a fix job in flight. */
  fixing: string | undefined;
  /** An observation that a fix job can fix. */
  fixable: string;
  inReview: string;
  finding: string;
  key: string;
}

const byEvent: Record<string, (things: WorldResources) => Examples> = {
  "finish-job": ({ job }) => ({
    "a run succeeds": { job_id: job, outcome: "success" },
    "a run fails": { job_id: job, outcome: "failure" },
  }),
  "open-fix-pr": ({ fixing, fixable }) => ({
    ...(fixing !== undefined && { "the fix in progress gets its pull request": { ref: fixing } }),
    "a pull request without a fix job": { ref: fixable, without_job: true },
  }),
  "revise-fix-pr": ({ inReview }) => ({ "the pull request gets changes": { ref: inReview } }),
  "merge-fix-pr": ({ inReview }) => ({ "it is merged, which closes the observation": { ref: inReview } }),
  "close-fix-pr": ({ inReview }) => ({ "it is closed, which brings the observation back": { ref: inReview } }),
  find: ({ repo }) => ({
    "a finding that can be fixed": { repo },
    "an easy win": { repo, observation: { kind: "finding", priority: "P0", severity: 95, easy_win: true, needs_review: false } },
    "an observation with these fields": {
      repo,
      observation: {
        kind: "suggestion",
        category: "performance",
        domain: "data_apis",
        title: "A query runs once for every row",
        description: "Seen in the list of accounts.",
        locations: [{ file_path: "src/accounts.ts", symbol: "listAccounts", line_start: 10, line_end: 24 }],
      },
    },
  }),
  rediscover: ({ repo }) => ({ "what may come back does": { repo } }),
  "push-commit": ({ repo }) => ({ "a commit, so that the same submission is a new one": { repo } }),
  "exhaust-fix": ({ finding }) => ({
    "a finding needs review": { ref: finding },
    "and the review dismisses it": { ref: finding, dismiss: true },
  }),
  "expire-observation": ({ open }) => ({ "an observation expires": { ref: open } }),
  suspend: ({ workspace }) => ({ "the first workspace": {}, "one by name": { workspace } }),
  reactivate: ({ suspended }) => ({ "a suspended workspace": { workspace: suspended } }),
  "revoke-key": ({ key }) => ({ "a key stops working": { key_id: key } }),
  "set-credit": ({ workspace }) => ({
    "no credit: paid work gets 402": { usd: 0 },
    "100 dollars for a named workspace": { usd: 100, workspace },
  }),
  "set-spend-ceiling": ({ workspace }) => ({
    "an hour may cost a dollar: further paid work gets 429": { usd: 1 },
    "100 dollars an hour for a named workspace": { usd: 100, workspace },
  }),
  "pause-spend": ({ workspace }) => ({ "paid work is refused": { on: true }, "it goes on": { on: false, workspace } }),
  "fail-verification": () => ({
    "registrations get a 503": { on: true, retry_after: 5 },
    "registrations get a 503 without Retry-After": { on: true, retry_after: null },
    "registrations succeed again": { on: false },
  }),
  "seed-observations": ({ repo }) => ({ "500 observations of every kind": { repo, count: 500 } }),
};

function findResources(world: World): WorldResources {
  const workspaces = Object.values(world.workspaces);
  const repo = Object.values(world.repos).find(({ deleted_at }) => deleted_at === null);
  const live = new Set(Object.values(world.repos).flatMap(({ id, deleted_at }) => (deleted_at === null ? [id] : [])));
  const observation = (fits: (one: Observation) => boolean) =>
    Object.values(world.observations).find((one) => live.has(one.repo) && fits(one))?.ref ?? "SERVICE-1";
  const isOpen = ({ status, fix_pr }: Observation) => status === "new" && fix_pr === null;
  return {
    workspace: workspaces[0]?.id ?? "acme",
    suspended: workspaces.find(({ state }) => state === "suspended")?.id ?? "acme",
    repo: repo ? `${repo.owner}/${repo.repo}/${repo.branch}` : "acme/web/main",
    job: Object.values(world.jobs).find(isUnderWay)?.id ?? "job_…",
    open: observation(isOpen),
    fixing: Object.values(world.observations).find((one) => live.has(one.repo) && isOpen(one) && findFixInFlight(world, one))
      ?.ref,
    fixable: observation((one) => explainUnfixable(one) === null && !isInWorkflowFile(one)),
    inReview: observation(({ fix_pr }) => fix_pr?.status === "in_review"),
    finding: observation((one) => isOpen(one) && one.kind === "finding"),
    key: Object.values(world.keys).find(({ revoked_at }) => revoked_at === null)?.id ?? "key_full",
  };
}

function isUnderWay({ status }: Job): boolean {
  return status === "pending" || status === "running";
}
