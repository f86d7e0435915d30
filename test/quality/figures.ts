import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { formatConformingServers, formatKillRateText, formatMutantOutcomes } from "../../src/engine/report/quality.js";
import type { Report } from "../../src/engine/report/report.js";
import type { KillRate, OperatorQuality as OperatorFigures, SuiteQuality } from "../../src/engine/report/suite-identity.js";
import { readScenarios } from "../../src/engine/scenario/select.js";
import { computeSuiteDigest } from "../../src/suite/digest.js";
import { suite } from "../../src/suite/suite.js";
import { guidePath } from "../meta/guide.js";
import { digestOfPlaces } from "./digest.js";
import type { Quality } from "./matrix.js";
import type { OperatorQuality } from "./operators/survivors.js";
import { getEnds } from "./operators/words.js";

type Identity = Pick<Report["suite"], "clauses_digest" | "scenarios_digest">;
/** The input of the figures: the digests of the shipped files and of the measuring code. */
type State = Identity & { state_digest: string; measures_digest: string };

/** `spec/quality.json`: on which state of the suite it was measured, and the figures that reports show. */
export interface Published {
  measured: State;
  figures: SuiteQuality;
}

/** The text of the guide if no figures are published for the current contract and scenarios. */
export const NOT_MEASURED = "Not measured yet for this state of the suite.";

const guide = guidePath("quality");
const place = /(?<=<!-- figures of npm run quality -->\n)[\s\S]*?(?=\n<!-- end of figures -->)/;

/** Writes the figures to the files that reports and the guide read. */
export function publish(quality: Quality, rates: KillRate[]): void {
  const published: Published = { measured: { ...suiteNow(), ...stateNow() }, figures: getFigures(quality, rates) };
  writeFileSync(suite.files.quality, `${JSON.stringify(published, null, 2)}\n`);
  writeFileSync(
    guide,
    readFileSync(guide, "utf8").replace(place, () => inWords(published)),
  );
}

/** Returns the digests of the contract and the scenarios as they lie in the tree. */
function suiteNow(): Identity {
  const { clauses_digest, scenarios_digest } = suite.identify(readScenarios(suite.scenarios, suite).scenarios);
  return { clauses_digest, scenarios_digest };
}

function stateNow(): Omit<State, keyof Identity> {
  return {
    state_digest: computeSuiteDigest(),
    measures_digest: digestOfPlaces(["test/mutants", "test/reference", "test/quality"]),
  };
}

/** Returns the figures in the guide. */
export function shownFigures(): string | undefined {
  return place.exec(readFileSync(guide, "utf8"))?.[0];
}

/** Returns the text of the guide: the published figures, or that there are none for the current contract and scenarios. */
export function figuresNow(): string {
  if (!existsSync(suite.files.quality)) return NOT_MEASURED;
  const published = JSON.parse(readFileSync(suite.files.quality, "utf8")) as Published;
  const { clauses_digest, scenarios_digest } = suiteNow();
  const { measured } = published;
  const isOfNow = measured.clauses_digest === clauses_digest && measured.scenarios_digest === scenarios_digest;
  return isOfNow ? inWords(published) : NOT_MEASURED;
}

/** Returns the figures as the guide has them. */
export function inWords({ measured, figures }: Published): string {
  const { rates, conforming, clauses, clauses_broken, clauses_excused, operators } = figures;
  return [
    `Measured on state \`${measured.state_digest.slice(0, 12)}\`:`,
    "",
    ...rates.map((rate) => `- ${formatKillRateText(rate)}.`),
    `- ${clauses_broken} of ${clauses} clauses that bind a server are broken by a mutant; for ${clauses_excused} the ledger says why none can.`,
    `- ${formatConformingServers(conforming)}.`,
    ...(operators ? [operatorLine(operators)] : []),
  ].join("\n");
}

function operatorLine(operators: OperatorFigures): string {
  const { mutants, in_other_files, in_other_lines, drawn, seed, equivalent, open, outside, unexplained } = operators;
  const left = mutants - in_other_files - in_other_lines;
  return [
    `- Of ${mutants} operator mutants ${in_other_files} lie in files that are no part of the contract,`,
    `and ${in_other_lines} in functions and lines that are no part of it, in other files.`,
    `Of ${drawn} of the other ${left} (seed ${seed}) ${formatMutantOutcomes(operators)}; ${equivalent} answer the same,`,
    `${open} are left open by the contract, ${outside} are no part of it, ${unexplained} are unexplained.`,
  ].join(" ");
}

function operatorFigures(quality: OperatorQuality): OperatorFigures {
  const { mutants, in_other_files, in_other_lines, examined, equivalent, open, outside, hole, unexplained } = quality.counts;
  return {
    ...{ mutants, in_other_files, in_other_lines, drawn: examined, seed: quality.seed, ...getEnds(quality) },
    ...{ equivalent, open, outside, unexplained: unexplained + hole },
  };
}

/** Returns the figures of a measure, as they are published. */
export function getFigures({ counts, conforming, operators }: Quality, rates: KillRate[]): SuiteQuality {
  return {
    rates,
    conforming: { servers: counts.variants, flagged: counts.flagged, ...conforming },
    clauses: counts.clauses,
    clauses_broken: counts.clauses - counts.unbroken - counts.excused,
    clauses_excused: counts.excused,
    ...(operators && { operators: operatorFigures(operators) }),
  };
}
