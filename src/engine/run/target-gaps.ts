import { obstacle } from "../execute/obstacle.js";
import type { Property } from "../property/property.js";
import { forbidden, type Profile } from "../scenario/effects.js";
import { needsOf } from "../scenario/needs.js";
import type { Scenario } from "../scenario/scenario.js";
import type { Suite } from "../suite.js";
import type { Environment } from "../target/environment.js";
import { bindingAt, meetsNeed } from "../target/needs.js";
import type { Target } from "../target/target.js";
import { testableClauses } from "../verdict/clauses.js";

/** Things that a target lacks, as a target file or a command line names them, and how many clauses more could be judged with them. */
export interface GapGroup {
  things: readonly string[];
  clauses: number;
}

/** What a target lets be judged, and what would let more be. */
export interface TargetGaps {
  /** Clauses that a check can judge as things are. */
  judged: number;
  /** Clauses that any check of the selection judges. */
  all: number;
  /** What would earn most, one after the other: each counts what it adds to those before it. */
  best(most: number): GapGroup[];
  /** What one thing earns alone, and before how many clauses it stands, with others or alone. */
  of(thing: string): { alone: number; before: number };
  /** Every thing that is missing for something. */
  missing: readonly string[];
}

/** What checks are played with. */
interface Means {
  target: Target;
  profile: Profile;
  maxWaitSeconds: number;
  environment?: Environment | undefined;
}

/** One check, the clauses that it judges, and what is missing for it. */
interface Check {
  clauses: readonly string[];
  missing: readonly string[];
}

/** Works out what a target lacks, from what each scenario and property of the selection needs. Nothing is asked. */
export function targetGaps(
  suite: Suite,
  checks: { scenarios: readonly Scenario[]; properties: readonly Property[] },
  means: Means,
): TargetGaps {
  const known = new Set(testableClauses(suite.clauses));
  const all: Check[] = [
    ...checks.scenarios.map((one) => ({ clauses: one.claims, missing: missingFor(suite, one, means) })),
    ...checks.properties.map((one) => ({ clauses: one.proves, missing: missingForProperty(suite, one, means) })),
  ].map(({ clauses, missing }) => ({ missing, clauses: clauses.filter((id) => known.has(id)) }));
  const judged = new Set(all.filter(({ missing }) => missing.length === 0).flatMap(({ clauses }) => clauses));
  const blocked = all
    .map(({ clauses, missing }) => ({ missing, clauses: clauses.filter((id) => !judged.has(id)) }))
    .filter(({ clauses }) => clauses.length > 0);
  return {
    judged: judged.size,
    all: new Set(all.flatMap(({ clauses }) => clauses)).size,
    best: (most) => greedy(blocked, most),
    of: (thing) => ({
      alone: count(blocked.filter(({ missing }) => missing.length === 1 && missing[0] === thing)),
      before: count(blocked.filter(({ missing }) => missing.includes(thing))),
    }),
    missing: [...new Set(blocked.flatMap(({ missing }) => missing))],
  };
}

/** The last lines of a run: what would earn most. */
export function gapLines(earnings: TargetGaps, most = 3): string[] {
  const lines = earnings
    .best(most)
    .map(({ things, clauses }) => `  add ${things.join(" and ")}: ${clauses} ${clauses === 1 ? "clause" : "clauses"} more`);
  if (lines.length === 0) return [];
  return [`${earnings.judged} of ${earnings.all} clauses can be judged on this target; what would earn most:`, ...lines];
}

/** Takes, each time, the set of things that adds most clauses for a thing, until nothing adds any. */
function greedy(blocked: readonly Check[], most: number): GapGroup[] {
  const found: GapGroup[] = [];
  const had = new Set<string>();
  const judged = new Set<string>();
  while (found.length < most) {
    const sets = new Map(
      blocked
        .filter(({ clauses }) => clauses.some((id) => !judged.has(id)))
        .map(({ missing }) => missing.filter((thing) => !had.has(thing)))
        .map((things) => [things.toSorted().join(" "), things]),
    );
    const earned = [...sets.values()].map((things) => {
      const with_ = new Set([...had, ...things]);
      const open = blocked.filter(({ missing }) => missing.every((thing) => with_.has(thing)));
      return { things, clauses: new Set(open.flatMap(({ clauses }) => clauses).filter((id) => !judged.has(id))) };
    });
    const [best] = earned.toSorted((a, b) => b.clauses.size / b.things.length - a.clauses.size / a.things.length);
    if (!best) return found;
    found.push({ things: best.things, clauses: best.clauses.size });
    for (const thing of best.things) had.add(thing);
    for (const id of best.clauses) judged.add(id);
  }
  return found;
}

function count(blocked: readonly Check[]): number {
  return new Set(blocked.flatMap(({ clauses }) => clauses)).size;
}

function missingFor(suite: Suite, scenario: Scenario, { target, profile, maxWaitSeconds, environment }: Means): string[] {
  const stops = obstacle({ target, profile, maxWaitSeconds }, scenario, environment);
  if (!stops) return [];
  const needs = needsOf(scenario, maxWaitSeconds);
  const shared = stops.outside && !forbidden(scenario, profile) ? ["exclusive: true"] : [];
  return [...profileFor(scenario, profile), ...shared, ...unmet(suite, needs, target, environment)];
}

function missingForProperty(suite: Suite, property: Property, { target, profile, environment }: Means): string[] {
  const { effects, needs } = property;
  const allowed = effects.flatMap((one) => (one === "paid" || one === "destructive" ? [`allow.${one}`] : []));
  const all = [`key.${suite.defaultRole}`, ...needs, ...allowed];
  return [...profileFor(property, profile), ...unmet(suite, all, target, environment)];
}

function profileFor(of: Pick<Scenario, "effects">, profile: Profile): string[] {
  const wanted = (["safe", "full"] as const).find((wider) => !forbidden(of, wider));
  return forbidden(of, profile) && wanted ? [`--profile ${wanted}`] : [];
}

function unmet({ target: rules }: Suite, needs: readonly string[], target: Target, environment?: Environment): string[] {
  const missing = needs.filter((need) => !meetsNeed(need, target, environment));
  return [...new Set(missing.map((need) => thingOf(need, target, rules.names?.bindings ?? {})))];
}

/** A need as whoever can meet it would say it: a field of the target file, or a flag. */
export function thingOf(
  need: string,
  { bindings }: Pick<Target, "bindings">,
  known: Readonly<Record<string, { parts?: { needed: string } }>>,
): string {
  const [kind = "", ...rest] = need.split(".");
  const name = rest.join(".");
  switch (kind) {
    case "clock":
      return "a clock hook";
    case "worlds":
      return "worlds";
    case "repos":
      return `repos: ${name} of them`;
    case "surface":
      return `${name}_url`;
    case "key":
      return `keys.${name}`;
    case "session":
      return `sessions.${name}`;
    case "allow":
      return `allow.${name}: true`;
    case "drive":
      return `drive.${name}`;
    default:
      return bindingOf(name, bindings, known);
  }
}

/** Bindings that are of use together are one thing: the parts of one, a tool and its arguments. */
function bindingOf(
  name: string,
  bindings: Record<string, unknown>,
  known: Readonly<Record<string, { parts?: { needed: string } }>>,
): string {
  const [first = "", second = "", ...rest] = name.split(".");
  if (first === "tool_args" && bindingAt(bindings, `tools.${second}`) === undefined && rest.length > 0)
    return `bindings.tools.${second}`;
  return known[first]?.parts?.needed === "all" ? `bindings.${first}` : `bindings.${name}`;
}
