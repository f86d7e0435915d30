import { threadId } from "node:worker_threads";
import fc from "fast-check";
import type { Run } from "../../../src/engine/execute/run.js";
import { executeScenario } from "../../../src/engine/execute/scenario.js";
import { openWire, type Wire } from "../../../src/engine/http/rest.js";
import { type Coverage, openCoverage } from "../../../src/engine/property/coverage.js";
import type { CaseOutcome, Property } from "../../../src/engine/property/property.js";
import { openSystemUnderTest } from "../../../src/engine/property/system-under-test.js";
import { connect, startRun } from "../../../src/engine/run/connect.js";
import type { Scenario } from "../../../src/engine/scenario/scenario.js";
import { readScenarios } from "../../../src/engine/scenario/select.js";
import { meetsNeed } from "../../../src/engine/target/needs.js";
import type { Mock, openMock } from "../../../src/mock/server.js";
import { suite } from "../../../src/suite/suite.js";
import { copyBuild } from "./build.js";
import { isEndless, recordReached, switchOn } from "./switch.js";

/** Mutants to switch on in a mock, and the checks to execute, in this order until one fails. */
export interface Order {
  on: readonly string[];
  /** Whether the mutants are switched on in a running mock, which is fast. Otherwise the mock is loaded and started with them. */
  standing?: true;
  /** Names of scenarios and ids of properties. */
  checks: readonly string[];
  /** Whether to record the reached mutants. */
  note?: true;
}

/** An order with the seed of its cases. One thread gets one seed. */
export interface SeededOrder extends Order {
  seed: number;
}

/** The result of an order. */
export interface WorkerResult {
  /** The check that failed, and the clauses that it blames. */
  failed?: { check: string; clauses: string[] };
  /** Checks that were inconclusive. */
  unsure: string[];
  /** Why the server could not be examined to the end. */
  broken?: "timeout" | "crash";
  /** The reached mutants, if the order requests them: by the checks, or by loading and starting the mock. */
  reached?: string[];
  seconds: number;
}

/** Cases of each property, unless it says that fewer do. */
const CASES = 8;
/** The longest wait for a response in milliseconds. The sound mock takes a hundredth of it, and some mutants never answer. */
const MAX_CHECK_MS = 3000;
const MAX_UNANSWERED_REQUESTS = 3;

const scenarios = new Map(readScenarios(suite.scenarios, suite).scenarios.map((scenario) => [scenario.name, scenario]));
const properties = new Map((await suite.properties()).map((property) => [property.id, property]));

/** Every check there is: scenarios, then properties. */
export const checkNames = { scenarios: [...scenarios.keys()], properties: [...properties.keys()] };

/** The number of checks on one running mock. More would use too much memory, because a mutant may not delete its worlds. */
const MAX_STANDING_REQUESTS = 500;

let standing: { server: Server; asked: number } | undefined;

/** Switches the mutants on and puts the checks to the mock. */
export async function runChecks(order: SeededOrder): Promise<WorkerResult> {
  const begun = performance.now();
  const response = order.standing ? await runStanding(order) : await runFresh(order);
  recordReached(undefined);
  return {
    ...response,
    seconds: (performance.now() - begun) / 1000,
  };
}

/** Runs an order on the running mock. If a failed check still fails without the mutants, runs the order again on a new mock. */
async function runStanding(order: SeededOrder): Promise<Omit<WorkerResult, "seconds">> {
  switchOn([]);
  const server = await standingServer(order);
  if (!server) throw new Error("the sound mock does not start");
  const reached = new Set<string>();
  if (order.note) recordReached(reached);
  switchOn(order.on);
  const found = await addAll(server, order.checks);
  recordReached(undefined);
  const wentWrong = isEndless() || found.broken;
  switchOn([]);
  const isSound = !found.failed || (await runCheck(server, found.failed.check)).verdict === "passed";
  if (isSound && !wentWrong) return { ...found, ...(order.note && { reached: [...reached] }) };
  standing = undefined;
  await server.close();
  if (wentWrong) return { ...found, broken: "timeout" };
  const { standing: _, ...fresh } = order;
  return runFresh(fresh);
}

async function standingServer({ checks, seed }: SeededOrder): Promise<Server | undefined> {
  if (standing && standing.asked > MAX_STANDING_REQUESTS) {
    await standing.server.close();
    standing = undefined;
  }
  if (!standing) {
    const server = await open(seed);
    standing = server && { server, asked: 0 };
  }
  if (standing) standing.asked += checks.length;
  return standing?.server;
}

async function runFresh(order: SeededOrder): Promise<Omit<WorkerResult, "seconds">> {
  const reached = new Set<string>();
  if (order.note) recordReached(reached);
  switchOn(order.on);
  const server = await open(order.seed);
  if (!server) return { unsure: [], broken: "crash" };
  try {
    recordReached(undefined);
    const found = await addAll(server, order.checks);
    if (isEndless() && !found.failed) return { ...found, broken: "timeout" };
    return { ...found, ...(order.note && { reached: [...reached] }) };
  } finally {
    await server.close();
  }
}

interface Server {
  run: Run;
  seed: number;
  /** Returns the number of requests without a response so far. */
  unanswered(): number;
  close(): Promise<void>;
}

