import { formatCount } from "../../common/phrases.js";
import { findSkipReason } from "../execute/skip-reason.js";
import { findPropertySkipReason, type Property } from "../property/property.js";
import type { Profile } from "../scenario/effects.js";
import type { Scenario } from "../scenario/scenario.js";
import type { Suite } from "../suite.js";
import type { Environment } from "../target/environment.js";
import type { Target } from "../target/target.js";
import { listTestableClauses } from "../verdict/clauses.js";

/** Items that are missing together, and the number of clauses that can be judged with them. An item is a field of the target file or a flag. */
export interface GapGroup {
  items: readonly string[];
  clauses: number;
}

/** The clauses that can be judged on a target, and the items that are missing to judge more. */
export interface TargetGaps {
  /** Clauses that can be judged now. */
  judgeable: number;
  /** Clauses that the selected scenarios and properties can judge on a complete target. */
  total: number;
  /** Returns the groups that add most clauses, best first. Each counts what it adds to the groups before it. */
  best(max: number): GapGroup[];
  /** Returns how many clauses one item adds alone, and how many more also need other items. */
  valueOf(item: string): { alone: number; with_others: number };
  /** Every missing item. */
  items: readonly string[];
}

/** The target and the permissions of a run. */
interface RunContext {
  target: Target;
  profile: Profile;
  maxWaitSeconds: number;
  environment?: Environment | undefined;
}

/** One scenario or property: the clauses that it judges, and the items that it lacks. */
interface Gap {
  clauses: readonly string[];
  missing: readonly string[];
}

/** Derives the missing items of a target from the needs of scenarios and properties. Sends no request. */
export function findTargetGaps(
  suite: Suite,
  checks: { scenarios: readonly Scenario[]; properties: readonly Property[] },
  { environment, ...context }: RunContext,
): TargetGaps {
  const run = { ...context, suite };
  const testable = new Set(listTestableClauses(suite.clauses));
  const all: Gap[] = [
    ...checks.scenarios.map((scenario) => ({ clauses: scenario.claims, skip: findSkipReason(run, scenario, environment) })),
    ...checks.properties.map((property) => ({
      clauses: property.proves,
      skip: findPropertySkipReason(property, run, environment),
    })),
  ].map(({ clauses, skip }) => ({ missing: skip?.missing ?? [], clauses: clauses.filter((id) => testable.has(id)) }));
  const judgeable = new Set(all.filter(({ missing }) => missing.length === 0).flatMap(({ clauses }) => clauses));
  const gaps = all
    .map(({ clauses, missing }) => ({ missing, clauses: clauses.filter((id) => !judgeable.has(id)) }))
    .filter(({ clauses }) => clauses.length > 0);
  return {
    judgeable: judgeable.size,
    total: new Set(all.flatMap(({ clauses }) => clauses)).size,
    best: (max) => listLargestGroups(gaps, max),
    valueOf: (item) => {
      const alone = countClauses(gaps.filter(({ missing }) => missing.length === 1 && missing[0] === item));
      return { alone, with_others: countClauses(gaps.filter(({ missing }) => missing.includes(item))) - alone };
    },
    items: [...new Set(gaps.flatMap(({ missing }) => missing))],
  };
}

/** Returns the last lines of a run: what to add to the target to judge more clauses. */
export function formatGaps(gaps: TargetGaps, max = 3): string[] {
  const lines = gaps
    .best(max)
    .map(({ items, clauses }) => `  ${formatCount(clauses, "more clause")} can be judged once you add ${items.join(" and ")}`);
  if (lines.length === 0) return [];
  return [`${gaps.judgeable} of ${gaps.total} clauses can be judged on this target.`, ...lines];
}

/** Repeatedly chooses the group that adds most clauses for each of its items, until no group adds any. */
function listLargestGroups(gaps: readonly Gap[], max: number): GapGroup[] {
  const gapGroups: GapGroup[] = [];
  const present = new Set<string>();
  const judged = new Set<string>();
  while (gapGroups.length < max) {
    const groups = new Map(
      gaps
        .filter(({ clauses }) => clauses.some((id) => !judged.has(id)))
        .map(({ missing }) => missing.filter((item) => !present.has(item)))
        .map((items) => [items.toSorted().join(" "), items]),
    );
    const candidates = [...groups.values()].map((items) => {
      const withItems = new Set([...present, ...items]);
      const closedGaps = gaps.filter(({ missing }) => missing.every((item) => withItems.has(item)));
      return { items, clauses: new Set(closedGaps.flatMap(({ clauses }) => clauses).filter((id) => !judged.has(id))) };
    });
    const [best] = candidates.toSorted((a, b) => b.clauses.size / b.items.length - a.clauses.size / a.items.length);
    if (!best) return gapGroups;
    gapGroups.push({ items: best.items, clauses: best.clauses.size });
    for (const item of best.items) present.add(item);
    for (const id of best.clauses) judged.add(id);
  }
  return gapGroups;
}

function countClauses(gaps: readonly Gap[]): number {
  return new Set(gaps.flatMap(({ clauses }) => clauses)).size;
}
