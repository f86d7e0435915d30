import { createHash } from "node:crypto";
import { listStepDemands } from "./demand.js";
import { findRequestEffect, mustBeRefused } from "./effects.js";
import type { Effect, Row, ScenarioText, Step, StepRequest } from "./format.js";
import { interpolateText, isOfTime, listVariables } from "./interpolate.js";
import { findKeyword, keywords } from "./keywords.js";
import { needsOfRequest, needsOfVariable } from "./needs.js";
import type { CompileRules, RequestRules } from "./requests.js";
import type { CompiledRequest, CompiledStep, Need, Scenario, ScenarioHead, StepOrigin } from "./scenario.js";

/** The name and row variables of a scenario, its file and line, and the places of its steps. */
export interface ScenarioPlace {
  name: string;
  variables: Row;
  file: string;
  line: number;
  origins: readonly StepOrigin[];
}

/** Compiles a scenario. One without a file, such as a counterexample, needs no `place`. */
export function compileScenario(
  text: ScenarioText,
  rules: CompileRules,
  place: ScenarioPlace = createUnknownPlace(text),
): Scenario {
  const { origins, ...where } = place;
  const moments = Object.keys(where.variables).filter((name) => listVariables(where.variables[name]).some(isOfTime));
  const compile = (step: Step, origin: StepOrigin) =>
    compileStep(step, { rules, steps: text.steps, proves: text.proves, moments, origin });
  const getOrigin = (step: Step, index: number): StepOrigin => ({ ...where, name: step.id ?? `#${index + 1}` });
  const steps = text.steps.map((step, index) => compile(step, origins[index] ?? getOrigin(step, index)));
  const last = (text.finally ?? []).map((step, index) => compile(removeChecks(step), getOrigin(step, index)));
  const controls = steps.flatMap(({ control }) => control ?? []);
  const effects = [...new Set([...steps, ...controls].map(({ effect }) => effect))];
  return {
    ...readHead(text),
    ...where,
    commonName: text.scenario,
    digest: createHash("sha256")
      .update(JSON.stringify([where.name, text, where.variables]))
      .digest("hex"),
    ...{ steps, finally: last, effects },
    needs: needsOfScenario(text, { rules, steps, effects, variables: where.variables }),
    demands: [...steps, ...last, ...controls].flatMap((step) => listStepDemands(step, where.variables, rules)),
    usesUpLimits: usesUpLimits(text),
  };
}

/** Returns what reports show of a scenario that has no rows and no file. */
export function readHead(text: ScenarioText): ScenarioHead {
  const { scenario: name, title, proves, steps } = text;
  const claims = [...new Set([...proves, ...steps.flatMap((step) => step.proves ?? [])])];
  return { name, title, file: name, claims, text, variables: {} };
}

/**
 * The context in which a step is compiled: the steps that it may repeat, the clauses of its scenario, and the row fields that hold a time of
 * the target's clock (`moments`).
 */
export interface StepContext {
  rules: CompileRules;
  steps: readonly Step[];
  proves: readonly string[];
  moments?: readonly string[];
  origin: StepOrigin;
}

/** Compiles one step. */
export function compileStep(text: Step, context: StepContext): CompiledStep {
  const { rules, steps, proves, moments = [], origin } = context;
  const keyword = findKeyword(text);
  const requests = keywords[keyword].requests(text, steps);
  const effect = findEffect(text, requests, rules.requests);
  const { expect, given, with: values, clock, inconclusiveIf } = text;
  return {
    ...{ text, keyword, name: origin.name, file: origin.file, line: origin.line },
    isCheck: expect !== undefined,
    clauses: expect === undefined ? [] : (text.proves ?? proves),
    effect,
    paid: effect === "paid" ? keywords[keyword].cost(text).count : 0,
    requests: requests.map(compileRequest),
    variables: listVariables([expect, given, values, clock, inconclusiveIf]),
    usesClock: listVariables(text).some((name) => isOfTime(name) || moments.includes(name)),
    ...(text.control && { control: compileStep(removeTrigger(text, steps), context) }),
    ...(text.otherwise && { otherwise: compileStep(text.otherwise, context) }),
  };
}

