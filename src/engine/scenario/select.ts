import { readdirSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { readRegularFile, readStatus } from "../../common/user-file.js";
import type { Ledger } from "./lint.js";
import { type ParseResult, parseScenario, type ScenarioRules } from "./parse.js";
import { type LookAhead, readNextFiles } from "./read-ahead.js";
import type { Scenario } from "./scenario.js";
import { stampOfSetups } from "./setup-files.js";

/** Selects the scenarios of a run. `only` holds clause ids, file paths, and globs for scenario names and files. */
export interface Selection {
  only: readonly string[];
  surface?: string;
}

/** Reads every scenario file below a directory, in the order of their paths. Skips setups and recipes. */
export function readScenarios(directory: string, rules: ScenarioRules): { scenarios: Scenario[]; mistakes: string[] } {
  const result = listYamlFiles(directory);
  return result.ok ? readFiles(directory, result.files, rules) : { scenarios: [], mistakes: [`${directory}: ${result.why}`] };
}

/** Reads single scenario files. Messages and reports name each file as given. */
export function readScenarioFiles(files: readonly string[], rules: ScenarioRules): { scenarios: Scenario[]; mistakes: string[] } {
  return readFiles("", files, rules);
}

/** Returns the scenarios of a selection. */
export function select(scenarios: readonly Scenario[], selection: Selection, ledger: Ledger): Scenario[] {
  const { only, surface } = selection;
  const matchers = only.map(createMatcher);
  return scenarios
    .filter((scenario) => only.length === 0 || matchers.some((matches) => matches(scenario)))
    .filter((scenario) => !surface || scenario.claims.some((id) => ledger[id]?.surface.includes(surface)));
}

/** Returns whether an `--only` pattern is the path of a file. */
export function isFile(pattern: string): boolean {
  return /\.ya?ml$/.test(pattern) && readStatus(pattern)?.isFile() === true;
}

function readFiles(
  directory: string,
  files: readonly string[],
  rules: ScenarioRules,
): { scenarios: Scenario[]; mistakes: string[] } {
  const scenarios: Scenario[] = [];
  const mistakes = new Set<string>(); // a mistake in a setup is found once for each scenario that uses it
  const names = new Set<string>();
  const ofDirectory = stampOfSetups([directory, rules.scenarios]);
  for (const file of files) {
    const setups = directory ? ofDirectory : stampOfSetups([dirname(file), join(dirname(file), ".."), rules.scenarios]);
    const name = directory ? join(relative(process.cwd(), directory), file) : file;
    const parseResult = parseFile(name, resolve(directory, file), setups, rules);
    if (!parseResult.ok) {
      for (const mistake of parseResult.mistakes) mistakes.add(mistake);
      continue;
    }
    const own = new Set(parseResult.scenarios.map(({ commonName }) => commonName));
    const twice = [...own].find((name) => names.has(name));
    if (twice === undefined) scenarios.push(...parseResult.scenarios);
    else mistakes.add(`${name}:1:1: another file has a scenario called "${twice}"`);
    for (const name of own) names.add(name);
  }
  return { scenarios, mistakes: [...mistakes] };
}

/** The parsed files, reused while they do not change. Parsing a suite takes longer than judging one clause. */
interface KnownFiles {
  files: Map<string, { stamp: string; result: ParseResult }>;
  /** Returns the scenarios that an earlier process saved for a file. */
  ahead: LookAhead;
}

const knownFiles = new WeakMap<ScenarioRules, KnownFiles>();

function createKnownFiles(rules: ScenarioRules): KnownFiles {
  const known = knownFiles.get(rules);
  if (known) return known;
  const fresh: KnownFiles = { files: new Map(), ahead: readNextFiles(rules) };
  knownFiles.set(rules, fresh);
  return fresh;
}

function parseFile(name: string, path: string, setups: string, rules: ScenarioRules): ParseResult {
  const { files, ahead } = createKnownFiles(rules);
  const status = readStatus(path);
  const [key, stamp] = [`${name}\n${path}`, `${status?.mtimeMs} ${status?.size} ${setups}`];
  const known = files.get(key);
  if (known?.stamp === stamp) return known.result;
  const scenarios = known ? undefined : ahead(path);
  const result: ParseResult = scenarios ? { ok: true, scenarios } : readAndParse(name, path, rules);
  files.set(key, { stamp, result });
  return result;
}

function readAndParse(name: string, path: string, rules: ScenarioRules): ParseResult {
  const userFile = readRegularFile(path);
  return userFile.ok ? parseScenario(name, userFile.text, rules) : { ok: false, mistakes: [`${name}: ${userFile.why}`] };
}

function listYamlFiles(directory: string): { ok: true; files: string[] } | { ok: false; why: string } {
  try {
    const files = readdirSync(directory, { recursive: true, encoding: "utf8" });
    return {
      ok: true,
      files: files.filter((file) => /\.ya?ml$/.test(file) && !/^(setups[\\/]|error-recipes\.ya?ml$)/.test(file)).sort(),
    };
  } catch (error) {
    return { ok: false, why: `cannot be read as a directory of scenarios (${(error as NodeJS.ErrnoException).code})` };
  }
}

/** Returns a function that tells whether a pattern selects a scenario: by a clause, its name, its file or a directory. */
export function createMatcher(pattern: string): (scenario: Scenario) => boolean {
  const [fits, fitsEnd, fitsInside] = [pattern, `*/${pattern}`, `*/${pattern}/*`].map(parseGlob) as [Glob, Glob, Glob];
  return ({ claims, name, commonName, file }) => {
    const path = sep === "/" ? file : file.replaceAll(sep, "/");
    return (
      claims.includes(pattern) || [commonName, name, path].some(fits) || fitsEnd(path) || fitsInside(path) || path === pattern
    );
  };
}

type Glob = (name: string) => boolean;

/** Returns a function that tells whether a name matches a pattern, in which `*` stands for any text. */
export function parseGlob(pattern: string): Glob {
  const [first = "", ...others] = pattern.split("*");
  const last = others.pop();
  if (last === undefined) return (name) => name === first;
  return (name) => {
    let at = first.length;
    // the earliest place of each part leaves the most room for the next parts
    for (const part of others) {
      const found = name.indexOf(part, at);
      if (found < 0) return false;
      at = found + part.length;
    }
    return name.startsWith(first) && name.length >= at + last.length && name.endsWith(last);
  };
}
