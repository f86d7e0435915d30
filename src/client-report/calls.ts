import { contract } from "../contract/load.js";
import type { ClauseId } from "../contract/types.js";
import { type Exchange, readCall } from "./exchange.js";
import { learnConnection, type Memory, openMemory } from "./memory.js";
import { look, openSights, type Sights } from "./met.js";
import type { Rule, RuleResult } from "./rule.js";
import { rules } from "./rules.js";
import { mostExamples, type Tally } from "./tally.js";

/** What is known of the client of one world, or of a proxy. Its size is bounded, however many calls come. */
export interface ClientTally extends Tally {
  /** The world of the mock that the client calls; null behind a proxy. */
  world: string | null;
  memory: Memory;
  sights: Sights;
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

/** Opens the record of a client that has made no call. */
export function openClientTally(world: string | null = null): ClientTally {
  return { world, requests: 0, memory: openMemory(), sights: openSights(), findings: new Map(), kept: new Set(), pending: [] };
}

/** Begins the report anew. What rules need of earlier calls stays: the client goes on where it was. */
export function restartClientTally(card: ClientTally): void {
  judgePending(card);
  const { world, requests, findings, kept, sights } = openClientTally(card.world);
  Object.assign(card, { world, requests, findings, kept, sights });
}

/** Applies the rules to the pending exchanges. Call it before a report is made from the tally. */
export function judgePending(tally: ClientTally): void {
  const { pending } = tally;
  if (pending.length === 0) return;
  tally.pending = [];
  for (const exchange of pending) note(tally, exchange);
}

/** Applies the rules to one more exchange. */
export function note(card: ClientTally, exchange: Exchange): void {
  const call = readCall(exchange);
  card.requests++;
  const isPlain = isPlainRead(exchange);
  for (const rule of isPlain ? plainRules : rules) {
    const result = rule.check(call, card.memory);
    if (result === null) continue;
    if (result === "kept") for (const clause of rule.clauses) card.kept.add(clause);
    else if ("kept" in result) card.kept.add(result.kept);
    else addFinding(card, rule, exchange, result);
  }
  for (const learn of isPlain ? plainLearning : learning) learn(call, card.memory);
  learnConnection(card.memory, call);
  look(card.sights, call);
}

/** Removes the journal numbers above `after` from the examples: the journal does not hold these calls any more. */
export function forgetNumbers(tally: ClientTally, after = 0): void {
  judgePending(tally);
  for (const { examples } of tally.findings.values())
    for (const example of examples) if (example.entry !== null && example.entry > after) example.entry = null;
}

type BreakResult = Extract<RuleResult, { broken: string }>;

const plainRules = rules.filter(({ ofInput }) => !ofInput);
const learning = learningOf(rules);
const plainLearning = learningOf(plainRules);

function learningOf(some: readonly Rule[]): NonNullable<Rule["learn"]>[] {
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
  const found = findings.get(id) ?? { count: 0, clauses: [], examples: [] };
  found.count++;
  found.clauses = [...new Set([...found.clauses, ...(clause === undefined ? clauses : [clause])])];
  if (found.examples.length < mostExamples)
    found.examples.push({
      world,
      entry: number,
      request: `${method} ${url}`.slice(0, longestRequest),
      why: broken.slice(0, longestRequest),
    });
  findings.set(id, found);
}
