import type { Report } from "../../src/engine/report/report.js";
import { verify } from "../../src/engine/run/verify.js";
import type { Scenario } from "../../src/engine/scenario/scenario.js";
import { readScenarios } from "../../src/engine/scenario/select.js";
import { suite } from "../../src/suite/suite.js";
import { openMutant, openSound } from "../mutants/open.js";
import { hollowPasses } from "./constant-passes.js";
import { constantServers } from "./constant-servers.js";
import { type LegalEnd, legalEnd, listUnpassed } from "./legal-ends.js";
import { mutants } from "./mutants.js";
import { optionsFor, type RunKind } from "./run-kinds.js";
import { expectations, getVariant, plain, type Subject } from "./variants.js";

/** One server to examine, by its name, and the scenarios to run; none stands for the whole suite. */
export interface Examination {
  kind: "mutant" | "variant" | "constant";
  name: string;
  only: readonly string[];
  /** Seeds of the cases, one after the other. Scenarios draw nothing, so they are run with the first alone. */
  seeds: readonly [number, ...number[]];
  /** Cases of each property, where it is not as usual. */
  cases?: number;
  /** Which part of the suite is run, where it is not the whole. */
  shard?: { index: number; of: number };
  /** The kind of run; absent for the full profile with all that the server offers. */
  run?: RunKind;
}

/** The findings of the suite in one server. */
export interface Outcome {
  name: string;
  seconds: number;
  scenarios: number;
  requests: number;
  /** The number of passed clauses. */
  passed: number;
  /** Clauses that failed. */
  failed: string[];
  /** Clauses that could not be judged. */
  inconclusive: string[];
  /** One line for each check that failed and each scenario that broke. For a server without behaviour: for each clause that passes without reason. */
  alarms: string[];
  /** Each clause with another verdict than `passed`, with this verdict, such as `CURSOR-LAST failed`. */
  unpassed: string[];
  /** The end of the run against a conforming server. */
  end?: LegalEnd;
  /** Why there is no report. */
  problem?: string;
  /** Why the examination has no outcome: it took too long, or its thread ended. */
  broken?: "timeout" | "crash";
}

/**
 * Examines one server with a part of the suite or all of it. Reports an examination that stops early, so that the other outcomes of the
 * run are kept.
 */
export async function examine(task: Examination): Promise<Outcome> {
  const begun = performance.now();
  const found = await runChecks(task).catch((fault: unknown) => ({ ...nothing, problem: String(fault) }));
  return { name: task.name, seconds: (performance.now() - begun) / 1000, ...found };
}

/** Cases of each property on a mutant, and on the mock under its switches: enough to try them all, few enough to try them on every server. */
export const CASES = 20;
/** Cases of each property on a conforming server, for the figure that is published. */
export const PUBLISHED_CASES = 10;
/** Cases of each property on other servers. */
export const SMALL_RUN_CASES = 3;

/** The findings of an examination without checks. */
export const nothing = { scenarios: 0, requests: 0, passed: 0, failed: [], inconclusive: [], alarms: [], unpassed: [] };

type Findings = Omit<Outcome, "name" | "seconds">;

async function runChecks(task: Examination): Promise<Findings> {
  if (task.kind === "constant") return runConstant(task);
  const [first, ...others] = task.seeds;
  const expected = expectations.get(task.name);
  let foundFindings = await runOnce(task, first, task.run ? 0 : task.shard ? expected?.fewestInHalf : expected?.fewest);
  for (const seed of others)
    foundFindings = together(foundFindings, await runOnce({ ...task, only: PROPERTIES, cases: SMALL_RUN_CASES }, seed));
  return foundFindings;
}

const PROPERTIES = ["property:*"];

async function runOnce({ cases = CASES, shard, ...task }: Examination, seed: number, fewest = 0): Promise<Findings> {
  const { options, close } = await open(task);
  try {
    const runOptions = { only: task.only, seed, runs: cases, ...(shard && { shard }) };
    const { report, messages, exitCode } = await verify(suite, { ...options, ...runOptions });
    if (!report) return { ...nothing, problem: `seed ${seed}: ${messages.join(" ")}` };
    const foundFindings = findings(report, fewest);
    if (task.kind !== "variant") return foundFindings;
    return {
      ...foundFindings,
      end: legalEnd(report, exitCode),
      alarms: foundFindings.alarms.map((alarm) => `seed ${seed}: ${alarm}`),
    };
  } finally {
    await close();
  }
}

