import { countLosses } from "../execute/outages.js";
import type { RunEvidence } from "../report/report.js";
import { joinOpinions } from "../second-opinion/opinion.js";
import type { Suite } from "../suite.js";
import { removeWaivers } from "../verdict/apply-waivers.js";
import type { Waiver } from "../verdict/waivers.js";

/** The evidence of one shard, and its number. */
interface Shard {
  index: number;
  report: RunEvidence;
}

/** Merges the evidence of shards into the evidence of one run. */
export function joinShards(suite: Suite, of: number, shards: readonly Shard[]): RunEvidence {
  const reports = shards.map(({ report }) => report);
  const [first] = reports;
  if (!first) throw new Error("there are no shards");
  const { hooks, ...common } = first;
  const { shard: _, ...selection } = first.selection;
  const missing = Array.from({ length: of }, (_, i) => i + 1).filter((index) => !shards.some((shard) => shard.index === index));
  const scenarios = interleave(reports.map((report) => report.scenarios));
  const checks = reports.flatMap((report) => report.checks);
  const opinion = joinOpinions(
    reports.flatMap(({ second_opinion }) => second_opinion ?? []),
    suite.document.operationOf,
  );
  const notes = [...new Set(reports.flatMap(({ notes = [] }) => notes))];
  const startedItems = reports.flatMap((report) => report.started ?? []);
  const leftovers = reports.flatMap(({ leftovers = [] }) => leftovers);
  const sum = (of: "requests" | "paid" | "waited_s" | "shortened_responses") =>
    reports.reduce((total, report) => total + (report[of] ?? 0), 0);
  const lostConnections = countLosses(reports.map((report) => report.lost_connections));
  const shortened = sum("shortened_responses");
  return {
    ...common,
    ...(hooks && reports.every((report) => report.hooks === hooks) && { hooks }),
    ...removeWaivers({
      scenarios,
      checks: scenarios.flatMap((line) => checks.filter((check) => check.scenario === line.scenario)),
    }),
    selection: { ...selection, ...(missing.length > 0 && { missing_shards: missing }) },
    started_at: reports.map(({ started_at }) => started_at).sort()[0] ?? first.started_at,
    requests: sum("requests"),
    paid: sum("paid"),
    waited_s: sum("waited_s"),
    waivers: dropDuplicates(reports.flatMap(({ waivers }) => waivers)),
    properties: reports.flatMap(({ properties }) => properties),
    ...(lostConnections && { lost_connections: lostConnections }),
    ...(notes.length > 0 && { notes }),
    ...(startedItems.length > 0 && { started: startedItems }),
    ...(leftovers.length > 0 && { leftovers }),
    ...(shortened > 0 && { shortened_responses: shortened }),
    ...(opinion && { second_opinion: opinion }),
  };
}

/** Interleaves lists. Shards take every n-th item of the suite, so this restores the suite's order. */
function interleave<T>(lists: readonly (readonly T[])[]): T[] {
  const longest = Math.max(...lists.map((list) => list.length));
  return Array.from({ length: longest }, (_, at) => lists.flatMap((list) => list.slice(at, at + 1))).flat();
}

function dropDuplicates(waivers: readonly Waiver[]): Waiver[] {
  return [...new Map(waivers.map((waiver) => [`${waiver.clause} ${waiver.target}`, waiver])).values()];
}
