import type { Step } from "../../../engine/scenario/format.js";
import { pathBuckets } from "../../statements/buckets.js";
import { roles } from "../../statements/roles.js";
import { must, refused } from "../branch.js";
import type { Command } from "../command.js";
import { coverErrorCode } from "../coverage.js";
import { type Contradiction, type ModelRun, readClock, sendStep } from "../model-run.js";
import { placeOf } from "../place.js";
import { forgetRepository, type States } from "../states.js";
import { registered } from "./choices.js";

/** A limit, and the request that counts against it. */
interface Limit {
  name: string;
  clause: string;
  /** Requests a minute. */
  rpm: number;
  step: Step;
  /** What is known after a request that was served. */
  served: (states: States) => States;
}

/** BUCKET-ENFORCED: of an untouched bucket of N the first N pass, and by 2N + 2 one does not. RETRY-AFTER-HELPS: then waiting helps. */
async function exceed(modelRun: ModelRun, { name, clause, rpm, step, served }: Limit): Promise<Contradiction> {
  const { sut } = modelRun;
  if (!sut.fresh || modelRun.states.suspended || modelRun.usedBuckets.has(name)) return undefined;
  modelRun.usedBuckets.add(name);
  const limit = [
    ...refused([clause, "BUCKET-ENFORCED"], 429, { type: "rate_limit_error" }),
    must("BUCKET-CODE", { json: { error: { code: "rate_limit_qps" } } }),
    must("RETRY-AFTER-429", { headers: { "retry-after": { matches: "^[1-9][0-9]*$" } } }),
  ];
  const passes = [must([clause, "BUCKET-ENFORCED"], { status: { not: 429 } })];
  for (let sent = 1; sent <= 2 * rpm + 2; sent++) {
    const branches = (states: States) => [
      ...(sent === 2 * rpm + 2 ? [] : [{ must: passes, next: served(states) }]),
      ...(sent <= rpm ? [] : [{ must: limit, next: states }]),
    ];
    const result = await sendStep(modelRun, { ...step, retry: false }, { by: "rest", branches });
    if (result.failure || !result.answer) return result.failure;
    if (result.answer.status < 300) continue;
    if (result.answer.status !== 429) return undefined; // whether what is refused for another reason counts is open
    coverErrorCode(sut.coverage, result.answer);
    sut.coverage.reach("refusals", name);
    return waitItOut(modelRun, step, { seconds: Number(result.answer.headers["retry-after"]) + 1, served });
  }
  return undefined;
}

async function waitItOut(
  modelRun: ModelRun,
  step: Step,
  { seconds, served }: { seconds: number; served: Limit["served"] },
): Promise<Contradiction> {
  if (!modelRun.sut.offers("clock")) return undefined;
  await modelRun.sut.wait(seconds);
  await readClock(modelRun);
  const rule = must("RETRY-AFTER-HELPS", { status: { not: 429 } });
  return (
    await sendStep(
      modelRun,
      { ...step, retry: false },
      { by: "rest", branches: (states) => [{ must: [rule], next: served(states) }] },
    )
  ).failure;
}

/** LIMIT-EFFECTIVE-KEY: a key with a low ceiling of its own. */
const exceedRate: Command = {
  arguments: [],
  weight: 1,
  async run(modelRun) {
    if (!modelRun.sut.offers("key.slow")) return undefined;
    return exceed(modelRun, {
      name: "a key too often",
      clause: "LIMIT-EFFECTIVE-KEY",
      rpm: roles.slow?.rpm ?? 0,
      step: { rest: "GET /api/jobs", query: { limit: 1 }, as: "slow" },
      served: (states) => states,
    });
  },
};

/** BUCKET-REPO-RESET: the bucket that takes the fewest requests to empty. */
const exceedResets: Command = {
  arguments: [],
  weight: 1,
  async run(modelRun) {
    const repo = registered(modelRun.states).find((name) => name.startsWith("spare"));
    if (repo === undefined) return undefined;
    return exceed(modelRun, {
      name: "too many resets",
      clause: pathBuckets.reset.clauses[0],
      rpm: pathBuckets.reset.rpm,
      step: { rest: `POST /api/repos/${placeOf(repo).path}/reset`, json: { findings: true } },
      served: (states) => forgetRepository(states, repo),
    });
  },
};

/** JOB-SUBMIT-BUDGET: a key whose hour one run uses up. */
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
        branches: (known) => [{ must: [must("JOB-SUBMIT-BUDGET", { status: { lt: 500 } })], next: strangersAt(known) }],
      });
      if (result.answer) coverErrorCode(sut.coverage, result.answer);
      if (result.failure) return result.failure;
    }
    return undefined;
  },
};

/** Jobs were started here that the model has no names for. */
function strangersAt(states: States): States {
  const repo = states.repos.repo;
  return repo ? { ...states, repos: { ...states.repos, repo: { ...repo, ours: false } } } : states;
}

/** What a case can do too often. */
export const excessCommands = { exceedRate, exceedResets, exceedBudget };
