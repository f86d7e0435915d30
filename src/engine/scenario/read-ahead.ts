import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { deserialize, serialize } from "node:v8";
import { makeDirectory } from "../../common/directory.js";
import type { CompiledStep, Scenario } from "./scenario.js";

/** The file in which the build saves the parsed scenarios. Parsing them takes most of the time before the first request. */
export interface ReadAhead {
  file: string;
  /** The directory and the rules of the scenarios. Scenarios read with other rules are not saved. */
  directory: string;
  rules(): object;
  /** Returns a text that changes when the scenarios or the code that reads them change. */
  state(): string;
}

/** The fields of a scenario that are available before it is deserialized: enough to select it and to identify the suite. */
type Label = Pick<Scenario, "name" | "commonName" | "digest" | "claims">;

/**
 * The content of the saved file: scenarios by the path of their file, relative to the scenario directory. Each scenario is
 * deserialized at its first use.
 */
interface Ahead {
  state: string;
  scenarios: Map<string, { label: Label; bytes: Uint8Array }[]>;
}

/** Saves parsed scenarios for later processes. */
export function writeAhead({ file, directory, state }: ReadAhead, read: readonly Scenario[]): void {
  const here = relative(process.cwd(), directory);
  const scenarios: Ahead["scenarios"] = new Map();
  for (const one of read) {
    const scenario = mapFiles(one, (path) => relative(here, path));
    const { name, commonName, digest, claims } = scenario;
    const kept = { label: { name, commonName, digest, claims }, bytes: serialize(scenario) };
    scenarios.set(scenario.file, [...(scenarios.get(scenario.file) ?? []), kept]);
  }
  makeDirectory(dirname(file));
  writeFileSync(file, serialize({ state: state(), scenarios } satisfies Ahead));
}

/** Returns the saved scenarios of a file; undefined if there are none or if a source has changed. */
export type LookAhead = (path: string) => Scenario[] | undefined;

/** Returns a function that reads scenarios saved by an earlier process with the same rules. */
export function readNextFiles(rules: { ahead?: ReadAhead }): LookAhead {
  if (rules.ahead?.rules() !== rules) return () => undefined;
  const { file, directory, state } = rules.ahead;
  const ahead = read(file);
  if (ahead === undefined || ahead.state !== state()) return () => undefined;
  const here = relative(process.cwd(), directory);
  return (path) => {
    const own = relative(directory, path);
    return ahead.scenarios
      .get(own)
      ?.map(({ label, bytes }) =>
        readOnUse({ ...label, file: join(here, own) }, () =>
          mapFiles(deserialize(bytes) as Scenario, (known) => join(here, known)),
        ),
      );
  };
}

/** Every field that is not in `Label`. */
const READ_ON_USE_PATTERN: Record<Exclude<keyof Scenario, keyof Label | "file">, true> = {
  ...{ title: true, text: true, variables: true, line: true, steps: true, finally: true },
  ...{ effects: true, needs: true, demands: true, usesUpLimits: true },
};

/** Returns a scenario that deserializes its fields when one is first used. */
function readOnUse(label: Label & Pick<Scenario, "file">, readWhole: () => Scenario): Scenario {
  let wholeScenario: Scenario | undefined;
  const scenario = { ...label } as Scenario;
  for (const field of Object.keys(READ_ON_USE_PATTERN) as (keyof typeof READ_ON_USE_PATTERN)[]) {
    const get = () => {
      wholeScenario ??= readWhole();
      return wholeScenario[field];
    };
    Object.defineProperty(scenario, field, { get, enumerable: true, configurable: true });
  }
  return scenario;
}

/** Reads the saved file; undefined if another version of Node wrote it. */
function read(file: string): Ahead | undefined {
  try {
    return deserialize(readFileSync(file)) as Ahead;
  } catch {
    return undefined;
  }
}

function mapFiles(scenario: Scenario, change: (path: string) => string): Scenario {
  const moved = (step: CompiledStep): CompiledStep => ({
    ...step,
    file: change(step.file),
    ...(step.control && { control: moved(step.control) }),
    ...(step.otherwise && { otherwise: moved(step.otherwise) }),
  });
  return {
    ...scenario,
    file: change(scenario.file),
    steps: scenario.steps.map(moved),
    finally: scenario.finally.map(moved),
  };
}
