import { quoteForShell } from "../../common/escape/shell.js";
import { formatCount, formatShortList } from "../../common/phrases.js";
import type { Check, Verdict } from "../execute/check.js";
import type { PropertyEntry } from "../property/result.js";
import type { SecondOpinion } from "../second-opinion/opinion.js";
import { formatClaim } from "../verdict/claim.js";
import type { ClauseVerdict } from "../verdict/clauses.js";
import type { WaiverEntry } from "../verdict/waivers.js";
import type { Outline } from "./outline.js";
import type { Report } from "./report.js";

/** A section of the contract with the verdicts of its clauses. */
export interface Section {
  number: number;
  title: string;
  clauses: ClauseVerdict[];
}

/** A reason why scenarios were not judged, with these scenarios. */
export interface ReasonGroup {
  verdict: Verdict;
  reason: string;
  scenarios: string[];
}

/** Leftovers of the same kind that could not be undone for the same reason. */
export interface LeftoverGroup {
  what: string;
  why: string;
  ids: string[];
  scenarios: string[];
}

const VERDICT_ORDER: readonly Verdict[] = [
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
const ALWAYS_COUNTED_VERDICTS = new Set<Verdict>(["passed", "failed", "inconclusive", "not-observed", "not-applicable"]);

/** Groups the clauses of a report by section. Omits sections without clauses. */
export function listSections({ clauses }: Report, outline: Outline): Section[] {
  return outline.sections
    .map((title, index) => ({
      number: index + 1,
      title,
      clauses: clauses.filter(({ id }) => outline.clauses[id]?.section === index + 1),
    }))
    .filter((section) => section.clauses.length > 0);
}

/** Returns the place of a clause in the contract: `§3 Borrowing: Rule 2`. */
export function describeClausePlace(id: string, { clauses, sections }: Pick<Outline, "clauses" | "sections">): string {
  const { section, at } = clauses[id] ?? {};
  if (section === undefined) return "";
  return [`§${section} ${sections[section - 1] ?? ""}`.trim(), ...(at === undefined ? [] : [at])].join(": ");
}

/** Returns the verdicts that are columns of the clause table. */
export function listColumns({ counts }: Report): Verdict[] {
  return VERDICT_ORDER.filter((verdict) => ALWAYS_COUNTED_VERDICTS.has(verdict) || counts[verdict]);
}

/** Returns the stale waivers: their clauses pass, so they must be removed. */
export function listStaleWaivers({ waivers }: Report): WaiverEntry[] {
  return waivers.filter(({ state }) => state === "stale");
}

/** Returns the other waivers, with the effect of each on this run. */
export function listWaiverEffects(
  report: Pick<Report, "waivers" | "target">,
): { clause: string; effect: string; ticket: string }[] {
  return report.waivers
    .filter(({ state }) => state !== "stale")
    .map((waiver) => ({ clause: waiver.clause, effect: describeWaiverEffect(waiver, report), ticket: waiver.ticket }));
}

/** Returns a line about a waiver: `waiver of CLAUSE (TICKET): EFFECT`. */
export function formatWaiverEffect({ clause, effect, ticket }: ReturnType<typeof listWaiverEffects>[number]): string {
  return `waiver of ${clause} (${ticket}): ${effect}`;
}

/** Describes the effect of a waiver on a run: `waived until 2026-12-31: REASON`, or why it has no effect. */
export function describeWaiverEffect({ state, reason, expires, target }: WaiverEntry, run: Pick<Report, "target">): string {
  switch (state) {
    case "used":
      return `waived until ${expires}: ${reason}`;
    case "expired":
      return `has no effect: it expired on ${expires}`;
    case "other-target":
      return `has no effect: it is for the target ${target}, not for ${run.target}`;
    case "unused":
      return `has no effect: its clause did not fail (valid until ${expires})`;
    case "stale":
      return `stale: its clause passes (valid until ${expires})`;
    default:
      return state satisfies never;
  }
}

/**
 * Groups the scenarios that were not judged by reason, with the largest group first. Reasons that differ only in the step or in values form one group.
 * Omits scenarios that a finding blocked.
 */
export function groupReasons(report: Report): ReasonGroup[] {
  const groups = new Map<string, ReasonGroup>();
  const explained = listBlockedScenarios(report);
  const firsts = new Map(report.checks.toReversed().map((check) => [`${check.scenario} ${check.verdict}`, check]));
  for (const { scenario, verdict, reason = "" } of report.scenarios) {
    if (!["inconclusive", "not-applicable", "harness-error", "not-observed"].includes(verdict) || explained.has(scenario))
      continue;
    const key = `${verdict} ${hideValues(firsts.get(`${scenario} ${verdict}`)?.reason ?? reason)}`;
    const group = groups.get(key) ?? { verdict, reason, scenarios: [] };
    groups.set(key, { ...group, scenarios: [...group.scenarios, scenario] });
  }
  return [...groups.values()].sort((a, b) => b.scenarios.length - a.scenarios.length);
}

/** Returns the scenarios that could not be judged because of findings in other scenarios. */
export function listBlockedScenarios({ scenarios, checks, causes = [] }: Report): Set<string> {
  const blocked = new Set(causes.flatMap(({ unjudged }) => unjudged));
  const names = scenarios.filter(({ verdict }) => verdict === "inconclusive").map(({ scenario }) => scenario);
  return new Set(
    names.filter((name) => {
      const ownChecks = checks.filter(({ scenario, verdict }) => scenario === name && verdict === "inconclusive");
      return ownChecks.length > 0 && ownChecks.every(({ id }) => blocked.has(id));
    }),
  );
}

/** Returns a reason without its values, so that the reasons of similar checks are equal. */
function hideValues(text: string): string {
  return text
    .replace(/^([^{[]*)[{[].*[}\]]/s, "$1…")
    .replace(/"[^"]*"/g, "…")
    .replace(/\d+/g, "#");
}

/** Groups the paid work that a run started by kind. */
export function groupStarted({ started = [] }: Pick<Report, "started">): { what: string; ids: string[] }[] {
  const groups = new Map<string, string[]>();
  for (const { what, id } of started) groups.set(what, [...(groups.get(what) ?? []), formatId(id)]);
  return [...groups].map(([what, ids]) => ({ what, ids }));
}

/** Groups the leftovers of a run by kind and reason. */
export function groupLeftovers({ leftovers = [] }: Pick<Report, "leftovers">): LeftoverGroup[] {
  const groups = new Map<string, LeftoverGroup>();
  for (const { what, why, id, scenario } of leftovers) {
    const group = groups.get(`${what} ${why}`) ?? { what, why, ids: [], scenarios: [] };
    groups.set(`${what} ${why}`, {
      what,
      why,
      ids: [...group.ids, formatId(id)],
      scenarios: [...new Set([...group.scenarios, scenario])],
    });
  }
  return [...groups.values()];
}

/** Returns an id, or `unknown id` for the empty id of an item that no response identified. */
function formatId(id: string): string {
  return id === "" ? "unknown id" : id;
}

/** Returns the name of the server and its version, if the user gave one: `staging 1.4.0`. */
export function formatServer({ target, server_version }: Pick<Report, "target" | "server_version">): string {
  return server_version === undefined ? target : `${target} ${server_version}`;
}

/** Returns the verdict in one line: `failed: staging, profile safe`. */
export function formatHeadline(report: Report): string {
  const { verdict, profile, claim, selection } = report;
  const { shard, missing_shards: missing } = selection;
  const part = shard ? `, shard ${shard.index}/${shard.of}` : missing ? `, without shard ${missing.join(", ")}` : "";
  const claimed = claim ? `, claim ${formatClaim(claim)}` : "";
  return `${verdict}: ${formatServer(report)}, profile ${profile}${claimed}${part}`;
}

/** Counts scenarios, checks, requests and waits of the run in one line. */
export function runSummary(report: Report): string {
  const { scenarios, properties, checks, requests, paid, waited_s, seed, shortened_responses: shortened = 0 } = report;
  const revision = report.mcp_revision === undefined ? "" : `, MCP ${report.mcp_revision}`;
  const cases = properties.reduce((sum, { runs }) => sum + runs, 0);
  const lost = describeLosses(report);
  const cut = shortened > 0 ? `; ${shortened} response bodies shortened in the trace` : "";
  const drawn = properties.length > 0 ? ` ${formatCount(properties.length, "property")} with ${formatCount(cases, "case")},` : "";
  return `${formatCount(scenarios.length - properties.length, "scenario")}, ${formatCount(checks.length, "check")},${drawn} ${formatCount(requests, "request")} (${paid} may cost money), waited ${Math.round(waited_s)} s, seed ${seed}${revision}${lost}${cut}`;
}

/** Describes the lost connections, and what was tried again because of them. Returns an empty text if there are none. */
function describeLosses({ lost_connections: losses }: Report): string {
  if (!losses) return "";
  const { lost, sent_again, played_again, outages, away_s } = losses;
  const again = Object.entries(played_again).map(([name, times]) => (times > 1 ? `${name} (${times} times)` : name));
  const parts = [
    ...(outages > 0
      ? [`waited ${outages === 1 ? "once" : `${outages} times`} for the server, ${Math.ceil(away_s)} s in all`]
      : []),
    `${formatCount(lost, "request")} lost the connection`,
    ...(sent_again > 0 ? [`${formatCount(sent_again, "request")} sent again`] : []),
    ...(again.length > 0 ? [`run again: ${formatShortList(again, MAX_NAMES)}`] : []),
  ];
  return `; ${parts.join(", ")}`;
}

const MAX_NAMES = 5;

/** Describes the coverage of a property: one line for each kind of point, with the points that no case reached. */
export function formatCoverage({ coverage = {} }: PropertyEntry): string[] {
  return Object.entries(coverage).map(([kind, names]) => {
    const missing = Object.keys(names).filter((name) => names[name] === 0);
    const all = Object.keys(names).length;
    return `${all - missing.length} of ${all} ${kind}${missing.length > 0 ? ` (missing: ${missing.join(", ")})` : ""}`;
  });
}

/** Counts the points of each kind that the properties together reached. */
export function sumCoverage(properties: readonly PropertyEntry[]): { kind: string; visited: number; all: number }[] {
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

/** Summarizes the second opinion in one line. */
export function describeSecondOpinion({
  validator,
  version,
  exchanges,
  unjudged,
  request_violations,
  violations,
}: SecondOpinion): string {
  const count = violations.reduce((sum, violation) => sum + violation.count, 0);
  const found =
    count === 0
      ? "every response matches the published document"
      : `${formatCount(count, "violation")} of the published document`;
  const inRequests = `${formatCount(request_violations, "violation")} in requests, which tests may contain on purpose`;
  const notJudged = unjudged === 0 ? "" : `; ${formatCount(unjudged, "exchange")} could not be judged`;
  return `${validator} ${version} on ${exchanges} exchanges: ${found}; ${inRequests}${notJudged}`;
}

/** Returns the command that executes the scenario of a check again on the same server. */
export function replayCommand(
  { url, target_file, profile }: Pick<Report, "url" | "target_file" | "profile">,
  { file, replay }: Pick<Check, "file" | "replay">,
): string {
  const target = target_file === undefined ? "" : ` --target ${quoteCommandWord(target_file)}`;
  return `npx counterpart-kit replay ${quoteCommandWord(replay ?? file)} ${quoteCommandWord(url)}${target} --profile ${profile}`;
}

/** Returns a word of a shell command, in quotation marks if necessary. */
export function quoteCommandWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : quoteForShell(word);
}
