import type { Points } from "./point.js";

/** Jobs: plans, submission, dedupe, dispatch, retries, forecasts. */
export const ofJobs: Points = {
  "PLAN-FEATURES": { "No check of the plan": { planGates: false } },
  "RETRY-INELIGIBLE": {
    "422 `invalid_request_error`": { retryIdle: "unprocessable" },
    "200 with the job itself": { retryIdle: "unchanged" },
    "403 `permission_error`": { retryIdle: "forbidden" },
  },
  "DEDUPE-WINDOW": { "A shorter window": { dedupeSeconds: 30 }, "A longer window": { dedupeSeconds: 7200 } },
  "DEDUPE-TERMINAL": { "Failed and cancelled jobs are matched too": { dedupeTerminal: true } },
  "IDEMPOTENCY-MISMATCH": {
    "409 on another body": { idempotencyOther: "conflict" },
    "422 on another body": { idempotencyOther: "unprocessable" },
    "A repeat renews the window": { idempotencyRenews: true },
    "Keys counted per API key": { idempotencyPer: "key" },
    "Keys counted per repository": { idempotencyPer: "repository" },
  },
  "DEDUPE-COMMIT": { "The commit a run resolved at its start": { commitAt: "start" } },
  "IDEMPOTENCY-BINDING": { "201 only": { idempotencyKeepsAll: false } },
  "PLAN-WORKFLOWS": {
    "Any other assignment that keeps both audits on both plans": {
      free: ["audit", "standard_audit", "discover"],
      paid: ["audit", "standard_audit", "discover", "fix", "publish", "review"],
    },
  },
  "WORKFLOW-PARAMS": {
    "Any other params": { params: { texts: "areas", fix: "observation", task: "prompt", review: "pull_request" } },
    "A body without `params` is refused": { paramsRequired: true },
  },
  "UNKNOWN-WORKFLOW": { "404": { unknownWorkflowHttp: 404 } },
  "RUN-LENGTH": {
    "Figures that past jobs do not change": { forecasts: "fixed", runSeconds: 900 },
    Percentiles: { forecasts: "percentiles", runSeconds: 20 },
    "Runs of any length": { runFactor: 0.25 },
    "Runs of every workspace count": { forecasts: "of everybody", runSeconds: 60 },
    "Other figures than those of the runs": { forecastFactor: 1.7, forecastSamples: 11 },
  },
  "DISPATCH-TICK": {
    "A few at a time": { dispatches: "a few" },
    "A queue per workspace": { dispatches: "one a workspace" },
    "As runners are free": { dispatches: "as runners are free" },
  },
  "RUN-OUTCOME": {
    "No audit finds anything": { finds: "none" },
    "A driven audit finds something too": { finds: "always" },
    "A fix that succeeds is merged at once": { prMergesOnSuccess: true },
    "A run fails by itself": { runFails: true },
  },
  "RETRY-COPY": {
    "The parent's commit": { retryCommit: "parent" },
    "Dedupe does not match a retry": { dedupesRetries: false },
  },
  "FORECAST-BANDS": { "Any other bands": { confidence: (runs) => ({ band: runs > 0 ? "fair" : "none", p: 0.5 }) } },
  "FORECAST-ROWS": {
    "Every workflow of the contract": { forecastRows: "all" },
    "Only those with past runs": { forecastRows: "past" },
  },
  "FORECAST-LOOKUP": {
    "404 for `mini_audit`": { forecastLookup: "retired is unknown" },
    "402 for a workflow outside the plan": { forecastLookup: "entitled" },
  },
  "FORECAST-LIST-SHAPE": {
    "An object keyed by workflow": {
      forecastsShape: (rows) => Object.fromEntries((rows as { workflow: string }[]).map((row) => [row.workflow, row])),
    },
  },
  "JOB-LIST-FILTERS": { "A filter by status": { jobsByStatus: true } },
  "JOB-STATUS-NAMES": {
    "Any other names": {
      jobNames: {
        ...{ submitted: "submitted", began: "began", ended: "ended" },
        ...{ failure: "failure", pull: "pull_request_url" },
      },
    },
  },
  "DISCOVERY-DELAY": { "Any delay up to two seconds": { discoveryMs: 1900 }, "No delay": { discoveryMs: 0 } },
  "DISCOVERY-DRAW": { "When the row appears": { drawAt: "row" }, "When it starts": { drawAt: "start" } },
};
