import { mutantPerValue } from "./family.js";
import { jobById } from "./helpers/jobs.js";
import { submitRoute } from "./helpers/routes.js";
import { getRepo, type Mutant, withTemporaryFields, wrapRoute } from "./mutant.js";

const timesSent = new WeakMap<object, number>();

let moves = 0;

/** Mutants that break a clause of IDEMPOTENCY-ENDED-*, IDEMPOTENCY-EXPIRED-*, IDEMPOTENCY-MATCH-*, IDEMPOTENCY-OTHER-* or IDEMPOTENCY-WINDOW-*. */
export const jobIdempotencyMutants: Mutant[] = [
  {
    name: "enqueues a second job for a repeated Idempotency-Key instead of answering the first",
    breaks: "IDEMPOTENCY-MATCH",
    around: (world, call, perform) => perform(world, { ...call, idempotencyKey: undefined }),
  },
  {
    name: "forgets an Idempotency-Key after an hour instead of a day",
    breaks: "IDEMPOTENCY-WINDOW",
    around(world, call, perform) {
      for (const [key, seen] of Object.entries(world.submissions)) {
        if (world.now > seen.at + 3_600_000) delete world.submissions[key];
      }
      return perform(world, call);
    },
  },
  {
    name: "keeps an Idempotency-Key for ever instead of a day",
    breaks: "IDEMPOTENCY-EXPIRED",
    around(world, call, perform) {
      for (const submission of Object.values(world.submissions)) submission.at = world.now;
      return perform(world, call);
    },
  },
  {
    name: "keeps an Idempotency-Key for a day from the end of its job instead of from its first use",
    breaks: "IDEMPOTENCY-EXPIRED",
    around(world, call, perform) {
      for (const submission of Object.values(world.submissions))
        submission.at = world.jobs[submission.job]?.finished_at ?? submission.at;
      return perform(world, call);
    },
  },
  ...mutantPerValue(
    "IDEMPOTENCY-ENDED",
    "retryable status",
    "forgets an Idempotency-Key when its job is * instead of keeping it",
    (status) => (world, call, perform) => {
      for (const [key, { job }] of Object.entries(world.submissions)) {
        if (world.jobs[job]?.status === status) delete world.submissions[key];
      }
      return perform(world, call);
    },
  ),
  {
    name: "starts identical work for a new Idempotency-Key instead of answering the job in flight",
    breaks: "IDEMPOTENCY-OTHER-KEY",
    around: wrapRoute(submitRoute, (world, call, perform) => {
      const isKnown = Object.keys(world.submissions).some((seen) => seen.endsWith(` ${call.idempotencyKey}`));
      if (call.idempotencyKey === undefined || isKnown) return perform(world, call);
      return withTemporaryFields(getRepo(world, call), { head_commit: `moved ${moves++} times` }, () => perform(world, call));
    }),
  },
  {
    name: "answers a repeated Idempotency-Key only twice instead of every time",
    breaks: "IDEMPOTENCY-MATCH",
    around: wrapRoute(submitRoute, (world, call, perform) => {
      const name = Object.keys(world.submissions).find((known) => known.endsWith(` ${call.idempotencyKey}`));
      const submission = name === undefined ? undefined : world.submissions[name];
      if (!submission || name === undefined) return perform(world, call);
      const times = (timesSent.get(submission) ?? 0) + 1;
      timesSent.set(submission, times);
      if (times > 2) delete world.submissions[name];
      return perform(world, call);
    }),
  },
  {
    name: "forgets the Idempotency-Key of a retried job instead of keeping it",
    breaks: "IDEMPOTENCY-ENDED",
    around: wrapRoute(submitRoute, (world, call, perform) => {
      for (const [name, { job: id }] of Object.entries(world.submissions))
        if (jobById(world, id)?.retried_by && jobById(world, id)?.status === "failed") delete world.submissions[name];
      return perform(world, call);
    }),
  },
  {
    name: "remembers an Idempotency-Key from its first day only instead of each new use",
    breaks: "IDEMPOTENCY-MATCH",
    around: wrapRoute(submitRoute, (world, call, perform) => {
      const before = { ...world.submissions };
      const response = perform(world, call);
      for (const [name, submission] of Object.entries(before)) world.submissions[name] ??= submission;
      for (const [name, { at }] of Object.entries(before)) {
        const now = world.submissions[name];
        if (now && now.at !== at) now.at = at;
      }
      return response;
    }),
  },
];
