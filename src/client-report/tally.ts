import type { ClauseId } from "../contract/types.js";
import type { Coverage } from "./coverage.js";
import type { FindingExample } from "./report.js";

/** The counts from which a report is written: of one client, or of the clients of many worlds. */
export interface Tally {
  requests: number;
  /** By the id of the rule that was broken. */
  findings: Map<string, FindingTally>;
  /** Clauses that at least one call could have broken and did not break. */
  passed: Set<ClauseId>;
  coverage: Pick<Coverage, CoverageName>;
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
  passed: ClauseId[];
  coverage: Record<CoverageName, string[]>;
}

/** A finding shows at most this many calls. */
export const maxExamples = 5;

const coverageNames = ["surfaces", "codes", "transitions", "pages", "routes", "tools"] as const;
type CoverageName = (typeof coverageNames)[number];

/** Returns a tally of no call. */
export function openTally(): Tally {
  const coverage = { surfaces: new Set(), codes: new Set(), transitions: new Set(), pages: new Set() };
  return {
    requests: 0,
    findings: new Map(),
    passed: new Set(),
    coverage: { ...coverage, routes: new Set(), tools: new Set() } as Tally["coverage"],
  };
}

/** Adds the calls of one tally to another. Keeps the first examples of each finding, so the size stays bounded. */
export function addTally(sum: Tally, { requests, findings, passed, coverage }: Tally): void {
  sum.requests += requests;
  for (const [id, { count, clauses, examples }] of findings) {
    const findingTally = sum.findings.get(id) ?? { count: 0, clauses: [], examples: [] };
    findingTally.clauses = [...new Set([...findingTally.clauses, ...clauses])];
    findingTally.count += count;
    findingTally.examples.push(
      ...examples.slice(0, maxExamples - findingTally.examples.length).map((example) => ({ ...example })),
    );
    sum.findings.set(id, findingTally);
  }
  for (const id of passed) sum.passed.add(id);
  for (const name of coverageNames) for (const one of coverage[name]) (sum.coverage[name] as Set<string>).add(one);
}

/** Returns a tally as plain JSON. */
export function writeTally({ requests, findings, passed, coverage }: Tally): TallyData {
  const lists = Object.fromEntries(coverageNames.map((name) => [name, [...coverage[name]]]));
  return { requests, findings: [...findings], passed: [...passed], coverage: lists as TallyData["coverage"] };
}

/** Returns the tally that was written as plain JSON. */
export function readTally({ requests, findings, passed, coverage }: TallyData): Tally {
  const sets = Object.fromEntries(coverageNames.map((name) => [name, new Set(coverage[name])]));
  return { requests, findings: new Map(findings), passed: new Set(passed), coverage: sets as unknown as Tally["coverage"] };
}