/** Most requests that a scenario sends to a server without behaviour. The few longer ones take as much time as all others. */
const MAX_REQUESTS = 150;

/** Runs the scenarios on a server without behaviour. The preflight would stop the run. Properties would take most of the time to shrink failures. */
async function runConstant({ name, only, seeds: [seed] }: Examination): Promise<Findings> {
  const server = constantServers.get(name);
  if (!server) throw new Error(`no server without behaviour is named ${name}`);
  const { scenarios } = readScenarios(suite.scenarios, suite);
  const isShort = ({ demands }: Scenario) => demands.reduce((sum, { count }) => sum + count, 0) <= MAX_REQUESTS;
  const isRun = ({ needs }: Scenario) => !server.isToolsOnly || needs.some(({ need }) => need === "surface.mcp");
  const among = new Set(scenarios.filter((scenario) => isShort(scenario) && isRun(scenario)).map((scenario) => scenario.name));
  const { url, close } = await openMutant(server.fault());
  const { report, messages } = await verify(suite, { url, only, among, seed, runs: 0, preflight: false }).finally(close);
  if (!report) return { ...nothing, problem: messages.join(" ") };
  const scenarioEntries = report.scenarios.filter(({ verdict }) => verdict === "harness-error");
  const alarms = [...hollowPasses(name, report), ...scenarioEntries.map(({ scenario, reason }) => `${scenario}: ${reason}`)];
  return { ...findings(report, 0), alarms };
}

/**
 * Adds the findings with one more seed. The passed clauses and their verdicts stay those of the first seed, with which everything was
 * run.
 */
function together(a: Findings, b: Findings): Findings {
  const problem = a.problem ?? b.problem;
  return {
    scenarios: a.scenarios + b.scenarios,
    requests: a.requests + b.requests,
    passed: a.passed,
    failed: [...new Set([...a.failed, ...b.failed])],
    inconclusive: [...new Set([...a.inconclusive, ...b.inconclusive])],
    alarms: [...a.alarms, ...b.alarms],
    unpassed: a.unpassed,
    ...(a.end && { end: a.end }),
    ...(problem !== undefined && { problem }),
  };
}

async function open({ kind, name, run }: Examination): Promise<Subject> {
  if (run) return openFor(run, name);
  const variant = getVariant(name);
  const mutant = mutants.find((one) => one.name === name);
  if (kind === "variant" && variant) return variant();
  if (kind === "mutant" && mutant) {
    const { url, close } = await openMutant(mutant);
    return { options: { url }, close };
  }
  throw new Error(`no ${kind} is named ${name}`);
}

/** Opens a mutant, or the mock without a fault, for one kind of run. */
async function openFor(run: RunKind, name: string): Promise<Subject> {
  const clock = run.hooks === "all-hooks" ? "frozen" : "real";
  const mutant = mutants.find((one) => one.name === name);
  if (!mutant && name !== plain) throw new Error(`no mutant is named ${name}`);
  const { url, close } = await (mutant ? openMutant(mutant, clock) : openSound(clock));
  return { options: await optionsFor(run, url), close };
}

function findings(report: Report, fewest: number): Findings {
  const { clauses, checks, scenarios, requests } = report;
  const passedCount = clauses.filter(({ verdict }) => verdict === "passed").length;
  const failures = checks.filter(({ verdict }) => verdict === "failed");
  const scenarioEntries = scenarios.filter(({ verdict }) => verdict === "harness-error");
  return {
    scenarios: scenarios.length,
    requests,
    passed: passedCount,
    failed: clauses.filter(({ verdict }) => verdict === "failed").map(({ id }) => id),
    inconclusive: clauses.filter(({ verdict }) => verdict === "inconclusive").map(({ id }) => id),
    alarms: [
      ...failures.map(({ id, expected, actual }) => `${id}: expected ${expected}, got ${actual}`),
      ...scenarioEntries.map(({ scenario, reason }) => `${scenario}: ${reason}`),
      ...(passedCount < fewest ? [`only ${passedCount} clauses passed, and ${fewest} should`] : []),
    ],
    unpassed: listUnpassed(report),
  };
}
