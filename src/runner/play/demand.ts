import type { Sort } from "../governor/buckets.js";
import { type Scenario, type Step, withoutTrigger } from "../scenario/format.js";
import { interpolateText } from "../scenario/interpolate.js";
import { effectOf, requestOf } from "./effects.js";
import { roleOf } from "./needs.js";

/** Requests of one sort that a scenario sends at the least: polls, pages and repeated tries add to them. */
export interface Demand extends Sort {
  /** Whose key or session they carry; none on the docs site and for bad credentials. */
  role?: string;
  session?: string;
  count: number;
  /** How many of them may start paid work. */
  paid: number;
  /** Sent in one go, up to a limit on purpose. */
  burst: boolean;
  step: Step;
}

/** What a scenario sends, step by step, its controls and its tidying up included. */
export function demandsOf(scenario: Scenario): Demand[] {
  const { steps, finally: last = [] } = scenario.text;
  const controls = steps.filter(({ control }) => control).map((step) => ({ ...withoutTrigger(step, steps), rows: step.rows }));
  return [...steps, ...last, ...controls].flatMap((step) =>
    (step.rows ?? [{}]).flatMap((row) => demandOf(step as Step, { ...scenario.variables, ...row }, scenario)),
  );
}

/** All requests of some demands, or all that may start paid work. */
export function total(demands: readonly Demand[], of: "count" | "paid"): number {
  return demands.reduce((sum, demand) => sum + demand[of], 0);
}

function demandOf(step: Step, row: Record<string, unknown>, scenario: Scenario): Demand[] {
  if (step.drive !== undefined || step.clock) return [];
  const request = requestOf(step, scenario);
  const mcp = step.mcp ?? step.burst?.mcp;
  const count = step.burst?.n ?? step.race?.n ?? 1;
  const filled = (text: string) => interpolateText(text, (name) => row[name] ?? `{{${name}}`);
  const [method = "POST", path = "/mcp/"] = mcp ? [] : asRoute(filled(request.rest ?? "")).split(" ");
  const role = roleOf(request);
  return [
    {
      ...{ method, path, tool: mcp !== undefined, count, burst: step.burst !== undefined, step },
      ...(role !== undefined && { role: filled(role) }),
      ...(request.session !== undefined && { session: filled(request.session) }),
      paid: effectOf(step, scenario) === "paid" ? count : 0,
    },
  ];
}

/** A route with something in the place of each variable; a whole repository is three segments. */
function asRoute(rest: string): string {
  return rest.replace(/\{?\{repo[1-9]?\}/g, "owner/repo/branch").replace(/\{?\{[^}]*\}/g, "x");
}
