import type { ResponseText, Row, Step } from "../../engine/scenario/format.js";
import type { HookEffect } from "../../engine/target/rules.js";
import {
  createCancelledJob,
  createKeyStep,
  REGISTRATION,
  SPARE,
  SPARE_SLUG,
  startedJob,
  waitForStatus,
} from "../statements/setup-steps.js";

const POLLING = { within: "10s", every: "1s" } as const;
const SAME_KIND = { kind: "finding", category: "correctness" } as const;
/** A finding of this check alone, saved as `{ref}`. */
const step: Step = {
  drive: "find",
  with: { repo: "{repo}", observation: { ...SAME_KIND, title: "Checked {unique}" } },
  save: { ref: "/result/ref" },
};
const completeStep: Step = { rest: "POST /api/observations/{ref}/complete", json: {} };
const registeredStep: Step = { rest: "POST /api/repos", json: REGISTRATION };
const addRef = (drive: string): Step => ({ drive, with: { ref: "{ref}" } });
const submission: Step = {
  rest: "POST /api/repos/{repo}/jobs",
  query: { force: "true" },
  json: { workflow: "audit", params: {} },
  retry: false,
};
const job: Step = { rest: "GET /api/jobs/{job}" };
const observation: Step = { rest: "GET /api/observations/{ref}" };
const expectJobStatus = (status: unknown): ResponseText => ({ status: 200, json: { status } });
const expectClosed = (reason: string): ResponseText => ({ status: 200, json: { status: "closed", close_reason: reason } });
const newResponse: ResponseText = { status: 200, json: { status: "new" } };
const createListStep = (query: string): Step => ({ rest: `GET /api/observations?${query}`, allPages: true, pageSize: "largest" });
const expectListed = (row: Row): ResponseText => ({ status: 200, json: { data: { contains: row } } });
const expectUnlisted = (row: Row): ResponseText => ({ status: 200, json: { data: { not: { contains: row } } } });
const repos: Step = { rest: "GET /api/repos?limit=1" };
const acceptedResponseText: ResponseText = { status: 200 };
const rejectedResponseText: ResponseText = { status: 401 };
/** Refuses paid work: for credit, a ceiling or paused spending. */
const refusedPayment: ResponseText = { status: [402, 429] };
const responseText: ResponseText = { status: "2xx" };

/** Ends a job with an outcome. The job starts as pending or running. */
function createFinished(outcome: "success" | "failure", status: "completed" | "failed"): HookEffect {
  return {
    says: `a job that ends in ${outcome} reads ${status}`,
    setup: [startedJob],
    event: { drive: "finish-job", with: { job_id: "{job}", outcome } },
    shown: { ...job, until: POLLING },
    before: expectJobStatus({ in: ["pending", "running"] }),
    after: expectJobStatus(status),
  };
}

