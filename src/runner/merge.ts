import { joinTraces, tracesBeside } from "./bundle/join.js";
import { readSigningKey } from "./bundle/sign.js";
import { conclude, type Evidence } from "./conclude.js";
import { deliver } from "./deliver.js";
import type { RunResult, VerifyOptions } from "./options.js";
import { readReport } from "./report/read.js";
import type { Report } from "./report/report.js";
import { joinOpinions } from "./second-opinion.js";
import { ledger } from "./suite.js";
import { withoutWaivers } from "./waive.js";
import { type Waiver, waiversText } from "./waivers.js";

/** The report of one shard, and the file it was read from. */
interface Shard {
  file: string;
  report: Report;
  index: number;
  of: number;
}

type Read = { ok: true; shards: Shard[] } | { ok: false; mistakes: string[] };

/** Merges the reports of the shards of one run, given by their directories or files, and judges the whole as one run would be. */
export async function merge(
  places: readonly string[],
  options: Pick<VerifyOptions, "out" | "forms" | "signKey"> = {},
): Promise<RunResult> {
  const read = readShards(places);
  const signing = options.signKey === undefined ? undefined : readSigningKey(options.signKey);
  if (signing?.ok === false) return { exitCode: 2, messages: [signing.mistake] };
  if (!read.ok) return { exitCode: 2, messages: read.mistakes };
  const evidence = joinShards(read.shards);
  const beside = tracesBeside(read.shards.map(({ file }) => file));
  const { out = "" } = options;
  const result = await deliver(conclude(ledger, evidence), options, async () => ({
    ...(beside.ok && { trace: await joinTraces(out, beside.traces) }),
    waivers: waiversText(evidence.waivers),
    key: signing?.key,
  }));
  const { missing_shards: missing } = evidence.selection;
  const of = read.shards[0]?.of;
  return {
    ...result,
    messages: [
      ...result.messages,
      ...(missing
        ? [`no report of shard ${missing.join(", ")} of ${of}: the claim of the whole suite is not earned without`]
        : []),
      ...(beside.ok || options.out === undefined
        ? []
        : [`no trace is joined, so the whole cannot be judged again: ${beside.why}`]),
    ],
  };
}

function readShards(places: readonly string[]): Read {
  const read = places.map(readShard);
  const mistakes = read.flatMap((one) => ("mistake" in one ? [one.mistake] : []));
  const shards = read.filter((one): one is Shard => "report" in one).sort((a, b) => a.index - b.index);
  mistakes.push(...(mistakes.length === 0 ? discord(shards) : []));
  return mistakes.length > 0 ? { ok: false, mistakes } : { ok: true, shards };
}

function readShard(place: string): Shard | { mistake: string } {
  const read = readReport(place);
  if ("mistake" in read) return read;
  const { shard } = read.report.selection;
  return shard ? { ...read, ...shard } : { mistake: `${read.file}: is not the report of a shard; make it with --shard i/n` };
}

/** Why these shards are not of one run: each must agree with the first, and none be there twice. */
function discord([first, ...others]: readonly Shard[]): string[] {
  if (!first) return ["no report is named"];
  const facts = ({ report, of }: Shard): Record<string, unknown> => ({
    version: report.suite.version,
    "digest of the clauses": report.suite.clauses_digest,
    "digest of the scenarios": report.suite.scenarios_digest,
    target: report.target,
    profile: report.profile,
    "claimed edition": report.claim?.edition,
    "number of shards": of,
    selection: [...report.selection.only, report.selection.surface].join(" "),
  });
  const agreed = facts(first);
  return others.flatMap((other, index) => {
    const differs = Object.entries(facts(other)).find(([name, value]) => agreed[name] !== value);
    if (differs) return [`${other.file}: another ${differs[0]} than ${first.file}: ${differs[1]}, not ${agreed[differs[0]]}`];
    const twin = [first, ...others].slice(0, index + 1).find((shard) => shard.index === other.index);
    return twin ? [`${other.file}: is shard ${other.index}/${other.of}, as ${twin.file} is`] : [];
  });
}

/** All that the shards saw, as one run would have seen it. */
function joinShards(shards: readonly Shard[]): Evidence {
  const { report: first, of } = shards[0] as Shard;
  const reports = shards.map(({ report }) => report);
  const { shard: _, ...selection } = first.selection;
  const missing = Array.from({ length: of }, (_, i) => i + 1).filter((index) => !shards.some((shard) => shard.index === index));
  const scenarios = inTurn(reports.map((report) => report.scenarios));
  const checks = reports.flatMap((report) => report.checks);
  const opinion = joinOpinions(reports.flatMap(({ second_opinion }) => second_opinion ?? []));
  const notes = [...new Set(reports.flatMap(({ notes = [] }) => notes))];
  const leftovers = reports.flatMap(({ leftovers = [] }) => leftovers);
  const sum = (of: "requests" | "paid" | "waited_s") => reports.reduce((total, report) => total + report[of], 0);
  return {
    ...first,
    ...withoutWaivers({
      scenarios,
      checks: scenarios.flatMap((line) => checks.filter((check) => check.scenario === line.scenario)),
    }),
    selection: { ...selection, ...(missing.length > 0 && { missing_shards: missing }) },
    started_at: reports.map(({ started_at }) => started_at).sort()[0] as string,
    requests: sum("requests"),
    paid: sum("paid"),
    waited_s: sum("waited_s"),
    waivers: distinct(reports.flatMap(({ waivers }) => waivers)),
    properties: reports.flatMap(({ properties }) => properties),
    ...(notes.length > 0 && { notes }),
    ...(leftovers.length > 0 && { leftovers }),
    ...(opinion && { second_opinion: opinion }),
  };
}

/** One of each list after the other: shards take turns in the suite, so this is its order again. */
function inTurn<T>(lists: readonly (readonly T[])[]): T[] {
  const longest = Math.max(...lists.map((list) => list.length));
  return Array.from({ length: longest }, (_, at) => lists.flatMap((list) => list.slice(at, at + 1))).flat();
}

function distinct(waivers: readonly Waiver[]): Waiver[] {
  return [...new Map(waivers.map((waiver) => [`${waiver.clause} ${waiver.target}`, waiver])).values()];
}
