import { contract } from "../contract/load.js";
import type { ClauseId } from "../contract/types.js";
import { type Exchange, readAct } from "./exchange.js";
import { learnConnection, type Memory, openMemory } from "./memory.js";
import { look, meetingsOf, openSights, type Sights } from "./met.js";
import type { ClauseVerdict, ClientReport, Remark } from "./report.js";
import type { Rule } from "./rule.js";
import { rules } from "./rules.js";

/** What is kept of a client from call to call: never more than so much, however long it goes on. */
export interface Card {
  requests: number;
  memory: Memory;
  sights: Sights;
  remarks: Map<string, Omit<Remark, "id" | "severity" | "clauses" | "says">>;
  /** Rules that could have been broken and were not, once at least. */
  kept: Set<string>;
}

const mostExamples = 5;
const longestRequest = 300;

/** Sentences about clients that one run cannot judge: two are compared for them. */
export const comparedClauses: readonly ClauseId[] = ["VERSION-TOLERATE", "ERR-CODE-BRANCH", "JOB-SUBMIT-ONLY-201"];

/** The sentences that a card gives a verdict on: those about clients, and those that a rule comes from. */
const judgedClauses: readonly ClauseId[] = (Object.keys(contract.clauses) as ClauseId[]).filter((id) => {
  const { surface, excluded } = contract.clauses[id];
  return (surface.includes("client") && !excluded) || rules.some(({ clauses }) => clauses.includes(id));
});

/** Opens a card on which nothing stands. */
export function openCard(): Card {
  return { requests: 0, memory: openMemory(), sights: openSights(), remarks: new Map(), kept: new Set() };
}

/** Holds one more exchange against the rules, after those before it. */
export function note(card: Card, exchange: Exchange): void {
  const act = readAct(exchange);
  card.requests++;
  const isPlain = isPlainRead(exchange);
  for (const rule of isPlain ? plainRules : rules) {
    const finding = rule.check(act, card.memory);
    if (finding === "kept") card.kept.add(rule.id);
    else if (finding) remark(card, rule, exchange, finding.broken);
  }
  for (const learn of isPlain ? plainLearning : learning) learn(act, card.memory);
  learnConnection(card.memory, act);
  look(card.sights, act);
}

/** The journal is empty and numbers its calls anew: what stood in it is not to be found there any more. */
export function forgetNumbers({ remarks }: Card): void {
  for (const { examples } of remarks.values()) for (const example of examples) example.entry = null;
}

/** What a card says: a pure function of the exchanges noted on it. */
export function reportOf(card: Card): ClientReport {
  const remarks = rules.flatMap(({ id, severity, clauses, says }) => {
    const found = card.remarks.get(id);
    return found ? [{ id, severity, clauses, says, ...found }] : [];
  });
  return {
    verdict: remarks.length === 0 ? "polite" : "remarks",
    requests: card.requests,
    remarks: (["forbidden", "discouraged"] as const).flatMap((weight) => remarks.filter(({ severity }) => severity === weight)),
    clauses: judgedClauses.map((id) => ({ id, verdict: verdictOf(card, id) })),
    met: meetingsOf(card.sights),
  };
}

const plainRules = rules.filter(({ ofInput }) => !ofInput);
const learning = learningOf(rules);
const plainLearning = learningOf(plainRules);

function learningOf(some: readonly Rule[]): NonNullable<Rule["learn"]>[] {
  return some.flatMap(({ learn }) => (learn ? [learn] : []));
}

function isPlainRead({ method, url, hasBody }: Exchange): boolean {
  return method === "GET" && !hasBody && url.startsWith("/api/") && !url.includes("?");
}

function remark(card: Card, { id }: Rule, { number, method, url }: Exchange, why: string): void {
  const found = card.remarks.get(id) ?? { count: 0, examples: [] };
  found.count++;
  if (found.examples.length < mostExamples)
    found.examples.push({
      entry: number,
      request: `${method} ${url}`.slice(0, longestRequest),
      why: why.slice(0, longestRequest),
    });
  card.remarks.set(id, found);
}

function verdictOf({ remarks, kept }: Card, clause: ClauseId): ClauseVerdict {
  const about = rules.filter(({ clauses }) => clauses.includes(clause));
  const broken = about.filter(({ id }) => remarks.has(id));
  if (broken.some(({ severity }) => severity === "forbidden")) return "failed";
  if (broken.length > 0) return "warned";
  return about.some(({ id }) => kept.has(id)) ? "passed" : "not-observed";
}
