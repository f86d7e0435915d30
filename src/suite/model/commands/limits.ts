import type { Step } from "../../../engine/scenario/format.js";
import { pathBuckets } from "../../statements/buckets.js";
import { roles } from "../../statements/roles.js";
import type { Command } from "../command.js";
import { coverErrorCode } from "../coverage.js";
import { type Contradiction, type ModelRun, readClock, sendStep } from "../model-run.js";
import { createRefusalRules, createRequirement } from "../rules/branch.js";
import { findAddress } from "../rules/repository-address.js";
import { forgetRepository, type States } from "../rules/states.js";
import { listRegisteredRepos } from "./choices.js";

/** A limit, and the request that counts against it. */
interface Limit {
  name: string;
  clause: string;
  /** Requests per minute. */
  rpm: number;
  step: Step;
  /** Returns the states after an accepted request. */
  served: (states: States) => States;
}

/**
 * Uses up an unused bucket of N requests. BUCKET-ENFORCED: the first N are accepted, and one of 2N + 2 is refused. RETRY-AFTER-HELPS: a request
 * after the wait is accepted.
 */
async function exceedLimit(modelRun: ModelRun, { name, clause, rpm, step, served }: Limit): Promise<Contradiction> {
  const { sut } = modelRun;
  if (!sut.fresh || modelRun.states.suspended || modelRun.usedBuckets.has(name)) return undefined;
  modelRun.usedBuckets.add(name);
  const limit = [
    ...createRefusalRules([clause, "BUCKET-ENFORCED"], 429, { type: "rate_limit_error" }),
    createRequirement("BUCKET-CODE", { json: { error: { code: "rate_limit_qps" } } }),
    createRequirement("RETRY-AFTER-429", { headers: { "retry-after": { matches: "^[1-9][0-9]*$" } } }),
  ];
  const passes = [createRequirement([clause, "BUCKET-ENFORCED"], { status: { not: 429 } })];
  for (let sent = 1; sent <= 2 * rpm + 2; sent++) {
    const branches = (states: States) => [
      ...(sent === 2 * rpm + 2 ? [] : [{ requirements: passes, next: served(states) }]),
      ...(sent <= rpm ? [] : [{ requirements: limit, next: states }]),
    ];
    const result = await sendStep(modelRun, { ...step, retry: false }, { by: "rest", branches });
    if (result.failure || !result.answer) return result.failure;
    if (result.answer.status < 300) continue;
    if (result.answer.status !== 429) return undefined; // whether other refusals count is open
    coverErrorCode(sut.coverage, result.answer);
    sut.coverage.reach("refusals", name);
    return waitRetryAfter(modelRun, step, { seconds: Number(result.answer.headers["retry-after"]) + 1, served });
  }
  return undefined;
}

async function waitRetryAfter(
  modelRun: ModelRun,
  step: Step,
  { seconds, served }: { seconds: number; served: Limit["served"] },
): Promise<Contradiction> {
  if (!modelRun.sut.offers("clock")) return undefined;
  await modelRun.sut.wait(seconds);
  await readClock(modelRun);
  const rule = createRequirement("RETRY-AFTER-HELPS", { status: { not: 429 } });
  return (
    await sendStep(
      modelRun,
      { ...step, retry: false },
      { by: "rest", branches: (states) => [{ requirements: [rule], next: served(states) }] },
    )
  ).failure;
}

/** LIMIT-EFFECTIVE-KEY: uses a key with a low ceiling. */
const exceedRate: Command = {
  arguments: [],
  weight: 1,
  async run(modelRun) {
    if (!modelRun.sut.offers("key.slow")) return undefined;
    return exceedLimit(modelRun, {
      name: "too many requests of a key",
      clause: "LIMIT-EFFECTIVE-KEY",
      rpm: roles.slow?.rpm ?? 0,
      step: { rest: "GET /api/jobs", query: { limit: 1 }, as: "slow" },
      served: (states) => states,
    });
  },
};

/** BUCKET-REPO-RESET: the bucket with the fewest requests. */
const exceedResets: Command = {
  arguments: [],
  weight: 1,
  async run(modelRun) {
    const repo = listRegisteredRepos(modelRun.states).find((name) => name.startsWith("spare"));
    if (repo === undefined) return undefined;
    return exceedLimit(modelRun, {
      name: "too many resets",
      clause: pathBuckets.reset.clauses[0],
      rpm: pathBuckets.reset.rpm,
      step: { rest: `POST /api/repos/${findAddress(repo).path}/reset`, json: { findings: true } },
      served: (states) => forgetRepository(states, repo),
    });
  },
};

/** JOB-SUBMIT-BUDGET: a key whose dollars_per_hour the cheapest run uses up. */
const exceedBudget: Command = {
  arguments: [],
  weight: 1,
  async run(modelRun) {
    const { sut, states } = modelRun;
    if (!sut.fresh || !sut.offers("key.poor") || states.suspended || states.broke || states.paused) return undefined;
    for (const workflow of ["audit", "standard_audit"]) {
      const step: Step = {
        rest: "POST /api/repos/{repo}/jobs",
        as: "poor",
        query: { force: "true" },
        json: { workflow, params: {} },
        retry: false,
      };
      const result = await sendStep(modelRun, step, {
        by: "rest",
        branches: (knownStates) => [
          { requirements: [createRequirement("JOB-SUBMIT-BUDGET", { status: { lt: 500 } })], next: markJobsUnknown(knownStates) },
        ],
      });
      if (result.answer) coverErrorCode(sut.coverage, result.answer);
      if (result.failure) return result.failure;
    }
    return undefined;
  },
};

/** Returns the states after the start of jobs that have no name in the model. */
function markJobsUnknown(states: States): States {
  const repo = states.repos.repo;
  return repo ? { ...states, repos: { ...states.repos, repo: { ...repo, ours: false } } } : states;
}

/** Commands that exceed limits. */
export const limitCommands = { exceedRate, exceedResets, exceedBudget };
