import type { Mistake, Path } from "../yaml-file.js";
import type { ScenarioText, Step } from "./format.js";
import { variablesIn } from "./interpolate.js";
import { openPoints } from "./open-points.js";
import { effectOfAsk, toolEffects } from "./tools.js";

/** The clauses that exist: as much of the ledger as the examiner needs. */
export type Ledger = Readonly<
  Record<string, { section: number; says: string; level: string; surface: readonly string[]; excluded?: string }>
>;

const BUILT_IN = /^(repo[1-9]?(\.(owner|name|branch))?|slug[1-9]?|unique|text:[0-9]+|now([+-][0-9.]+(ms|s|m|h|d))?|binding\..+)$/;

/** What the schema cannot see: clauses that are not there to be proved, variables before they are saved, repeats of nothing. */
export function mistakesIn(text: ScenarioText, ledger: Ledger): Mistake[] {
  return [...clauseMistakes(text, ledger), ...idleClauses(text), ...playMistakes(text)];
}

function clauseMistakes(text: ScenarioText, ledger: Ledger): Mistake[] {
  const lists: [Path, string[]][] = [
    [["proves"], text.proves],
    ...text.steps.map((step, i): [Path, string[]] => [["steps", i, "proves"], step.proves ?? []]),
  ];
  return lists.flatMap(([path, ids]) =>
    ids.flatMap((id, index) => {
      const what = unprovable(id, ledger);
      return what === undefined ? [] : [{ path: [...path, index], what }];
    }),
  );
}

/** Why nobody can prove, or waive, this clause; undefined when somebody can. */
export function unprovable(id: string, ledger: Ledger): string | undefined {
  const level = ledger[id]?.level;
  if (level === undefined) return `no clause is called "${id}"; allowed: ids of spec/clauses.json`;
  if (level === "stated" || level === "derived") return undefined;
  return `"${id}" is ${level}, so it is never asserted; allowed: stated and derived clauses`;
}

/** A clause that the scenario claims and no check judges would never be passed. */
function idleClauses({ proves, steps }: ScenarioText): Mistake[] {
  const checks = steps.filter((step) => step.expect);
  if (checks.some((step) => !step.proves)) return [];
  const judged = new Set(checks.flatMap((step) => step.proves ?? []));
  return proves.flatMap((id, index) =>
    judged.has(id)
      ? []
      : [{ path: ["proves", index], what: `no check judges "${id}"; allowed: clauses that a step with expect proves` }],
  );
}

function playMistakes(text: ScenarioText): Mistake[] {
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
      ...unknownVariables(step, known).map((what) => ({ path, what })),
      ...misplaced(step).map((what) => ({ path, what })),
      ...openPoints(step).map((what) => ({ path: [...path, "expect"], what })),
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

function unknownVariables(step: Step, known: ReadonlySet<string>): string[] {
  const here = new Set([
    ...known,
    ...(step.rows ?? []).flatMap((row) => Object.keys(row)),
    ...(step.burst || step.race ? ["n"] : []),
  ]);
  const after = new Set([...here, ...Object.keys(step.save ?? {})]);
  const { control, ...rest } = step;
  const names = [
    ...variablesIn(rest).filter((name) => !here.has(name)),
    ...variablesIn(control).filter((name) => !after.has(name)),
  ];
  return [...new Set(names)]
    .filter((name) => !BUILT_IN.test(name))
    .map((name) => `{${name}} is used before it is saved; allowed: ${[...here].join(", ") || "built-in variables only"}`);
}

const READS = /^(GET|HEAD) /;

function misplaced(step: Step): string[] {
  const found: string[] = [];
  const reads = step.mcp ? effectOfAsk(step.mcp) === "read" : READS.test(step.rest ?? "");
  const purpose = step.mcp?.tool ?? step.burst?.mcp?.tool;
  if (purpose !== undefined && !purpose.includes("{") && !Object.hasOwn(toolEffects, purpose))
    found.push(`no tool has the purpose "${purpose}"; allowed: ${Object.keys(toolEffects).join(", ")}`);
  if (step.mcp?.eachTool && (step.until || step.control || step.save))
    found.push("eachTool has many answers; allowed: expect, alone");
  if (step.until && !reads) found.push("until asks again and again, so it takes reads only; allowed: GET and read tools");
  if (step.until && !step.expect && !step.given) found.push("until needs an expect or a given to wait for");
  if (step.walk && !READS.test(step.rest ?? "")) found.push("walk follows the pages of a list; allowed: GET");
  if (step.control && !step.expect) found.push("control belongs to a step with expect");
  if (step.control && !step.rest && !step.mcp && !step.repeat) found.push("control belongs to a rest, repeat or mcp step");
  if (step.rest && step.mcp === undefined && [step.json, step.body, step.bytes].filter((one) => one !== undefined).length > 1)
    found.push("a request has one body; allowed: json, body or bytes");
  if ((step.drive || step.clock) && (step.expect || step.given)) found.push("drive and clock are not judged; allowed: save");
  return found;
}