function countUnanswered(wire: Wire): Wire & Pick<Server, "unanswered"> {
  let count = 0;
  return {
    ...wire,
    unanswered: () => count,
    async send(request, signal) {
      const exchange = await wire.send(request, signal);
      if (exchange.failure?.kind === "timeout") count += 1;
      return exchange;
    },
  };
}

let copies = 0;

/** Opens a new mock and a run against it. Returns undefined if the mock does not start. */
async function open(seed: number): Promise<Server | undefined> {
  const copy = copyBuild(`copy-${threadId}-${++copies}`);
  try {
    const server = (await import(copy.server)) as { openMock: typeof openMock };
    const mock = await server.openMock({ clock: "frozen" });
    if ("problem" in mock) throw new Error(mock.problem);
    await authenticateToolCaller(mock);
    const options = { url: mock.api_url, seed };
    const result = await connect(suite, options);
    if (!result.ok) throw new Error(result.mistakes.join("\n"));
    const { target } = result;
    await result.wire.close();
    const wire = countUnanswered(openWire({ timeoutMs: MAX_CHECK_MS }));
    const close = async () => {
      await wire.close();
      await mock.close();
      copy.drop();
    };
    return { run: startRun(suite, options, target, wire), seed, unanswered: wire.unanswered, close };
  } catch {
    copy.drop();
    return undefined;
  }
}

/** Lists the tools once, because the first request loads the tool server, and this belongs to the start. */
async function authenticateToolCaller({ mcp_url, keys }: Mock): Promise<void> {
  await fetch(mcp_url, {
    method: "POST",
    headers: {
      authorization: `Bearer ${keys[suite.defaultRole]}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" }),
  }).then((response) => response.text());
}

/** Ends if a server leaves many requests without a response. */
async function addAll(server: Server, checks: readonly string[]): Promise<Pick<WorkerResult, "failed" | "unsure" | "broken">> {
  const unsure: string[] = [];
  const before = server.unanswered();
  for (const check of checks) {
    const { verdict, clauses } = await runCheck(server, check);
    if (server.unanswered() - before >= MAX_UNANSWERED_REQUESTS) return { unsure, broken: "timeout" };
    if (verdict === "failed") return { unsure, failed: { check, clauses } };
    if (verdict === "unsure") unsure.push(check);
  }
  return { unsure };
}

interface Verdict {
  verdict: "passed" | "failed" | "unsure";
  clauses: string[];
}

async function runCheck({ run, seed }: Pick<Server, "run" | "seed">, check: string): Promise<Verdict> {
  const scenario = scenarios.get(check);
  const property = properties.get(check);
  if (scenario) return addScenario(run, scenario);
  if (property) return addProperty(run, property, seed);
  throw new Error(`no scenario and no property is named ${check}`);
}

async function addScenario(run: Run, scenario: Scenario): Promise<Verdict> {
  const { verdict, checks } = await executeScenario(run, scenario, uniqueIn(run));
  const failedChecks = checks.filter((check) => check.verdict === "failed");
  if (failedChecks.length > 0)
    return { verdict: "failed", clauses: [...new Set(failedChecks.flatMap(({ clauses }) => clauses))] };
  return { verdict: verdict === "passed" ? "passed" : "unsure", clauses: [] };
}

/** A failed case is run again: a failure that does not recur proves nothing, unless the responses themselves are the proof. */
async function addProperty(run: Run, property: Property, seed: number): Promise<Verdict> {
  const coverage = openCoverage();
  let passed = 0;
  for (const draw of getDraws(run, property, coverage, seed)) {
    for (const one of draw()) {
      const first = await runCase(run, property, one, coverage);
      if (first.verdict === "passed") passed += 1;
      if (first.verdict !== "failed") continue;
      const repeatedCaseOutcome = first.certain ? first : await runCase(run, property, one, coverage);
      if (repeatedCaseOutcome.verdict === "failed") return { verdict: "failed", clauses: [...repeatedCaseOutcome.clauses] };
    }
  }
  return { verdict: passed > 0 ? "passed" : "unsure", clauses: [] };
}

/** Draws all cases at once; of a coverage-guided property, draws each case after the one before it ran. */
function getDraws(run: Run, property: Property, coverage: Coverage, first: number): (() => unknown[])[] {
  const count = Math.min(CASES, property.runs);
  const offers = (need: string) => meetsNeed(need, run.target);
  const draw = (seed: number, numRuns: number) => () => fc.sample(property.cases({ coverage, offers }), { seed, numRuns });
  return property.coverageGuided ? Array.from({ length: count }, (_, place) => draw(first + place, 1)) : [draw(first, count)];
}

async function runCase(run: Run, property: Property, drawn: unknown, coverage: Coverage): Promise<CaseOutcome> {
  const result = await openSystemUnderTest(run, { name: property.id, unique: uniqueIn(run), coverage });
  if (!result.ok) return { verdict: "inconclusive", why: result.why };
  try {
    return await property.run(result.sut, drawn);
  } catch (error) {
    return { verdict: "inconclusive", why: String(error) };
  } finally {
    await result.close();
  }
}

let executions = 0;

/** Returns the unique name of an execution, as in a whole run. */
function uniqueIn({ id }: Run): string {
  return `${id}-${executions++}`;
}
