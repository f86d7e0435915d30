import { type McpText, type RequestText, type Scenario, type Step, seconds, withoutTrigger } from "../scenario/format.js";
import { interpolateText, isRecord, variablesIn } from "../scenario/interpolate.js";
import { bindingsOfTool } from "../scenario/tools.js";
import type { Stage } from "../target/stage.js";
import type { Target } from "../target/target.js";
import { effectsOf } from "./effects.js";

/** Everything a scenario needs of its target: what it names, and what its steps show. */
export function needsOf(scenario: Scenario, maxWaitSeconds: number): string[] {
  const { needs = [], steps, fixture } = scenario.text;
  const made = new Set(steps.flatMap((step) => Object.keys(step.saveKey ?? {})));
  const effects = effectsOf(scenario);
  const derived = [
    ...steps.flatMap((step) => rowNeeds(step, scenario, maxWaitSeconds)).filter((need) => !made.has(need.replace("key.", ""))),
    ...variablesIn(steps).flatMap(variableNeeds),
    ...(fixture === undefined ? [] : ["worlds"]),
    ...(effects.includes("paid") ? ["allow.paid"] : []),
    ...(effects.includes("destructive") ? ["allow.destructive"] : []),
  ];
  return [...new Set([...needs, ...derived])];
}

/** The first need that a target does not meet, in words. Roles and repositories of a target with worlds are known only on the stage. */
export function unmetNeed(needs: readonly string[], target: Target, stage?: Stage): string | undefined {
  const need = needs.find((candidate) => !isMet(candidate, target, stage));
  return need === undefined ? undefined : `the target offers no ${need}`;
}

/** Whether a target meets one need; of a target with worlds, roles and repositories are those of the stage. */
export function isMet(need: string, target: Target, stage?: Stage): boolean {
  const [kind, ...rest] = need.split(".");
  const name = rest.join(".");
  const offer = stage ?? (target.worlds ? undefined : target);
  switch (kind) {
    case "clock":
      return target.clock !== undefined;
    case "worlds":
      return target.worlds !== undefined;
    case "drive":
      return Object.hasOwn(target.drive, name);
    case "key":
      return !offer || Object.hasOwn(offer.keys, name);
    case "session":
      return !offer || Object.hasOwn(offer.sessions, name);
    case "repos":
      return !offer || offer.repos.length >= Number(name);
    case "binding":
      return bindingAt(target.bindings, name) !== undefined;
    case "surface":
      return target.urls[name as "mcp" | "docs" | "app"] !== undefined;
    case "allow":
      return target.allow[name as "paid" | "destructive"];
    default:
      return false;
  }
}

/** A value of the target's bindings by its dotted name. */
export function bindingAt(bindings: Record<string, unknown>, name: string): unknown {
  return name.split(".").reduce<unknown>((here, part) => (isRecord(here) ? here[part] : undefined), bindings);
}

/** The needs of a step in all its rows; a row can hold the name of a role. */
function rowNeeds(step: Step, { variables, text }: Scenario, maxWaitSeconds: number): string[] {
  const needs = stepNeeds(step, text.steps, maxWaitSeconds);
  return (step.rows ?? [{}]).flatMap((row) =>
    needs.map((need) => interpolateText(need, (name) => row[name] ?? variables[name] ?? name)),
  );
}

function stepNeeds(step: Step, steps: readonly Step[], maxWaitSeconds: number): string[] {
  const needs: string[] = [];
  if (step.drive) needs.push(`drive.${step.drive}`);
  if (step.clock && (!("by" in step.clock) || seconds(step.clock.by) > maxWaitSeconds)) needs.push("clock");
  const requests: ((RequestText & { mcp?: McpText }) | undefined)[] = [
    ...(step.rest || step.mcp ? [step] : []),
    step.burst,
    ...(step.race?.requests ?? [step.race]),
    step.control && withoutTrigger(step, steps),
  ];
  for (const request of requests) {
    if (!request) continue;
    const at = request.at ?? (request.mcp ? "mcp" : request.session ? "app" : "api");
    if (at !== "api") needs.push(`surface.${at}`);
    if (request.session) needs.push(`session.${request.session}`);
    const role = roleOf(request);
    if (role) needs.push(`key.${role}`);
    needs.push(...bindingsOfTool(request.mcp ?? {}).map((binding) => `binding.${binding}`));
  }
  return needs;
}

/** The role whose key a request carries; none for other credentials and on the docs site. */
export function roleOf(request: RequestText): string | undefined {
  if (request.as) return request.as === "none" ? undefined : request.as;
  return request.session || request.authorization !== undefined || request.at === "docs" ? undefined : "full";
}

function variableNeeds(name: string): string[] {
  if (name.startsWith("binding.")) return [name];
  const [, number] = /^(?:repo|slug)([1-9]?)(?:\.|$)/.exec(name) ?? [];
  return number === undefined ? [] : [`repos.${number || 1}`];
}
