import { contract } from "../contract/load.js";
import type { ClauseId } from "../contract/types.js";
import { addCoverage, type Coverage, openCoverage } from "./coverage.js";
import { type Exchange, readCall } from "./exchange.js";
import { learnConnection, type Memory, openMemory } from "./memory.js";
import type { Rule, RuleResult } from "./rule.js";
import { rules } from "./rules.js";
import { maxExamples, type Tally } from "./tally.js";

/** The tally of the client of one world, or of a proxy. Its size is bounded. */
export interface ClientTally extends Tally {
  /** The world of the mock that the client calls; null behind a proxy. */
  world: string | null;
  memory: Memory;
  coverage: Coverage;
  /** Exchanges that the rules have not judged yet, oldest first. */
  pending: Exchange[];
}

const longestRequest = 300;

/** Clauses about clients that one run cannot judge: two runs are compared for them. */
export const comparedClauses: readonly ClauseId[] = ["VERSION-TOLERATE", "ERR-CODE-BRANCH", "JOB-SUBMIT-ONLY-201"];

/** The clauses that a report gives a verdict on: those about clients, and those that a rule comes from. */
export const judgedClauses: readonly ClauseId[] = (Object.keys(contract.clauses) as ClauseId[]).filter((id) => {
  const { surface, excluded } = contract.clauses[id];
  return (surface.includes("client") && !excluded) || rules.some(({ clauses }) => clauses.includes(id));
});

/** Returns the tally of a client that has made no call. */
export function openClientTally(world: string | null = null): ClientTally {
  return {
    world,
    requests: 0,
    memory: openMemory(),
    coverage: openCoverage(),
    findings: new Map(),
    passed: new Set(),
    pending: [],
  };
}

/** Empties the report. Keeps what the rules remember of earlier calls. */
export function restartClientTally(tally: ClientTally): void {
  judgePending(tally);
  const { world, requests, findings, passed, coverage } = openClientTally(tally.world);
  Object.assign(tally, { world, requests, findings, passed, coverage });
}

/** Applies the rules to the pending exchanges. Call it before a report is made from the tally. */
export function judgePending(tally: ClientTally): void {
  const { pending } = tally;
  if (pending.length === 0) return;
  tally.pending = [];
  for (const exchange of pending) countCall(tally, exchange);
}

/** Applies the rules to one more exchange. */
export function countCall(tally: ClientTally, exchange: Exchange): void {
  const call = readCall(exchange);
  tally.requests++;
  const isPlain = isPlainRead(exchange);
  for (const rule of isPlain ? plainRules : rules) {
    const result = rule.check(call, tally.memory);
    if (result === null) continue;
    if (result === "passed") for (const clause of rule.clauses) tally.passed.add(clause);
    else if ("passed" in result) tally.passed.add(result.passed);
    else addFinding(tally, rule, exchange, result);
  }
  for (const learn of isPlain ? plainLearningRules : learningRules) learn(call, tally.memory);
  learnConnection(tally.memory, call);
  addCoverage(tally.coverage, call);
}

/** Removes the journal numbers above `after` from the examples, because the journal has dropped these calls. */
export function forgetNumbers(tally: ClientTally, after = 0): void {
  judgePending(tally);
  for (const { examples } of tally.findings.values())
    for (const example of examples) if (example.entry !== null && example.entry > after) example.entry = null;
}

type BreakResult = Extract<RuleResult, { broken: string }>;

const plainRules = rules.filter(({ ofInput }) => !ofInput);
const learningRules = listRules(rules);
const plainLearningRules = listRules(plainRules);

function listRules(some: readonly Rule[]): NonNullable<Rule["learn"]>[] {
  return some.flatMap(({ learn }) => (learn ? [learn] : []));
}

function isPlainRead({ method, url, hasBody }: Exchange): boolean {
  return method === "GET" && !hasBody && url.startsWith("/api/") && !url.includes("?");
}

function addFinding(
  { world, findings }: ClientTally,
  { id, clauses }: Rule,
  { number, method, url }: Exchange,
  { broken, clause }: BreakResult,
): void {
  const findingTally = findings.get(id) ?? { count: 0, clauses: [], examples: [] };
  findingTally.count++;
  findingTally.clauses = [...new Set([...findingTally.clauses, ...(clause === undefined ? clauses : [clause])])];
  if (findingTally.examples.length < maxExamples)
    findingTally.examples.push({
      world,
      entry: number,
      request: `${method} ${url}`.slice(0, longestRequest),
      why: broken.slice(0, longestRequest),
    });
  findings.set(id, findingTally);
}
