import { joinBundleTraces, joinTraces } from "../evidence/bundle/join.js";
import { readSigningKey } from "../evidence/bundle/sign.js";
import { readReport } from "../report/read.js";
import type { Report } from "../report/report.js";
import type { Suite } from "../suite.js";
import { formatClaim } from "../verdict/claim.js";
import { judgeEvidence } from "../verdict/judge.js";
import { formatWaivers, type Waiver } from "../verdict/waivers.js";
import { joinShards } from "./join-shards.js";
import type { RunResult, VerifyOptions } from "./options.js";
import { write } from "./write.js";

/** The report of one shard, and the file it was read from. */
interface Shard {
  file: string;
  report: Report;
  index: number;
  of: number;
}

/** The shards of one run, sorted by number, or the mistakes in them. */
type ShardsResult = { ok: true; first: Shard; shards: readonly Shard[] } | { ok: false; mistakes: string[] };

/** Merges the reports of the shards of one run, and judges them as one run. `places` are directories or files. */
export async function merge(
  suite: Suite,
  places: readonly string[],
  options: Pick<VerifyOptions, "out" | "forms" | "signKey"> = {},
): Promise<RunResult> {
  const shardsResult = readShards(places);
  const signing = options.signKey === undefined ? undefined : readSigningKey(options.signKey);
  if (signing?.ok === false) return { exitCode: 2, messages: [signing.mistake] };
  if (!shardsResult.ok) return { exitCode: 2, messages: shardsResult.mistakes };
  const { first, shards } = shardsResult;
  const evidence = joinShards(suite, first.of, shards);
  const bundledTraces = joinBundleTraces(shards.map(({ file }) => file));
  const { out = "" } = options;
  const result = await write(suite, options, judgeEvidence(suite, evidence), async () => ({
    ...(bundledTraces.ok && { trace: await joinTraces(out, bundledTraces.traces) }),
    waivers: formatWaivers(evidence.waivers),
    key: signing?.key,
  }));
  const noTrace = !bundledTraces.ok && options.out !== undefined ? bundledTraces.why : undefined;
  return {
    ...result,
    messages: [
      ...result.messages,
      ...(noTrace === undefined ? [] : [`the traces were not merged, so the merged report cannot be judged again: ${noTrace}`]),
    ],
  };
}

function readShards(places: readonly string[]): ShardsResult {
  const read = places.map(readShard);
  const mistakes = read.flatMap((one) => ("mistake" in one ? [one.mistake] : []));
  const shards = read.filter((one): one is Shard => "report" in one).sort((a, b) => a.index - b.index);
  const [first, ...others] = shards;
  if (mistakes.length > 0) return { ok: false, mistakes };
  if (!first) return { ok: false, mistakes: ["no report is given"] };
  const conflicts = [...findConflicts(first, others), ...findWaiverConflicts(shards)];
  return conflicts.length > 0 ? { ok: false, mistakes: conflicts } : { ok: true, first, shards };
}

function readShard(place: string): Shard | { mistake: string } {
  const read = readReport(place);
  if ("mistake" in read) return read;
  const { shard } = read.report.selection;
  return shard ? { ...read, ...shard } : { mistake: `${read.file}: is not the report of a shard. Create one with --shard i/n.` };
}

/** Returns why shards do not belong to one run: a difference from the first shard, or the same number twice. */
function findConflicts(first: Shard, otherShards: readonly Shard[]): string[] {
  const facts = ({ report, of }: Shard): Record<string, unknown> => ({
    version: report.suite.version,
    "digest of the clauses": report.suite.clauses_digest,
    "digest of the scenarios": report.suite.scenarios_digest,
    target: report.target,
    profile: report.profile,
    claim: report.claim ? formatClaim(report.claim) : "everything",
    "number of shards": of,
    selection: [...report.selection.only, report.selection.surface].join(" "),
  });
  const expected = facts(first);
  return otherShards.flatMap((otherShard, index) => {
    const differs = Object.entries(facts(otherShard)).find(([name, value]) => expected[name] !== value);
    if (differs)
      return [`${otherShard.file}: its ${differs[0]} is ${differs[1]}, not ${expected[differs[0]]} as in ${first.file}`];
    const duplicate = [first, ...otherShards].slice(0, index + 1).find((shard) => shard.index === otherShard.index);
    return duplicate ? [`${otherShard.file}: is shard ${otherShard.index}/${otherShard.of}, the same as ${duplicate.file}`] : [];
  });
}

/** Returns a mistake for each waiver that two shards have with different reasons, tickets or days. */
function findWaiverConflicts(shards: readonly Shard[]): string[] {
  const known = new Map<string, { waiver: Waiver; file: string }>();
  return shards.flatMap(({ file, report }) =>
    report.waivers.flatMap((waiver) => {
      const { clause, target } = waiver;
      const name = JSON.stringify([clause, target]);
      const before = known.get(name);
      const field = before && (["reason", "ticket", "expires"] as const).find((one) => before.waiver[one] !== waiver[one]);
      if (!before) known.set(name, { waiver, file });
      if (!before || !field) return [];
      const [mine, other] = [waiver[field], before.waiver[field]];
      return [`${file}: its waiver of ${clause} for ${target} has the ${field} ${mine}, but ${other} in ${before.file}`];
    }),
  );
}
