import { createHash } from "node:crypto";
import type { Report } from "../../src/engine/report/report.js";
import { verify } from "../../src/engine/run/verify.js";
import { suite } from "../../src/suite/suite.js";
import { openMutant } from "../mutants/open.js";
import { mutants } from "./mutants.js";
import { expectations, type Subject, variants } from "./variants.js";

/** One server to examine, by its name, and the scenario files to play; none stands for the whole suite. */
export interface Examination {
  kind: "mutant" | "variant";
  name: string;
  only: readonly string[];
  /** What cases are drawn with, one after the other; 1 where none is given. Scenarios draw nothing, so they are played with the first alone. */
  seeds?: readonly number[];
  /** Cases of each property, where it is not as usual. */
  cases?: number;
  /** Which part of the suite is played, where it is not the whole. */
  shard?: { index: number; of: number };
}

/** What the suite holds against one server. */
export interface Outcome {
  name: string;
  seconds: number;
  scenarios: number;
  requests: number;
  /** How many clauses passed. */
  passed: number;
  /** Clauses that failed. */
  failed: string[];
  /** Checks that failed and scenarios that broke, a line each. */
  alarms: string[];
  /** A digest of the verdicts on all clauses. */
  verdicts: string;
  /** Why there is no report. */
  problem?: string;
}

/** Examines one server with a part of the suite or all of it. What breaks off is told, so that it costs the run no other outcome. */
export async function examine(task: Examination): Promise<Outcome> {
  const begun = performance.now();
  const found = await play(task).catch((fault: unknown) => ({ ...nothing, problem: String(fault) }));
  return { name: task.name, seconds: (performance.now() - begun) / 1000, ...found };
}

/** Cases of each property where the whole suite is played: enough to try them all, few enough to try them on every server. */
const CASES = 20;
/** And where nothing is expected of a server but that nothing is held against it. */
export const FEW_CASES = 3;

const nothing = { scenarios: 0, requests: 0, passed: 0, failed: [], alarms: [], verdicts: "" };

type Findings = Omit<Outcome, "name" | "seconds">;

async function play(task: Examination): Promise<Findings> {
  const [first = 1, ...others] = task.seeds ?? [];
  let found = await playOnce(task, first, expectations.get(task.name)?.fewest);
  for (const seed of others) found = together(found, await playOnce({ ...task, only: PROPERTIES, cases: FEW_CASES }, seed));
  return found;
}

const PROPERTIES = ["property:*"];

async function playOnce({ cases = CASES, shard, ...task }: Examination, seed: number, fewest = 0): Promise<Findings> {
  const { options, close } = await open(task);
  try {
    const { report, messages } = await verify(suite, { ...options, only: task.only, seed, runs: cases, ...(shard && { shard }) });
    if (!report) return { ...nothing, problem: `seed ${seed}: ${messages.join(" ")}` };
    const found = findings(report, fewest);
    return task.kind === "variant" ? { ...found, alarms: found.alarms.map((alarm) => `seed ${seed}: ${alarm}`) } : found;
  } finally {
    await close();
  }
}

/** What was found with one more seed: what passed and what was said of each clause stays as the first had it, which played all. */
function together(a: Findings, b: Findings): Findings {
  const problem = a.problem ?? b.problem;
  return {
    scenarios: a.scenarios + b.scenarios,
    requests: a.requests + b.requests,
    passed: a.passed,
    failed: [...new Set([...a.failed, ...b.failed])],
    alarms: [...a.alarms, ...b.alarms],
    verdicts: a.verdicts,
    ...(problem !== undefined && { problem }),
  };
}

async function open({ kind, name }: Examination): Promise<Subject> {
  const variant = variants.get(name);
  const mutant = mutants.find((one) => one.name === name);
  if (kind === "variant" && variant) return variant();
  if (kind === "mutant" && mutant) {
    const { url, close } = await openMutant(mutant);
    return { options: { url }, close };
  }
  throw new Error(`no ${kind} is named ${name}`);
}

function findings({ clauses, checks, scenarios, requests }: Report, fewest: number): Findings {
  const passed = clauses.filter(({ verdict }) => verdict === "passed").length;
  const failures = checks.filter(({ verdict }) => verdict === "failed");
  const broken = scenarios.filter(({ verdict }) => verdict === "harness-error");
  return {
    scenarios: scenarios.length,
    requests,
    passed,
    failed: clauses.filter(({ verdict }) => verdict === "failed").map(({ id }) => id),
    alarms: [
      ...failures.map(({ id, expected, actual }) => `${id}: expected ${expected}, got ${actual}`),
      ...broken.map(({ scenario, reason }) => `${scenario}: ${reason}`),
      ...(passed < fewest ? [`only ${passed} clauses passed, and ${fewest} should`] : []),
    ],
    verdicts: createHash("sha256")
      .update(clauses.map(({ id, verdict }) => `${id} ${verdict}`).join())
      .digest("hex"),
  };
}
