import { contract } from "../../src/contract/load.js";
import { formatKillRateText } from "../../src/engine/report/quality.js";
import { listTestableClauses } from "../../src/engine/verdict/clauses.js";
import { getExcuse, isFlagged, type MutantLine, type Quality } from "./matrix.js";
import { operatorsLine, operatorsReport } from "./operators/words.js";
import { cell, table } from "./table.js";
import { legalRows } from "./variants.js";

const maxOtherNames = 4;

/** The verdict on the suite as Markdown: figures, the matrix clause by mutant, false alarms, clauses without a mutant. */
export function qualityReport(quality: Quality): string {
  const { plan, mutants, variants, constants, tests, unbroken, rates } = quality;
  const flagged = variants.filter(isFlagged);
  return [
    "# How good is the suite",
    plan.join("\n"),
    figures(quality),
    ...(rates ? [`## Rates by kind of run\n\n${rates.map((rate) => `- ${formatKillRateText(rate)}`).join("\n")}`] : []),
    "## Clause by mutant",
    table(["clause", "mutant: the mock …", "killed by", "also failed"], mutants.toSorted(byClause).map(row)),
    ...(quality.operators ? [operatorsReport(quality.operators)] : []),
    "## False alarms",
    table(
      ["legal variant", "clauses passed", "alarms"],
      variants.map(({ name, passed, alarms, problem }) => [name, String(passed), problem ?? String(alarms.length)]),
    ),
    "## How conforming servers end",
    table(
      ["legal variant", "exit code", "choices that keep clauses from being judged", "clauses whose reason names no choice"],
      variants.flatMap(({ name, end }) => (end ? [[name, String(end.exit_code), end.choices.join("; "), few(end.unnamed)]] : [])),
    ),
    ...flagged.map(({ name, alarms }) =>
      [`On ${name}${inBrackets(name)}:\n`, ...alarms.map((alarm) => `- ${cell(alarm)}`)].join("\n"),
    ),
    "## Clauses that pass on servers without behaviour",
    table(
      ["server", "clauses passed", "without reason"],
      constants.map(({ name, passed, alarms, problem }) => [name, String(passed), problem ?? alarms.join("; ")]),
    ),
    "## Tests tried to the full",
    table(
      ["file", "passed", "failed"],
      tests.map(({ name, passed, failed }) => [name, String(passed), failed.join("; ")]),
    ),
    "## Clauses of a server that no mutant breaks",
    table(
      ["clause", "failed on mutants of other clauses"],
      unbroken.map(({ clause, failed_on }) => [clause, few(failed_on)]),
    ),
    "## Clauses that no mutant can break",
    table(
      ["clause", "why"],
      listTestableClauses(contract.clauses).flatMap((clause) => {
        const excuse = getExcuse(clause);
        return excuse === undefined ? [] : [[clause, excuse]];
      }),
    ),
  ].join("\n\n");
}

/** Returns the alternatives that a conforming server of the covering array takes. */
function inBrackets(name: string): string {
  const row = legalRows.get(name);
  return row ? ` (${row.taken.map(({ point, alternative }) => `${point}: ${alternative}`).join("; ")})` : "";
}

/** The figures in one line. */
export function summaryLine({ counts, tests, seconds, operators }: Quality): string {
  const { mutants, right, other, survived, timeout, crash, inconclusive, variants, flagged, clauses, unbroken } = counts;
  const { constants, hollow, unexplained } = counts;
  const failed = tests.reduce((sum, testsOutcome) => sum + testsOutcome.failed.length, 0);
  const all = tests.reduce((sum, { passed }) => sum + passed, failed);
  return [
    `${mutants} mutants: ${right} killed by their clause, ${other} by another only, ${timeout} ended by timeout, ${crash} by crash, ${inconclusive} inconclusive, ${survived} survived`,
    counts["not examined"] > 0 ? `, ${counts["not examined"]} not examined` : "",
    `; ${flagged} of ${variants} legal variants flagged, ${unexplained} end without exit code 0 and without a named choice; ${hollow} passes without reason on ${constants} servers without behaviour; ${unbroken} of ${clauses} clauses have no mutant, ${counts.excused} more cannot have one`,
    all > 0 ? `; ${failed} of ${all} slow tests failed` : "",
    `; ${Math.round(seconds)} s of work.`,
    operators ? `\n${operatorsLine(operators)}` : "",
  ].join("");
}

function figures({ counts, seconds, whole_suite_s }: Quality): string {
  return table(
    ["", ""],
    [
      ["mutants", String(counts.mutants)],
      ["killed by the clause they break", String(counts.right)],
      ["killed by other clauses only", String(counts.other)],
      ["ended by timeout", String(counts.timeout)],
      ["ended by crash", String(counts.crash)],
      ["inconclusive", String(counts.inconclusive)],
      ["survived", String(counts.survived)],
      ["not examined", String(counts["not examined"])],
      ["legal variants", String(counts.variants)],
      ["of these flagged", String(counts.flagged)],
      ["of these that end without exit code 0 and without a named choice", String(counts.unexplained)],
      ["servers without behaviour", String(counts.constants)],
      ["clauses that pass on these without reason", String(counts.hollow)],
      ["clauses that bind a server", String(counts.clauses)],
      ["of these without a mutant that breaks them", String(counts.unbroken)],
      ["of these that no mutant can break", String(counts.excused)],
      ["of these that fail on no mutant of another clause", String(counts.unseen)],
      ["seconds of work, each on one core", seconds.toFixed(0)],
      ["seconds of the whole suite against one server", whole_suite_s.toFixed(1)],
    ],
  );
}

function byClause(a: MutantLine, b: MutantLine): number {
  return a.breaks.localeCompare(b.breaks);
}

function row({ breaks, mutant, end, failed, problem }: MutantLine): string[] {
  const others = few(failed.filter((clause) => clause !== breaks));
  switch (end) {
    case "right":
      return [breaks, mutant, "its clause", others];
    case "other":
      return [breaks, mutant, "**another clause**", others];
    case "survived":
      return [breaks, mutant, "**survived**", ""];
    case "timeout":
    case "crash":
    case "inconclusive":
      return [breaks, mutant, `**${end}**`, others];
    case "not examined":
      return [breaks, mutant, `**not examined**: ${problem}`, ""];
    default:
      return end satisfies never;
  }
}

function few(names: readonly string[]): string {
  const rest = names.length - maxOtherNames;
  return names.slice(0, maxOtherNames).join(", ") + (rest > 0 ? `, and ${rest} more` : "");
}
