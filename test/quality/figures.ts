import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "../../src/contract/load.js";
import type { Report } from "../../src/engine/report/report.js";
import { readScenarios } from "../../src/engine/scenario/select.js";
import { suite } from "../../src/suite/suite.js";
import type { Quality } from "./matrix.js";

type Identity = Pick<Report["suite"], "clauses_digest" | "scenarios_digest">;
type Figures = Omit<NonNullable<Report["suite"]["quality"]>, "current">;

/** `spec/quality.json`: on which state of the suite it was measured, and the figures that every report shows. */
export interface Published {
  measured: Identity;
  figures: Figures;
}

const readme = join(packageRoot, "README.md");
const place = /(?<=<!-- figures of npm run quality -->\n)[\s\S]*?(?=\n<!-- end of figures -->)/;

/** Writes the figures where reports and the README take them from. */
export function publish(quality: Quality): void {
  const published: Published = { measured: suiteNow(), figures: figuresOf(quality) };
  writeFileSync(join(packageRoot, "spec", "quality.json"), `${JSON.stringify(published, null, 2)}\n`);
  writeFileSync(readme, readFileSync(readme, "utf8").replace(place, inWords(published.figures)));
}

/** The state of the suite as it lies in the tree. */
export function suiteNow(): Identity {
  const { clauses_digest, scenarios_digest } = suite.identify(readScenarios(suite.scenarios, suite).scenarios);
  return { clauses_digest, scenarios_digest };
}

/** The figures as they stand in the README. */
export function shownFigures(): string | undefined {
  return place.exec(readFileSync(readme, "utf8"))?.[0];
}

/** The figures as the README has them. */
export function inWords({
  mutants,
  killed,
  killed_by_own_clause: own,
  legal_variants: legal,
  flagged,
  ...clauses
}: Figures): string {
  return [
    `- ${killed} of ${mutants} mutants are killed, ${own} of them by the clause they break.`,
    `- ${clauses.clauses_broken} of ${clauses.clauses} clauses that bind a server are broken by a mutant; for ${clauses.clauses_excused} the ledger says why none can.`,
    `- ${flagged} of ${legal} legal variants are flagged.`,
  ].join("\n");
}

function figuresOf({ counts }: Quality): Figures {
  return {
    mutants: counts.mutants,
    killed: counts.right + counts.other,
    killed_by_own_clause: counts.right,
    legal_variants: counts.variants,
    flagged: counts.flagged,
    clauses: counts.clauses,
    clauses_broken: counts.clauses - counts.unbroken - counts.excused,
    clauses_excused: counts.excused,
  };
}
