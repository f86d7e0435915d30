import type { Row, ScenarioText, Step } from "./format.js";
import type { StepOrigin } from "./scenario.js";
import { listSaved, type SetupFiles, type SetupText, type SetupUse } from "./setup-files.js";
import { expandShortNames } from "./short-names.js";
import type { StepsFile } from "./steps-file.js";
import type { Mistake, Path } from "./yaml-file.js";

/** A scenario as its file holds it. Without the field `scenario` its name is the file name. */
export type WrittenScenario = Omit<ScenarioText, "scenario" | "proves"> & Partial<ScenarioText> & { use?: readonly SetupUse[] };

/** A scenario together with the steps of its setups. */
export interface WholeScenario {
  text: Omit<ScenarioText, "scenario"> & Partial<ScenarioText>;
  origins: StepOrigin[];
  /** Returns mistakes as lines `file:line:column: what`. Each line names the file that holds the mistake. */
  tell(mistakes: readonly Mistake[]): string[];
}

/** The steps and needs of one file, with its parameters filled in. */
interface Part {
  read: StepsFile<unknown>;
  /** The name of the setup and the values of its parameters; absent for the scenario itself. */
  setup?: { name: string; parameters: Row };
  needs: readonly string[];
  steps: readonly Step[];
  finally: readonly Step[];
}

type User = StepsFile<{ use?: readonly SetupUse[] }>;

/**
 * Joins a scenario with the setups that it uses, each once. The steps of the setups come before the scenario's own steps. The `finally`
 * steps of the setups come after its own, in reverse order.
 */
export function addSetups(
  scenario: StepsFile<WrittenScenario>,
  files: SetupFiles,
): { ok: true; whole: WholeScenario } | { ok: false; mistakes: string[] } {
  const mistakes: string[] = [];
  const parts: Part[] = [];
  gather(scenario, { files, parts, mistakes, inside: [], known: {} });
  return mistakes.length > 0 ? { ok: false, mistakes } : { ok: true, whole: join(scenario, [...parts, createPart(scenario)]) };
}

interface Gathering {
  files: SetupFiles;
  parts: Part[];
  mistakes: string[];
  /** Names of the setups around this file, outermost first. */
  inside: readonly string[];
  /** Parameters of the innermost setup. */
  known: Row;
}

/** Adds the setups that a file uses to `parts`. Setups that a setup uses come before it. */
function gather(user: User, state: Gathering): void {
  for (const [index, use] of (user.text.use ?? []).entries()) {
    const [name, given] = typeof use === "string" ? [use, {}] : (Object.entries(use)[0] as [string, Row]);
    const tell = (what: string | undefined, ...place: Path) =>
      what !== undefined && state.mistakes.push(...user.tell([{ path: ["use", index, ...place], what }]));
    const stepsFileResult = state.inside.includes(name) ? undefined : state.files.read(name);
    if (!stepsFileResult) tell(describeMissing(name, state));
    else if (!stepsFileResult.ok) state.mistakes.push(...stepsFileResult.mistakes);
    else add(stepsFileResult.read, name, expandShortNames(given, state.known) as Row, state, tell);
  }
}

function add(
  stepsFile: StepsFile<SetupText>,
  name: string,
  row: Row,
  state: Gathering,
  tell: (what: string | undefined, ...place: Path) => unknown,
): void {
  const { parameters: defaults = {} } = stepsFile.text;
  for (const parameter of Object.keys(row)) {
    const allowed = Object.keys(defaults);
    if (!allowed.includes(parameter))
      tell(`${name} has no parameter "${parameter}"; allowed: ${allowed.join(", ") || "none"}`, name, parameter);
  }
  const parameters = { ...defaults, ...row };
  const before = state.parts.find(({ setup }) => setup?.name === name)?.setup;
  if (before) return void tell(describeDifferentParameters(before, parameters));
  gather(stepsFile, { ...state, inside: [...state.inside, name], known: parameters });
  const part = createPart(
    { ...stepsFile, text: expandShortNames(stepsFile.text, parameters) as SetupText },
    { name, parameters },
  );
  tell(findSavedTwice(part, state.parts));
  state.parts.push(part);
}

function describeMissing(name: string, { inside, files }: Gathering): string {
  if (inside.includes(name)) return `${name} uses itself: ${[...inside, name].join(" uses ")}`;
  return `no setup is called "${name}"; allowed: ${files.names().join(", ") || "none"}`;
}

function describeDifferentParameters(before: { name: string; parameters: Row }, parameters: Row): string | undefined {
  if (JSON.stringify(before.parameters) === JSON.stringify(parameters)) return undefined;
  return `${before.name} is used before with other parameters; allowed: the same, since a setup runs once`;
}

function findSavedTwice({ steps, setup }: Part, parts: readonly Part[]): string | undefined {
  const variables = new Set(listSaved(steps));
  for (const otherPart of parts) {
    const variable = listSaved(otherPart.steps).find((one) => variables.has(one));
    if (variable !== undefined)
      return `{${variable}} is saved by ${otherPart.setup?.name} and by ${setup?.name}; allowed: one of the two`;
  }
  return undefined;
}

function createPart(stepsFile: StepsFile<WrittenScenario | SetupText>, setup?: Part["setup"]): Part {
  const { needs = [], steps = [], finally: last = [] } = stepsFile.text;
  return { read: stepsFile, ...(setup && { setup }), needs, steps, finally: last };
}

/** Joins all parts into one scenario. The last part is the scenario itself. */
function join({ text: { use: _, ...own } }: StepsFile<WrittenScenario>, parts: readonly Part[]): WholeScenario {
  const placed = { steps: listPlaces(parts, "steps"), finally: listPlaces(parts.toReversed(), "finally") };
  const needs = [...new Set(parts.flatMap((part) => part.needs))];
  const last = placed.finally.map(({ step }) => step);
  return {
    text: {
      proves: [],
      ...own,
      ...(needs.length > 0 && { needs }),
      steps: placed.steps.map(({ step }) => step),
      ...(last.length > 0 && { finally: last }),
    },
    origins: placed.steps.map(createOrigin),
    tell: (mistakes) =>
      mistakes.flatMap(({ path, what }) => {
        const [list, index, ...inside] = path;
        const place = list === "steps" || list === "finally" ? placed[list][Number(index)] : undefined;
        const { read } = place?.part ?? (parts.at(-1) as Part);
        return read.tell([{ path: place ? [list as string, place.index, ...inside] : path, what }]);
      }),
  };
}

interface Place {
  step: Step;
  part: Part;
  /** Position in the list of its file, counted from 0. */
  index: number;
}

function listPlaces(parts: readonly Part[], list: "steps" | "finally"): Place[] {
  return parts.flatMap((part) => part[list].map((step, index) => ({ step, part, index })));
}

function createOrigin({ step, part: { read, setup }, index }: Place): StepOrigin {
  const prefix = setup ? `use.${setup.name}` : "";
  return { name: step.id ?? `${prefix}#${index + 1}`, file: read.file, line: read.lineOf(["steps", index]) };
}
