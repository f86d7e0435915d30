import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { deserialize, serialize } from "node:v8";
import type { CompiledStep, Scenario } from "./scenario.js";

/** Where the scenarios that ship lie as reading them left them, which takes much longer than all else before the first request. */
export interface ReadAhead {
  file: string;
  /** The directory that they were read from, and the rules that they were read with: others, or a copy with something changed, have nothing ahead. */
  directory: string;
  rules(): object;
  /** A word that is another as soon as anything has changed that reading depends on: the scenarios, or who reads them. */
  state(): string;
}

/** What is known of a scenario without reading it: enough to select it, and to tell which suite it is of. */
type Label = Pick<Scenario, "name" | "commonName" | "digest" | "claims">;

/** What is in that file: scenarios by their files, all paths from the directory of the scenarios on. Each is read when it is first used. */
interface Ahead {
  state: string;
  scenarios: Map<string, { label: Label; bytes: Uint8Array }[]>;
}

/** Writes what reading gave for later processes. */
export function writeAhead({ file, directory, state }: ReadAhead, read: readonly Scenario[]): void {
  const here = relative(process.cwd(), directory);
  const scenarios: Ahead["scenarios"] = new Map();
  for (const one of read) {
    const scenario = withFiles(one, (path) => relative(here, path));
    const { name, commonName, digest, claims } = scenario;
    const kept = { label: { name, commonName, digest, claims }, bytes: serialize(scenario) };
    scenarios.set(scenario.file, [...(scenarios.get(scenario.file) ?? []), kept]);
  }
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, serialize({ state: state(), scenarios } satisfies Ahead));
}

/** The scenarios of a file as an earlier process left them; undefined where there are none, or anything has changed since. */
export type LookAhead = (path: string) => Scenario[] | undefined;

/** What an earlier process left for one that reads with these rules. */
export function openAhead(rules: { ahead?: ReadAhead }): LookAhead {
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
          withFiles(deserialize(bytes) as Scenario, (known) => join(here, known)),
        ),
      );
  };
}

/** Every field that is not on the label. */
const READ_ON_USE: Record<Exclude<keyof Scenario, keyof Label | "file">, true> = {
  ...{ title: true, text: true, variables: true, line: true, steps: true, finally: true },
  ...{ effects: true, needs: true, demands: true, usesUpLimits: true },
};

/** A scenario of which only the label is read as yet. */
function readOnUse(label: Label & Pick<Scenario, "file">, readWhole: () => Scenario): Scenario {
  let whole: Scenario | undefined;
  const scenario = { ...label } as Scenario;
  for (const field of Object.keys(READ_ON_USE) as (keyof typeof READ_ON_USE)[]) {
    const get = () => {
      whole ??= readWhole();
      return whole[field];
    };
    Object.defineProperty(scenario, field, { get, enumerable: true, configurable: true });
  }
  return scenario;
}

/** A file that another version of Node has written may not be readable; then it is as if there were none. */
function read(file: string): Ahead | undefined {
  try {
    return deserialize(readFileSync(file)) as Ahead;
  } catch {
    return undefined;
  }
}

function withFiles(scenario: Scenario, change: (path: string) => string): Scenario {
  const moved = (step: CompiledStep): CompiledStep => ({
    ...step,
    file: change(step.file),
    ...(step.control && { control: moved(step.control) }),
  });
  return {
    ...scenario,
    file: change(scenario.file),
    steps: scenario.steps.map(moved),
    finally: scenario.finally.map(moved),
  };
}
