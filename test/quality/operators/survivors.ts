import { parse } from "yaml";
import { contract } from "../../../src/contract/load.js";
import type { OperatorEnd, OperatorFinding } from "./examine.js";
import type { OperatorMutant } from "./instrument.js";

/**
 * Why the suite does not find mutants: they behave equally; the contract leaves the behaviour open; they are outside the contract; or a
 * check is missing, which is known.
 */
const CAUSES = ["equivalent", "open", "outside", "hole"] as const;

/** Mutants of one file that survive, and why they may. */
export interface Explanation {
  file: string;
  because: (typeof CAUSES)[number];
  /** For `open`: the point of `spec/assumptions.json`, or the clause that is open or assumed. */
  point?: string;
  reason: string;
  /**
   * Top-level functions of the file, or with the kind of mutant and its change: `isKeyLive`, `isKeyLive EqualityOperator`, `isKeyLive
   * EqualityOperator > to >=`. `@2` at the end selects only the second such mutant of the function.
   */
  mutants: string[];
}

/** `survivors.yaml`: files and functions outside the contract, files by how their names begin; and what survives elsewhere. */
export interface Survivors {
  outside: { files: string[]; functions?: string[]; reason: string }[];
  survivors: Explanation[];
}

/** Returns what `survivors.yaml` holds: it lists explanations by file. */
export function parseSurvivors(text: string): Survivors {
  const { outside, survivors } = parse(text) as Pick<Survivors, "outside"> & {
    survivors: Record<string, Omit<Explanation, "file">[]>;
  };
  return {
    outside,
    survivors: Object.entries(survivors).flatMap(([file, rules]) => rules.map((rule) => ({ file, ...rule }))),
  };
}

/** The counts of all findings. */
export interface OperatorQuality {
  counts: Record<OperatorEnd, number> & {
    /** All mutants, including those in files outside the contract. */
    mutants: number;
    /** Of these: in files outside the contract; and in functions and lines of other files that do not implement it. */
    in_other_files: number;
    in_other_lines: number;
    examined: number;
    /** Not found, with a reason of each kind, and without one. */
    equivalent: number;
    open: number;
    outside: number;
    /** Known survivors that the contract may forbid. */
    hole: number;
    unexplained: number;
  };
  unexplained: (OperatorFinding & { line: number })[];
  /** Explanations that explain nothing, a line each. */
  stale: string[];
  seconds: number;
  /** Seed of the draw and of the cases. */
  seed: number;
  /** The examined mutants, in a sentence. */
  plan: string;
}

/** Whether a mutant is outside the contract. */
export function isOutside({ outside }: Survivors, mutant: OperatorMutant): boolean {
  return outside.some((rule) => isOfFiles(rule, mutant.file) && (rule.functions?.includes(mutant.within) ?? true));
}

function isOfFiles({ files }: Survivors["outside"][number], file: string): boolean {
  return files.some((beginning) => file.startsWith(beginning));
}

/** Returns whether a part of a rule, such as `isKeyLive EqualityOperator > to >= @2`, stands for a mutant. */
function belongsTo({ within, mutator, change, nth }: OperatorMutant, part: string): boolean {
  const [kind = "", ...places] = part.split(" @");
  if (places.length > 0 && !places.includes(String(nth))) return false;
  return [within, `${within} ${mutator}`, `${within} ${mutator} ${change}`].some((one) => one.trimEnd() === kind);
}

/** Whether a whole file is. */
export function isWhollyOutside({ outside }: Survivors, file: string): boolean {
  return outside.some((rule) => rule.functions === undefined && isOfFiles(rule, file));
}

/** Returns whether a rule explains why a mutant survives. */
export function isExplainedSurvivor({ survivors }: Survivors, mutant: OperatorMutant): boolean {
  return survivors.some(({ file, mutants }) => file === mutant.file && mutants.some((part) => belongsTo(mutant, part)));
}

