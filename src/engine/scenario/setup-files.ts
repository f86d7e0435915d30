import { readdirSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { readRegularFile, readStatus } from "../../common/user-file.js";
import type { Row, Step } from "./format.js";
import type { ShortNames } from "./short-names.js";
import { readSetupFile, type StepsFile, type StepsFileResult } from "./steps-file.js";
import type { Mistake } from "./yaml-file.js";

/** One entry of `use`: the name of a setup, or its name with values for its parameters. */
export type SetupUse = string | Readonly<Record<string, Row>>;

/** The text of a setup file. `spec/schema/setup.json` describes and checks every field. The file name is the setup's name. */
export interface SetupText {
  title: string;
  parameters?: Row;
  saves?: Readonly<Record<string, string>>;
  needs?: string[];
  use?: readonly SetupUse[];
  steps?: Step[];
  finally?: Step[];
}

/** The setups that a scenario can use. */
export interface SetupFiles {
  names(): string[];
  /** Returns the setup of this name, or the mistakes in its file; undefined if there is none. */
  read(name: string): StepsFileResult<SetupText> | undefined;
}

/** The parts of a suite that reading its setups needs. */
export interface SetupRules {
  /** Directory of the scenarios. Its subdirectory `setups/` holds the setups. */
  scenarios: string;
  /** Short names that scenarios and setups can use. */
  shortNames: ShortNames;
}

/** Returns the setups for a scenario file. They come from `setups/` in its directory, else in the parent directory, else of the suite. */
export function findSetupFiles(file: string, rules: SetupRules): SetupFiles {
  const places = [dirname(file), join(dirname(file), ".."), relative(process.cwd(), rules.scenarios)];
  const directories = [...new Set(places.map((place) => join(place, "setups")))];
  return {
    names: () => [...new Set(directories.flatMap(listNames))].sort(),
    read(name) {
      const path = directories.map((directory) => join(directory, `${name}.yaml`)).find(isFile);
      return path === undefined ? undefined : readSetup(path, rules);
    },
  };
}

/** Returns the names of the variables and credentials that steps save. */
export function listSaved(steps: readonly Step[]): string[] {
  return steps.flatMap(({ save, saveCredential }) => [...Object.keys(save ?? {}), ...Object.keys(saveCredential ?? {})]);
}

/** The parsed setups by path, reused while their files do not change. */
const parsedSetups = new Map<string, { yaml: string; shortNames: ShortNames; result: StepsFileResult<SetupText> }>();

function readSetup(path: string, { shortNames }: SetupRules): StepsFileResult<SetupText> {
  const userFile = readRegularFile(path);
  if (!userFile.ok) return { ok: false, mistakes: [`${path}: ${userFile.why}`] };
  const { text: yaml } = userFile;
  const known = parsedSetups.get(path);
  if (known?.yaml === yaml && known.shortNames === shortNames) return known.result;
  const result = parseSetup(path, yaml, shortNames);
  parsedSetups.set(path, { yaml, shortNames, result });
  return result;
}

function parseSetup(path: string, yaml: string, shortNames: ShortNames): StepsFileResult<SetupText> {
  const stepsFileResult = readSetupFile<SetupText>(path, yaml, shortNames);
  if (!stepsFileResult.ok) return stepsFileResult;
  const mistakes = findUndescribedVariables(stepsFileResult.read);
  return mistakes.length > 0 ? { ok: false, mistakes: stepsFileResult.read.tell(mistakes) } : stepsFileResult;
}

/** Checks that `saves` describes exactly the variables that the steps save. */
function findUndescribedVariables({ text: { steps = [], saves = {} } }: StepsFile<SetupText>): Mistake[] {
  const saved = listSaved(steps);
  return [
    ...saved
      .filter((name) => !Object.hasOwn(saves, name))
      .map((name): Mistake => ({ path: ["saves"], what: `a step saves {${name}}, which saves does not describe` })),
    ...Object.keys(saves)
      .filter((name) => !saved.includes(name))
      .map(
        (name): Mistake => ({ path: ["saves", name], what: `no step saves {${name}}; allowed: ${saved.join(", ") || "none"}` }),
      ),
  ];
}

/** Returns a text that changes when a setup in one of these directories changes. */
export function stampOfSetups(directories: readonly string[]): string {
  const stamps = directories.flatMap((directory) => {
    const place = join(directory, "setups");
    return listNames(place).map((name) => `${name} ${readStatus(join(place, `${name}.yaml`))?.mtimeMs}`);
  });
  return stamps.join();
}

function listNames(directory: string): string[] {
  if (!readStatus(directory)?.isDirectory()) return [];
  return readdirSync(directory).flatMap((file) => (file.endsWith(".yaml") ? [file.slice(0, -".yaml".length)] : []));
}

function isFile(path: string): boolean {
  return readStatus(path)?.isFile() === true;
}
