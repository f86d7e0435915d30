import type { ClauseId } from "../contract/types.js";
import type { Sights } from "./met.js";
import type { FindingExample } from "./report.js";

/** What a report is written from: of one client, or of the clients of many worlds together. */
export interface Tally {
  requests: number;
  /** By the id of the rule that was broken. */
  findings: Map<string, FindingTally>;
  /** Clauses that a call could have broken and did not, once at least. */
  kept: Set<ClauseId>;
  sights: Pick<Sights, CoverageName>;
}

/** The calls that broke one rule. */
export interface FindingTally {
  count: number;
  /** The clauses that they broke. */
  clauses: ClauseId[];
  examples: FindingExample[];
}

/** A tally as plain JSON, to be sent to another process. */
export interface TallyData {
  requests: number;
  findings: [string, FindingTally][];
  kept: ClauseId[];
  sights: Record<CoverageName, string[]>;
}

/** How many calls a finding shows. */
export const mostExamples = 5;

const coverageNames = ["surfaces", "codes", "transitions", "pages", "routes", "tools"] as const;
type CoverageName = (typeof coverageNames)[number];

/** Returns a tally of no call. */
export function openTally(): Tally {
  const sights = { surfaces: new Set(), codes: new Set(), transitions: new Set(), pages: new Set() };
  return {
    requests: 0,
    findings: new Map(),
    kept: new Set(),
    sights: { ...sights, routes: new Set(), tools: new Set() } as Tally["sights"],
  };
}

/** Adds the calls of one tally to another. Keeps the first examples of each finding, so the size stays bounded. */
export function addTally(sum: Tally, { requests, findings, kept, sights }: Tally): void {
  sum.requests += requests;
  for (const [id, { count, clauses, examples }] of findings) {
    const found = sum.findings.get(id) ?? { count: 0, clauses: [], examples: [] };
    found.clauses = [...new Set([...found.clauses, ...clauses])];
    found.count += count;
    found.examples.push(...examples.slice(0, mostExamples - found.examples.length).map((example) => ({ ...example })));
    sum.findings.set(id, found);
  }
  for (const id of kept) sum.kept.add(id);
  for (const name of coverageNames) for (const one of sights[name]) (sum.sights[name] as Set<string>).add(one);
}

/** Returns a tally as plain JSON. */
export function tallyData({ requests, findings, kept, sights }: Tally): TallyData {
  const lists = Object.fromEntries(coverageNames.map((name) => [name, [...sights[name]]]));
  return { requests, findings: [...findings], kept: [...kept], sights: lists as TallyData["sights"] };
}

/** Returns the tally that was written as plain JSON. */
export function tallyOf({ requests, findings, kept, sights }: TallyData): Tally {
  const sets = Object.fromEntries(coverageNames.map((name) => [name, new Set(sights[name])]));
  return { requests, findings: new Map(findings), kept: new Set(kept), sights: sets as unknown as Tally["sights"] };
}
