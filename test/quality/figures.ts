import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "../../src/contract/load.js";
import type { Report } from "../../src/engine/report/report.js";
import { readScenarios } from "../../src/engine/scenario/select.js";
import { stateOfSuite } from "../../src/suite/state.js";
import { suite } from "../../src/suite/suite.js";
import { digestOfPlaces } from "./digest.js";
import type { Quality } from "./matrix.js";
import type { OperatorQuality } from "./operators/survivors.js";
import { foundOf } from "./operators/words.js";

type Identity = Pick<Report["suite"], "clauses_digest" | "scenarios_digest">;
/** All that the figures depend on: what ships of it, and what they were measured with. */
type State = Identity & { state_digest: string; measures_digest: string };
type Figures = Omit<NonNullable<Report["suite"]["quality"]>, "current">;

type OperatorFigures = NonNullable<Figures["operators"]>;

/** `spec/quality.json`: on which state of the suite it was measured, and the figures that every report shows. */
export interface Published {
  measured: State;
  figures: Figures;
}

const readme = join(packageRoot, "README.md");
const place = /(?<=<!-- figures of npm run quality -->\n)[\s\S]*?(?=\n<!-- end of figures -->)/;

/** Writes the figures where reports and the README take them from, with how many mutants there are in all. */
export function publish(quality: Quality, mutantsInAll: number): void {
  const published: Published = { measured: { ...suiteNow(), ...stateNow() }, figures: figuresOf(quality, mutantsInAll) };
  writeFileSync(join(packageRoot, "spec", "quality.json"), `${JSON.stringify(published, null, 2)}\n`);
  writeFileSync(readme, readFileSync(readme, "utf8").replace(place, inWords(published.figures)));
}

/** The state of the suite as it lies in the tree. */
export function suiteNow(): Identity {
  const { clauses_digest, scenarios_digest } = suite.identify(readScenarios(suite.scenarios, suite).scenarios);
  return { clauses_digest, scenarios_digest };
}

function stateNow(): Omit<State, keyof Identity> {
  return { state_digest: stateOfSuite(), measures_digest: digestOfPlaces(["test/mutants", "test/reference", "test/quality"]) };
}

/** The figures as they stand in the README. */
export function shownFigures(): string | undefined {
  return place.exec(readFileSync(readme, "utf8"))?.[0];
}

/** The figures as the README has them. */
export function inWords(figures: Figures): string {
  const { mutants, mutants_in_all, operators, clauses, clauses_broken, clauses_excused } = figures;
  const all = mutants_in_all === undefined ? "" : `, drawn from all ${mutants_in_all},`;
  return [
    `- ${figures.killed} of ${mutants} mutants${all} are killed, ${figures.killed_by_own_clause} of them by the clause they break.`,
    `- ${clauses_broken} of ${clauses} clauses that bind a server are broken by a mutant; for ${clauses_excused} the ledger says why none can.`,
    `- ${figures.flagged} of ${figures.legal_variants} legal variants are flagged.`,
    ...(operators ? [operatorLine(operators)] : []),
  ].join("\n");
}

function operatorLine({ mutants, excluded, examined, found, equivalent, open, outside, unexplained }: OperatorFigures): string {
  const rest = mutants - excluded;
  const rate = ((100 * found) / (examined ?? rest)).toFixed(1);
  const which = examined === undefined ? "of the rest" : `of ${examined} drawn from the rest`;
  return `- Of ${mutants} operator mutants ${excluded} lie in files that are no part of the contract; ${which} ${found} are found (${rate} %), ${equivalent} answer the same, ${open} are left open by the text, ${outside} are no part of it, ${unexplained} are unexplained.`;
}

function operatorFigures(quality: OperatorQuality): OperatorFigures {
  const { mutants, excluded, examined, equivalent, open, outside, hole, unexplained } = quality.counts;
  return {
    ...{ mutants, excluded, ...(examined < mutants - excluded && { examined }) },
    ...{ found: foundOf(quality), equivalent, open, outside, unexplained: unexplained + hole },
  };
}

function figuresOf({ counts, operators }: Quality, inAll: number): Figures {
  return {
    mutants: counts.mutants,
    ...(counts.mutants < inAll && { mutants_in_all: inAll }),
    killed: counts.right + counts.other,
    killed_by_own_clause: counts.right,
    legal_variants: counts.variants,
    flagged: counts.flagged,
    clauses: counts.clauses,
    clauses_broken: counts.clauses - counts.unbroken - counts.excused,
    clauses_excused: counts.excused,
    ...(operators && { operators: operatorFigures(operators) }),
  };
}
