import { findClosestName } from "../../common/nearest-names.js";
import { type CoverageRules, findCoversMistake, type Quantifiers } from "./dimensions.js";
import type { ScenarioText, Step } from "./format.js";
import { listVariables } from "./interpolate.js";
import { findKeyword, keywords } from "./keywords.js";
import { lintModifiers } from "./modifiers.js";
import type { RequestRules } from "./requests.js";
import type { Mistake, Path } from "./yaml-file.js";

/** All clauses by id, with the fields that the runner uses. */
export type Ledger = Readonly<
  Record<
    string,
    Quantifiers & { section: number; at?: string; description: string; level: string; excluded?: string; unobservable?: string }
  >
>;

/** The parts of a suite that checking its scenarios needs. */
export interface LintRules {
  /** All clauses by id. */
  clauses: Ledger;
  requests: RequestRules;
  coverage: CoverageRules;
}

const BUILT_IN_VARIABLE = /^(unique|text:[0-9]+(:wide)?|now([+-][0-9.]+(ms|s|m|h|d))?([+-][0-9]{2}:[0-9]{2})?|binding\..+)$/;

/** Returns the mistakes that the schema cannot find, such as unknown clauses, variables that no step saves, and repeats of unknown steps. */
export function lint(text: ScenarioText, { clauses, requests, coverage }: LintRules): Mistake[] {
  return [
    ...findClauseMistakes(text, clauses),
    ...findIdleClauses(text),
    ...coversMistakes(text, coverage),
    ...findRowMistakes(text, requests),
    ...findStepMistakes(text, requests),
  ];
}

/** Returns unknown variables in rows. Rows are filled in before the first step, so they cannot use saved variables. */
function findRowMistakes({ rows = [] }: ScenarioText, { variable }: RequestRules): Mistake[] {
  return rows.flatMap((row, index) => {
    const known = new Set(Object.keys(row));
    return [...new Set(listVariables(Object.values(row)))]
      .filter((name) => !(known.has(name) || BUILT_IN_VARIABLE.test(name) || variable(name)))
      .map((name) => ({
        path: ["rows", index],
        what: `{${name}} has no value before the first step; allowed: ${FIRST_VARIABLES}`,
      }));
  });
}

const FIRST_VARIABLES = "fields of the row, {unique}, {now}, {text:N}, {binding.…} and the variables of the contract";

function findClauseMistakes(text: ScenarioText, ledger: Ledger): Mistake[] {
  const lists: [Path, string[]][] = [
    [["proves"], text.proves],
    ...text.steps.map((step, i): [Path, string[]] => [["steps", i, "proves"], step.proves ?? []]),
  ];
  return lists.flatMap(([path, ids]) =>
    ids.flatMap((id, index) => {
      const what = findUnprovable(id, ledger);
      return what === undefined ? [] : [{ path: [...path, index], what }];
    }),
  );
}

/** Returns why a scenario or a waiver cannot name this clause; undefined if it can. */
export function findUnprovable(id: string, ledger: Ledger): string | undefined {
  const level = ledger[id]?.level;
  if (level === undefined)
    return `no clause is called "${id}"${findClosestName(id, Object.keys(ledger))}; allowed: ids of spec/clauses.json`;
  if (level === "stated" || level === "derived") return undefined;
  return `"${id}" is ${level}, and checks never assert such clauses; allowed: stated and derived clauses`;
}

/** Returns the clauses that the scenario proves but that none of its checks judges. */
function findIdleClauses({ proves, steps }: ScenarioText): Mistake[] {
  const checks = steps.filter((step) => step.expect);
  if (checks.some((step) => !step.proves)) return [];
  const judged = new Set(checks.flatMap((step) => step.proves ?? []));
  return proves.flatMap((id, index) =>
    judged.has(id)
      ? []
      : [{ path: ["proves", index], what: `no check judges "${id}"; allowed: clauses that a step with expect proves` }],
  );
}

/** Returns the unknown dimensions and values in `covers`. */
function coversMistakes(text: ScenarioText, { dimensions }: CoverageRules): Mistake[] {
  const places: [Path, Step["covers"]][] = [
    [["covers"], text.covers],
    ...text.steps.map((step, index): [Path, Step["covers"]] => [["steps", index, "covers"], step.covers]),
  ];
  return places.flatMap(([path, covers]) => {
    const what = covers && findCoversMistake(covers, dimensions);
    return what === undefined ? [] : [{ path, what }];
  });
}

function findStepMistakes(text: ScenarioText, rules: RequestRules): Mistake[] {
  const known = new Set((text.rows ?? []).flatMap((row) => Object.keys(row)));
  const requests = new Set<string>();
  const ids = new Set<string>();
  const mistakes: Mistake[] = [];
  const visit = (step: Step, path: Path) => {
    if (step.id && ids.has(step.id)) mistakes.push({ path: [...path, "id"], what: `two steps are called "${step.id}"` });
    if (step.repeat && !requests.has(step.repeat))
      mistakes.push({
        path: [...path, "repeat"],
        what: `no earlier rest step is called "${step.repeat}"; allowed: ${[...requests].join(", ") || "none yet"}`,
      });
    mistakes.push(
      ...findUnknownVariables(step, known, rules).map((what) => ({ path, what })),
      ...[...keywords[findKeyword(step)].lint(step, rules), ...lintModifiers(step, rules)].map((what) => ({ path, what })),
      ...rules.lint(step).map((mistake) => ({ ...mistake, path: [...path, ...mistake.path] })),
    );
    if (step.id) ids.add(step.id);
    if (step.id && step.rest) requests.add(step.id);
    for (const name of Object.keys(step.save ?? {})) known.add(name);
  };
  text.steps.forEach((step, index) => {
    visit(step, ["steps", index]);
  });
  text.finally?.forEach((step, index) => {
    visit(step, ["finally", index]);
  });
  return mistakes;
}

function findUnknownVariables(step: Step, known: ReadonlySet<string>, { variable }: RequestRules): string[] {
  const here = new Set([
    ...known,
    ...(step.rows ?? []).flatMap((row) => Object.keys(row)),
    ...(step.burst || step.race ? ["n"] : []),
  ]);
  const after = new Set([...here, ...Object.keys(step.save ?? {})]);
  const { control, ...rest } = step;
  const names = [
    ...listVariables(rest).filter((name) => !here.has(name)),
    ...listVariables(control).filter((name) => !after.has(name)),
  ];
  return [...new Set(names)]
    .filter((name) => !BUILT_IN_VARIABLE.test(name) && !variable(name))
    .map((name) => `{${name}} is used before it is saved; allowed: ${[...here].join(", ") || "built-in variables only"}`);
}