/** Judges findings by their explanations. An explanation is stale only if its mutants were examined, or if it has none. */
export function judgeOperators(
  survivors: Survivors,
  all: readonly OperatorMutant[],
  findings: readonly OperatorFinding[],
  made: Pick<OperatorQuality, "seconds" | "plan" | "seed">,
): OperatorQuality {
  // where several rules stand for a mutant, the first one counts
  const causes = new Map(
    survivors.survivors
      .toReversed()
      .flatMap((survivor) =>
        survivor.mutants.flatMap((part) => listMatchingMutants(survivor, part, all).map((key) => [key, survivor.because])),
      ),
  );
  const operatorFindings = findings.filter(({ end }) => !isDead(end));
  const lines = new Map(all.map((mutant) => [getKey(mutant), mutant.line]));
  const getCause = (finding: OperatorFinding) => causes.get(getKey(finding));
  const unexplained = operatorFindings.filter((finding) => getCause(finding) === undefined);
  const explained = (cause: Explanation["because"]) => operatorFindings.filter((finding) => getCause(finding) === cause).length;
  const ended = (end: OperatorEnd) => findings.filter((finding) => finding.end === end).length;
  return {
    ...made,
    counts: {
      mutants: all.length,
      in_other_files: all.filter(({ file }) => isWhollyOutside(survivors, file)).length,
      in_other_lines: all.filter((mutant) => isOutside(survivors, mutant) && !isWhollyOutside(survivors, mutant.file)).length,
      examined: findings.length,
      killed: ended("killed"),
      timeout: ended("timeout"),
      crash: ended("crash"),
      inconclusive: ended("inconclusive"),
      survived: ended("survived"),
      unreached: ended("unreached"),
      equivalent: explained("equivalent"),
      open: explained("open"),
      outside: explained("outside"),
      hole: explained("hole"),
      unexplained: unexplained.length,
    },
    unexplained: unexplained.map((finding) => ({ ...finding, line: lines.get(getKey(finding)) ?? 0 })),
    stale: [...staleIn(survivors, all, findings), ...emptyIn(survivors, all), ...mistakesIn(survivors)],
  };
}

/** Whether every mutant that was examined is dead or explained, and every explanation explains one. */
export function isExplained({ unexplained, stale }: OperatorQuality): boolean {
  return unexplained.length === 0 && stale.length === 0;
}

function isDead(end: OperatorEnd): boolean {
  return end === "killed" || end === "timeout" || end === "crash";
}

/** Returns the rules that name no mutant, and those whose mutants were all examined and all die. */
function staleIn({ survivors }: Survivors, all: readonly OperatorMutant[], findings: readonly OperatorFinding[]): string[] {
  const foundOperatorFindings = new Map(findings.map((finding) => [getKey(finding), finding]));
  return survivors.flatMap((rule) => {
    const parts = rule.mutants.map((part) => ({ part, keys: listMatchingMutants(rule, part, all) }));
    const empty = parts.flatMap(({ part, keys }) => (keys.length === 0 ? [`${rule.file}: no mutant is named "${part}"`] : []));
    const keys = parts.flatMap((part) => part.keys);
    const deadOperatorFindings = keys.flatMap((key) => foundOperatorFindings.get(key) ?? []).filter(({ end }) => isDead(end));
    if (keys.length === 0 || deadOperatorFindings.length < keys.length) return empty;
    return [
      ...empty,
      `${rule.file}: "${rule.mutants.join('", "')}" is found by ${deadOperatorFindings[0]?.by ?? deadOperatorFindings[0]?.end}`,
    ];
  });
}

/** The mutants that a part of an explanation means. */
function listMatchingMutants({ file }: Explanation, part: string, all: readonly OperatorMutant[]): string[] {
  return all.filter((mutant) => mutant.file === file && belongsTo(mutant, part)).map(getKey);
}

function emptyIn({ outside }: Survivors, all: readonly OperatorMutant[]): string[] {
  return outside.flatMap(({ files, functions }) =>
    files.flatMap((beginning) => {
      const mutants = all.filter(({ file }) => file.startsWith(beginning));
      const names = functions ?? [undefined];
      return names
        .filter((name) => !mutants.some(({ within }) => name === undefined || within === name))
        .map((name) => `${beginning}: there is no mutant${name === undefined ? "" : ` in "${name}"`}`);
    }),
  );
}

function mistakesIn({ outside, survivors }: Survivors): string[] {
  const { clauses, assumptions } = contract;
  const isOpen = (point: string) =>
    point in assumptions || ["open", "assumed"].includes((clauses as Record<string, { level: string }>)[point]?.level ?? "");
  return [
    ...[...outside, ...survivors].flatMap(({ reason }) => (reason.trim() === "" ? ["a reason is empty"] : [])),
    ...survivors.flatMap(({ file, because, point }) => {
      if (!CAUSES.includes(because)) return [`${file}: "${because}" is none of ${CAUSES.join(", ")}`];
      return because === "open" && !isOpen(point ?? "")
        ? [`${file}: "${point}" is not a point that the contract leaves open`]
        : [];
    }),
  ];
}

function getKey({ file, name }: { file: string; name: string }): string {
  return `${file} ${name}`;
}
