import { shellWord } from "../../common/escape/shell.js";
import type { Check, Verdict } from "../execute/check.js";
import type { PropertyLine } from "../property/result.js";
import type { SecondOpinion } from "../second-opinion/opinion.js";
import type { ClauseVerdict } from "../verdict/clauses.js";
import type { WaiverLine } from "../verdict/waivers.js";
import type { Outline } from "./outline.js";
import type { Report } from "./report.js";

/** A section of the contract and what was said of its clauses. */
export interface Section {
  number: number;
  title: string;
  clauses: ClauseVerdict[];
}

/** One reason why something was not judged, and the scenarios it stopped. */
export interface ReasonGroup {
  verdict: Verdict;
  reason: string;
  scenarios: string[];
}

/** Things that were not taken back, all of one sort and for one reason. */
export interface LeftoverGroup {
  what: string;
  why: string;
  ids: string[];
  scenarios: string[];
}

const ORDER: readonly Verdict[] = [
  "passed",
  "failed",
  "stale-waiver",
  "waived",
  "harness-error",
  "inconclusive",
  "not-observed",
  "warned",
  "not-applicable",
  "informational",
];
const ALWAYS = new Set<Verdict>(["passed", "failed", "inconclusive", "not-observed", "not-applicable"]);

/** The clauses of a report by section; a section of which nothing is said is left out. */
export function sectionsOf({ clauses }: Report, outline: Outline): Section[] {
  return outline.sections
    .map((title, index) => ({
      number: index + 1,
      title,
      clauses: clauses.filter(({ id }) => outline.clauses[id]?.section === index + 1),
    }))
    .filter((section) => section.clauses.length > 0);
}

/** Where the contract says a clause: `§3 Borrowing: Rule 2`. */
export function placeOfClause(id: string, { clauses, sections }: Pick<Outline, "clauses" | "sections">): string {
  const { section, at } = clauses[id] ?? {};
  if (section === undefined) return "";
  return [`§${section} ${sections[section - 1] ?? ""}`.trim(), ...(at === undefined ? [] : [at])].join(": ");
}

/** The verdicts that a table of this report has columns for. */
export function columnsOf({ counts }: Report): Verdict[] {
  return ORDER.filter((verdict) => ALWAYS.has(verdict) || counts[verdict]);
}

/** The checks by which the server contradicts the contract. */
export function findings({ checks }: Report): Check[] {
  return checks.filter(({ verdict }) => verdict === "failed");
}

/** The waivers that must go, as their clauses pass. */
export function staleWaivers({ waivers }: Report): WaiverLine[] {
  return waivers.filter(({ state }) => state === "stale");
}

/** Returns the waivers that are not stale, with what each does in this run. */
export function waiverEffects(report: Pick<Report, "waivers" | "target">): { clause: string; effect: string; ticket: string }[] {
  return report.waivers
    .filter(({ state }) => state !== "stale")
    .map((waiver) => ({ clause: waiver.clause, effect: waiverEffect(waiver, report), ticket: waiver.ticket }));
}

/** Says what a waiver does in a run: `waived until 2026-12-31: REASON`, or why it waives nothing. */
export function waiverEffect({ state, reason, expires, target }: WaiverLine, run: Pick<Report, "target">): string {
  switch (state) {
    case "used":
      return `waived until ${expires}: ${reason}`;
    case "expired":
      return `waives nothing: it expired on ${expires}`;
    case "elsewhere":
      return `waives nothing: it is for the target ${target}, not for ${run.target}`;
    case "unused":
      return `waives nothing: its clause did not fail (valid until ${expires})`;
    case "stale":
      return `stale: its clause passes (valid until ${expires})`;
    default:
      return state satisfies never;
  }
}

/**
 * Why scenarios were not judged: each reason once, those that stopped most first; what findings explain is left out. Reasons that differ only in
 * which step and in what came are one.
 */
export function reasonGroups(report: Report): ReasonGroup[] {
  const groups = new Map<string, ReasonGroup>();
  const explained = explainedScenarios(report);
  for (const { scenario, verdict, reason = "" } of report.scenarios) {
    if (!["inconclusive", "not-applicable", "harness-error", "not-observed"].includes(verdict) || explained.has(scenario))
      continue;
    const key = `${verdict} ${withoutPlace(reason)}`;
    const group = groups.get(key) ?? { verdict, reason, scenarios: [] };
    groups.set(key, { ...group, scenarios: [...group.scenarios, scenario] });
  }
  return [...groups.values()].sort((a, b) => b.scenarios.length - a.scenarios.length);
}

/** Scenarios that could not be judged for what findings of others have shown. */
export function explainedScenarios({ scenarios, checks, causes = [] }: Report): Set<string> {
  const behind = new Set(causes.flatMap(({ unjudged }) => unjudged));
  const names = scenarios.filter(({ verdict }) => verdict === "inconclusive").map(({ scenario }) => scenario);
  return new Set(
    names.filter((name) => {
      const own = checks.filter(({ scenario, verdict }) => scenario === name && verdict === "inconclusive");
      return own.length > 0 && own.every(({ id }) => behind.has(id));
    }),
  );
}