/** Compiles a request. */
export function compileRequest(text: StepRequest): CompiledRequest {
  const { rest, query, headers, json, body, authorization, mcp, as, session } = text;
  return { text, variables: listVariables([rest, query, headers, json, body, authorization, mcp, as, session]) };
}

function createUnknownPlace({ scenario }: ScenarioText): ScenarioPlace {
  return { name: scenario, variables: {}, file: scenario, line: 1, origins: [] };
}

/** Returns a `finally` step, whose response is not judged. */
function removeChecks(step: Step): Step {
  return step.expect ? { ...step, expect: { status: "any" } } : step;
}

/**
 * Returns the step that sends the control of a step. The control's fields replace those of the step, or of the step that it repeats. Null
 * removes a field; `rest` in the control removes `mcp`, and the pages of the step's list.
 */
function removeTrigger({ control, rows, ...step }: Step, steps: readonly Step[]): Step {
  const request = step.repeat === undefined ? step : steps.find(({ id }) => id === step.repeat);
  const ofStep = control?.rest ? { ...request, mcp: null, allPages: null, pageSize: null } : request;
  const fields = Object.entries({ ...ofStep, ...control, afterFailure: null }).filter(([, value]) => value !== null);
  return { ...Object.fromEntries(fields), ...(rows && { rows }) };
}

/** Returns the effect of a step. A request that must be refused starts no paid work. */
function findEffect(text: Step, requests: readonly StepRequest[], rules: RequestRules): Effect {
  if (text.effect) return text.effect;
  const isRefused = mustBeRefused(text);
  const effects = requests.map((request) => {
    const effect = findRequestEffect(request, rules);
    return effect === "paid" && isRefused ? "write" : effect;
  });
  return keywords[findKeyword(text)].effect(effects);
}

interface NeedContext {
  rules: CompileRules;
  variables: Row;
  steps: readonly CompiledStep[];
  effects: readonly Effect[];
}

/** Returns everything that a scenario needs of its target. */
function needsOfScenario(text: ScenarioText, { rules, steps, effects, variables }: NeedContext): Need[] {
  const made = new Set(text.steps.flatMap((step) => Object.keys(step.saveCredential ?? {})));
  const findNeed = (need: string): Need => ({ need });
  return [
    ...(text.needs ?? []).map(findNeed),
    ...steps.flatMap((step) => needsOfStep(step, variables, rules)).filter(({ need }) => !made.has(need.replace("key.", ""))),
    ...[...new Set(listVariables([text.steps, variables]))]
      .flatMap((name) => needsOfVariable(name, rules.requests))
      .map(findNeed),
    ...(text.fixture === undefined ? [] : [findNeed("worlds")]),
    ...(["paid", "destructive"] as const)
      .filter((effect) => effects.includes(effect))
      .map((effect) => findNeed(`allow.${effect}`)),
  ];
}

/** Returns the needs of a step for all its rows. A row can hold the name of a role. */
function needsOfStep({ text, keyword, requests, control }: CompiledStep, variables: Row, rules: CompileRules): Need[] {
  const ofRequests = (sentCompiledRequests: readonly CompiledRequest[]): Need[] =>
    sentCompiledRequests.flatMap((request) => needsOfRequest(request.text, rules)).map((need) => ({ need }));
  const needs = [...keywords[keyword].needs(text, ofRequests(requests)), ...ofRequests(control?.requests ?? [])];
  return (text.rows ?? [{}])
    .flatMap((row: Row) =>
      needs.map((each) => ({ ...each, need: interpolateText(each.need, (name) => row[name] ?? variables[name] ?? name) })),
    )
    .filter(({ need }) => need !== "key.none");
}

/** Returns whether a burst uses up a limit that others share. A key that the scenario creates has separate counters. */
function usesUpLimits({ steps }: ScenarioText): boolean {
  const made = new Set(steps.flatMap((step) => Object.keys(step.saveCredential ?? {})));
  return steps.some(({ burst }) => burst && !made.has(burst.as ?? ""));
}
