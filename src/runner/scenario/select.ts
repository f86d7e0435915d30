import { readdirSync, readFileSync, statSync } from "node:fs";
import { join, relative, resolve, sep } from "node:path";
import type { Scenario } from "./format.js";
import type { Ledger } from "./mistakes.js";
import { parseScenario } from "./parse.js";

/** What narrows a run. `only` holds globs over names and files, clause ids and paths of files. */
export interface Selection {
  only: readonly string[];
  surface?: string;
  shard?: { index: number; of: number };
}

/** Reads every scenario file below a directory, in the order of their paths; recipes are no part of a suite. */
export function readScenarios(directory: string, ledger: Ledger): { scenarios: Scenario[]; mistakes: string[] } {
  return readFiles(directory, yamlFiles(directory), ledger);
}

/** Reads single scenario files; they are named as they were given. */
export function readScenarioFiles(files: readonly string[], ledger: Ledger): { scenarios: Scenario[]; mistakes: string[] } {
  return readFiles("", files, ledger);
}

/** The scenarios of a selection, shard and all. */
export function select(scenarios: readonly Scenario[], selection: Selection, ledger: Ledger): Scenario[] {
  const { only, surface, shard } = selection;
  return scenarios
    .filter((scenario) => only.length === 0 || only.some((pattern) => isMeant(scenario, pattern)))
    .filter((scenario) => !surface || claims(scenario).some((id) => ledger[id]?.surface.includes(surface)))
    .filter((_, index) => !shard || index % shard.of === shard.index - 1);
}

/** Every clause that a scenario would judge, in any of its checks. */
export function claims(scenario: Scenario): string[] {
  const { proves, steps } = scenario.text;
  return [...new Set([...proves, ...steps.flatMap((step) => step.proves ?? [])])];
}

/** Whether `only` names a file that is there, rather than a pattern or a clause. */
export function isFile(pattern: string): boolean {
  return /\.ya?ml$/.test(pattern) && statSync(pattern, { throwIfNoEntry: false })?.isFile() === true;
}

function readFiles(directory: string, files: readonly string[], ledger: Ledger): { scenarios: Scenario[]; mistakes: string[] } {
  const scenarios: Scenario[] = [];
  const mistakes: string[] = [];
  for (const file of files) {
    const parsed = parseScenario(
      directory ? join(relative(process.cwd(), directory), file) : file,
      readFileSync(resolve(directory, file), "utf8"),
      ledger,
    );
    if (!parsed.ok) mistakes.push(...parsed.mistakes);
    else if (scenarios.some(({ text }) => text.scenario === parsed.scenarios[0]?.text.scenario))
      mistakes.push(`${parsed.scenarios[0]?.file}:1:1: another file has a scenario of this name`);
    else scenarios.push(...parsed.scenarios);
  }
  return { scenarios, mistakes };
}

function yamlFiles(directory: string): string[] {
  const files = readdirSync(directory, { recursive: true, encoding: "utf8" });
  return files.filter((file) => /\.ya?ml$/.test(file) && !/^recipes[\\/]/.test(file)).sort();
}

function isMeant(scenario: Scenario, pattern: string): boolean {
  if (claims(scenario).includes(pattern)) return true;
  const file = scenario.file.split(sep).join("/");
  return (
    [scenario.text.scenario, scenario.name, file].some((name) => globbed(pattern, name)) ||
    globbed(`*/${pattern}`, file) ||
    globbed(`*/${pattern}/*`, file) ||
    file === pattern
  );
}

/** Whether a name fits a pattern, in which a star stands for anything. */
export function globbed(pattern: string, name: string): boolean {
  const source = pattern
    .split("*")
    .map((part) => part.replace(/[.+?^${}()|[\]\\]/g, "\\$&"))
    .join(".*");
  return new RegExp(`^${source}$`).test(name);
}