/** A reason without the step that it begins with, and without the values in it. */
function withoutPlace(reason: string): string {
  return reason
    .replace(/^[\w.#[\]-]+: /, "")
    .replace(/^([^{[]*)[{[].*[}\]]/s, "$1…")
    .replace(/"[^"]*"/g, "…")
    .replace(/\d+/g, "#");
}

/** Paid work that a run has started: things of one sort together. */
export function startedGroups({ started = [] }: Pick<Report, "started">): { what: string; ids: string[] }[] {
  const groups = new Map<string, string[]>();
  for (const { what, id } of started)
    groups.set(what, [...(groups.get(what) ?? []), id === "" ? "one that no answer named" : id]);
  return [...groups].map(([what, ids]) => ({ what, ids }));
}

/** What the run could not take back: things of one sort that stay for one reason together. */
export function leftoverGroups({ leftovers = [] }: Pick<Report, "leftovers">): LeftoverGroup[] {
  const groups = new Map<string, LeftoverGroup>();
  for (const { what, why, id, scenario } of leftovers) {
    const group = groups.get(`${what} ${why}`) ?? { what, why, ids: [], scenarios: [] };
    const named = id === "" ? "one that no answer named" : id;
    groups.set(`${what} ${why}`, {
      what,
      why,
      ids: [...group.ids, named],
      scenarios: [...new Set([...group.scenarios, scenario])],
    });
  }
  return [...groups.values()];
}

/** The verdict in a line: `failed: staging, profile safe`. */
export function headline({ verdict, target, profile, claim, selection }: Report): string {
  const { shard, missing_shards: missing } = selection;
  const part = shard ? `, shard ${shard.index}/${shard.of}` : missing ? `, without shard ${missing.join(", ")}` : "";
  const edition = claim ? `, edition ${claim.edition}` : "";
  return `${verdict}: ${target}, profile ${profile}${edition}${part}`;
}

/** What the run did, in a line. */
export function effort(report: Report): string {
  const { scenarios, properties, checks, requests, paid, waited_s, seed, shortened_answers: shortened = 0 } = report;
  const cases = properties.reduce((sum, { runs }) => sum + runs, 0);
  const cut = shortened > 0 ? `; ${shortened} bodies shortened in the trace` : "";
  const drawn = properties.length > 0 ? ` ${properties.length} properties on ${cases} cases,` : "";
  return `${scenarios.length - properties.length} scenarios, ${checks.length} checks,${drawn} ${requests} requests (${paid} may cost), waited ${Math.round(waited_s)} s, seed ${seed}${cut}`;
}

/** The points of the contract that the cases of a property reached, a line for each kind of point, with what was left out. */
export function coverageLines({ coverage = {} }: PropertyLine): string[] {
  return Object.entries(coverage).map(([kind, names]) => {
    const left = Object.keys(names).filter((name) => names[name] === 0);
    const all = Object.keys(names).length;
    return `${all - left.length} of ${all} ${kind}${left.length > 0 ? `; not ${left.join(", ")}` : ""}`;
  });
}

/** The points of each kind that all properties together reached, each once, and how many there are. */
export function coverageTotals(properties: readonly PropertyLine[]): { kind: string; visited: number; all: number }[] {
  const kinds = new Map<string, Map<string, number>>();
  for (const [kind, names] of properties.flatMap(({ coverage = {} }) => Object.entries(coverage))) {
    const points = kinds.get(kind) ?? new Map<string, number>();
    for (const [name, visits] of Object.entries(names)) points.set(name, (points.get(name) ?? 0) + visits);
    kinds.set(kind, points);
  }
  return [...kinds].map(([kind, points]) => {
    const visited = [...points.values()].filter((visits) => visits > 0).length;
    return { kind, visited, all: points.size };
  });
}

/** What the other validator found, in a line. */
export function opinionLine({ validator, version, exchanges, unjudged, request_violations, violations }: SecondOpinion): string {
  const count = violations.reduce((sum, violation) => sum + violation.count, 0);
  const answers =
    count === 0 ? "no answer departs from the published document" : `${count} departures from the published document`;
  const left = unjudged === 0 ? "" : `; ${unjudged} exchanges it could not judge`;
  return `${validator} ${version} on ${exchanges} exchanges: ${answers}; ${request_violations} in requests, where tests depart on purpose${left}`;
}

/** The command that executes a check's scenario again on the same server. */
export function replayCommand(
  { url, target_file, profile }: Pick<Report, "url" | "target_file" | "profile">,
  { file, replay }: Pick<Check, "file" | "replay">,
): string {
  const target = target_file === undefined ? "" : ` --target ${quoted(target_file)}`;
  return `npx counterpart-kit replay ${quoted(replay ?? file)} ${quoted(url)}${target} --profile ${profile}`;
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : shellWord(word);
}