/** The effects of each hook on what callers see. A hook that does nothing, or something else, does not show them. */
export const hookEffects: Readonly<Record<string, readonly HookEffect[]>> = {
  clock: [
    {
      says: "an observation that is found 2 hours later is in the list since the last hour of clock.now",
      needs: ["worlds"],
      setup: [step],
      event: { clock: { by: "2h" } },
      afterwards: [
        {
          drive: "find",
          with: { repo: "{repo}", observation: { ...SAME_KIND, title: "Later {unique}" } },
          save: { later: "/result/ref" },
        },
      ],
      shown: createListStep("repo={slug}&since={now-1h}"),
      isUnsafeBefore: true,
      before: expectUnlisted({ ref: "{later}" }),
      after: expectListed({ ref: "{later}" }),
      finally: [completeStep, { ...completeStep, rest: "POST /api/observations/{later}/complete" }],
    },
  ],
  "drive.finish-job": [createFinished("success", "completed"), createFinished("failure", "failed")],
  "drive.find": [
    {
      says: "the list of open observations has a new one with the given title and kind",
      setup: [],
      event: step,
      shown: { ...createListStep("repo={slug}&status=new"), until: POLLING },
      before: expectUnlisted({ title: "Checked {unique}" }),
      after: expectListed({ ref: "{ref}", title: "Checked {unique}", kind: "finding", category: "correctness" }),
      finally: [completeStep],
    },
  ],
  "drive.open-fix-pr": [
    {
      says: "the observation is in the list has_fix_pr=true",
      setup: [step],
      event: addRef("open-fix-pr"),
      shown: { ...createListStep("repo={slug}&has_fix_pr=true"), until: POLLING },
      before: expectUnlisted({ ref: "{ref}" }),
      after: expectListed({ ref: "{ref}" }),
      finally: [completeStep],
    },
  ],
  "drive.merge-fix-pr": [
    {
      says: "the observation is closed as fixed",
      setup: [step, addRef("open-fix-pr")],
      event: addRef("merge-fix-pr"),
      shown: { ...observation, until: POLLING },
      before: newResponse,
      after: expectClosed("fixed"),
      finally: [completeStep],
    },
  ],
  "drive.close-fix-pr": [
    {
      says: "the observation is in the list of new ones again",
      setup: [step, addRef("open-fix-pr")],
      event: addRef("close-fix-pr"),
      shown: { ...createListStep("repo={slug}&status=new"), until: POLLING },
      before: expectUnlisted({ ref: "{ref}" }),
      after: expectListed({ ref: "{ref}", status: "new" }),
      finally: [completeStep],
    },
  ],
  "drive.rediscover": [
    {
      says: "an observation that was dismissed as stale is open again, or a new one has its title",
      setup: [
        registeredStep,
        { ...step, with: { repo: SPARE, observation: { ...SAME_KIND, title: "Checked {unique}" } } },
        {
          rest: "POST /api/observations/{ref}/dismiss",
          json: { dismissal_category: "stale", dismissal_note: "Closed for a while by the runner." },
        },
      ],
      event: { drive: "rediscover", with: { repo: SPARE } },
      shown: { ...createListStep(`repo=${SPARE_SLUG}&status=new`), until: POLLING },
      before: expectUnlisted({ title: "Checked {unique}" }),
      after: expectListed({ title: "Checked {unique}", status: "new" }),
    },
  ],
  "drive.expire-observation": [
    {
      says: "the observation is closed as expired",
      setup: [step],
      event: addRef("expire-observation"),
      shown: { ...observation, until: POLLING },
      before: newResponse,
      after: expectClosed("expired"),
      finally: [completeStep],
    },
  ],
  "drive.exhaust-fix": [
    {
      says: "the observation is in the list needs_review=true",
      setup: [step],
      event: addRef("exhaust-fix"),
      shown: { ...createListStep("repo={slug}&needs_review=true"), until: POLLING },
      before: expectUnlisted({ ref: "{ref}" }),
      after: expectListed({ ref: "{ref}" }),
      finally: [completeStep],
    },
  ],
  "drive.push-commit": [
    {
      says: "a submission gets a new job instead of the one that completed on the commit before",
      setup: [
        registeredStep,
        { rest: `POST /api/repos/${SPARE}/jobs`, json: { workflow: "standard_audit", params: {} }, save: { job: "/id" } },
        { drive: "finish-job", with: { job_id: "{job}", outcome: "success" } },
        waitForStatus("completed"),
      ],
      event: { drive: "push-commit", with: { repo: SPARE } },
      shown: { rest: `POST /api/repos/${SPARE}/jobs`, json: { workflow: "standard_audit", params: {} }, retry: false },
      before: { status: 200, json: { id: "{job}" } },
      after: { status: 201, json: { id: { not: "{job}" } } },
    },
  ],
  "drive.seed-observations": [
    {
      says: "the list of the repository has observations",
      setup: [registeredStep],
      event: { drive: "seed-observations", with: { repo: SPARE, count: 100 } },
      shown: { rest: `GET /api/observations?repo=${SPARE_SLUG}&status=new`, until: POLLING },
      before: { status: 200, json: { data: { length: 0 } } },
      after: { status: 200, json: { data: { length: { gte: 1 } } } },
    },
  ],
  "drive.revoke-key": [
    {
      says: "the key is refused with 401",
      setup: [createKeyStep(["view_repositories"])],
      event: { drive: "revoke-key", with: { key_id: "{key_id}" } },
      shown: { ...repos, as: "mine", until: POLLING },
      before: acceptedResponseText,
      after: rejectedResponseText,
    },
  ],
  "drive.suspend": [
    {
      says: "the key of the workspace is refused with 401",
      needs: ["worlds"],
      setup: [],
      event: { drive: "suspend" },
      shown: { ...repos, until: POLLING },
      before: acceptedResponseText,
      after: rejectedResponseText,
    },
  ],
  "drive.reactivate": [
    {
      says: "the key of the suspended workspace is accepted again",
      needs: ["worlds"],
      setup: [{ drive: "suspend" }],
      event: { drive: "reactivate" },
      shown: { ...repos, until: POLLING },
      before: rejectedResponseText,
      after: acceptedResponseText,
    },
  ],
  "drive.set-credit": [
    {
      says: "a submission without credit is refused with 402 or 429",
      needs: ["worlds"],
      setup: createCancelledJob(),
      event: { drive: "set-credit", with: { usd: 0 } },
      shown: submission,
      isUnsafeBefore: true,
      before: responseText,
      after: refusedPayment,
    },
  ],
  "drive.set-spend-ceiling": [
    {
      says: "a submission above the ceiling is refused with 402 or 429",
      needs: ["worlds"],
      setup: [
        { rest: "GET /api/forecasts/lookup?workflow=audit", given: { status: 200, json: { cost_low: { gt: 0.01 } } } },
        startedJob,
        { drive: "finish-job", with: { job_id: "{job}", outcome: "success" } },
        waitForStatus("completed"),
      ],
      event: { drive: "set-spend-ceiling", with: { usd: 0.01 } },
      shown: submission,
      isUnsafeBefore: true,
      before: responseText,
      after: refusedPayment,
    },
  ],
  "drive.pause-spend": [
    {
      says: "a submission is refused while spending is paused",
      needs: ["worlds"],
      setup: createCancelledJob(),
      event: { drive: "pause-spend", with: { on: true } },
      shown: submission,
      isUnsafeBefore: true,
      before: responseText,
      after: refusedPayment,
    },
  ],
  "drive.fail-verification": [
    {
      says: "a registration is answered with 503",
      needs: ["worlds"],
      setup: [],
      event: { drive: "fail-verification", with: { on: true } },
      shown: { ...registeredStep, retry: false },
      isUnsafeBefore: true,
      before: responseText,
      after: { status: 503 },
      finally: [{ drive: "fail-verification", with: { on: false } }],
    },
  ],
};
