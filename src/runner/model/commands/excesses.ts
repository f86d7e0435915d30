import type { Step } from "../../scenario/format.js";
import { must, refused } from "../branch.js";
import type { Command } from "../command.js";
import { type Journey, look, put, type Turn } from "../journey.js";
import { placeOf } from "../place.js";
import { reachCode } from "../reaching.js";
import { forgetRepository } from "../states.js";
import { registered } from "./choices.js";

/** A bucket of five a minute, and the request that draws on it. */
interface Bucket {
  name: string;
  clause: string;
  step: Step;
  /** What is known after a request that was served. */
  served: (states: Journey["states"]) => Journey["states"];
}

const FIVE = 5;

/** BUCKET-ENFORCED: of an untouched bucket the first five pass, and by the twelfth one does not. RETRY-AFTER-HELPS: then waiting helps. */
async function exceed(journey: Journey, { name, clause, step, served }: Bucket): Promise<Turn> {
  const { scene } = journey;
  if (!scene.fresh || journey.states.suspended || journey.drawn.has(name)) return undefined;
  journey.drawn.add(name);
  const limit = [
    ...refused([clause, "BUCKET-ENFORCED"], 429, { type: "rate_limit_error" }),
    must("BUCKET-CODE", { json: { error: { code: "rate_limit_qps" } } }),
    must("RETRY-AFTER-429", { headers: { "retry-after": { matches: "^[0-9]+$" } } }),
  ];
  const passes = [must([clause, "BUCKET-ENFORCED"], { status: { not: 429 } })];
  for (let sent = 1; sent <= 2 * FIVE + 2; sent++) {
    const ways = (states: Journey["states"]) => [
      ...(sent === 2 * FIVE + 2 ? [] : [{ must: passes, next: served(states) }]),
      ...(sent <= FIVE ? [] : [{ must: limit, next: states }]),
    ];
    const told = await put(journey, { ...step, asIs: true }, { by: "rest", ways });
    if (told.failure || !told.answer) return told.failure;
    if (told.answer.status !== 429) continue;
    reachCode(scene.coverage, told.answer);
    scene.coverage.reach("refusals", name);
    return waitItOut(journey, step, { seconds: Number(told.answer.headers["retry-after"]) + 1, served });
  }
  return undefined;
}

async function waitItOut(
  journey: Journey,
  step: Step,
  { seconds, served }: { seconds: number; served: Bucket["served"] },
): Promise<Turn> {
  if (!journey.scene.offers("clock")) return undefined;
  await journey.scene.wait(seconds);
  await look(journey);
  const rule = must("RETRY-AFTER-HELPS", { status: { not: 429 } });
  return (await put(journey, { ...step, asIs: true }, { by: "rest", ways: (states) => [{ must: [rule], next: served(states) }] }))
    .failure;
}

/** LIMIT-EFFECTIVE-KEY: a key with five requests a minute. */
const exceedRate: Command = {
  picks: [],
  weight: 1,
  async play(journey) {
    if (!journey.scene.offers("key.slow")) return undefined;
    const step = { rest: "GET /api/jobs", query: { limit: 1 }, as: "slow" };
    return exceed(journey, { name: "a key too often", clause: "LIMIT-EFFECTIVE-KEY", step, served: (states) => states });
  },
};

/** BUCKET-REPO-RESET: five resets a minute. */
const exceedResets: Command = {
  picks: [],
  weight: 1,
  async play(journey) {
    const repo = registered(journey.states).find((name) => name.startsWith("spare"));
    if (repo === undefined) return undefined;
    const step = { rest: `POST /api/repos/${placeOf(repo).path}/reset`, json: { findings: true } };
    return exceed(journey, {
      name: "too many resets",
      clause: "BUCKET-REPO-RESET",
      step,
      served: (states) => forgetRepository(states, repo),
    });
  },
};

/** JOB-SUBMIT-BUDGET: a key whose hour one run uses up. */
const exceedBudget: Command = {
  picks: [],
  weight: 1,
  async play(journey) {
    const { scene, states } = journey;
    if (!scene.fresh || !scene.offers("key.poor") || states.suspended || states.broke || states.paused) return undefined;
    for (const workflow of ["audit", "standard_audit"]) {
      const step: Step = {
        rest: "POST /api/repos/{repo}/jobs",
        as: "poor",
        query: { force: "true" },
        json: { workflow, params: {} },
        asIs: true,
      };
      const told = await put(journey, step, {
        by: "rest",
        ways: (known) => [{ must: [must("JOB-SUBMIT-BUDGET", { status: { lt: 500 } })], next: strangersAt(known) }],
      });
      if (told.answer) reachCode(scene.coverage, told.answer);
      if (told.failure) return told.failure;
    }
    return undefined;
  },
};

/** Jobs were started here that the model has no names for. */
function strangersAt(states: Journey["states"]): Journey["states"] {
  const repo = states.repos.repo;
  return repo ? { ...states, repos: { ...states.repos, repo: { ...repo, ours: false } } } : states;
}

/** What a case can do too often. */
export const excessCommands = { exceedRate, exceedResets, exceedBudget };
