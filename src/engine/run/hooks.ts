import type { Run } from "../execute/run.js";
import type { Hooks } from "../report/suite-identity.js";
import { meetsNeed } from "../target/needs.js";
import type { TargetNames, TargetRules } from "../target/rules.js";
import type { VerifyOptions } from "./options.js";

const HOST_NEEDS = ["surface.mcp", "surface.docs", "surface.app"];
const PERMISSIONS = ["allow.paid", "allow.destructive"];

/** Options that make a run smaller than the runs in which the quality of the suite was measured. */
const REDUCING = ["among", "scenarios", "runs", "budgetPaid", "claim"] as const;

/**
 * Returns which hooks the target of a whole run offers. Returns undefined where the target offers only some hooks, where it lacks a key, a session,
 * a host, a binding or a permission that the suite uses, or where an option reduces the run.
 */
export function hooksOf(
  { names }: Pick<TargetRules, "names">,
  options: Pick<VerifyOptions, (typeof REDUCING)[number]>,
  { target, profile }: Pick<Run, "target" | "profile">,
): Hooks | undefined {
  if (!names || REDUCING.some((name) => options[name] !== undefined)) return undefined;
  const others = [...otherNeeds(names), ...(profile === "full" ? PERMISSIONS : [])];
  if (!others.every((need) => meetsNeed(need, target))) return undefined;
  const hooks = ["worlds", "clock", ...named("drive", names.drive)];
  const offered = hooks.filter((need) => meetsNeed(need, target)).length;
  return offered === hooks.length ? "all-hooks" : offered === 0 ? "no-hooks" : undefined;
}

function otherNeeds({ keys, sessions, bindings }: TargetNames): string[] {
  return [...named("key", keys), ...named("session", sessions), ...named("binding", bindings), ...HOST_NEEDS];
}

function named(kind: string, names: Readonly<Record<string, unknown>>): string[] {
  return Object.keys(names).map((name) => `${kind}.${name}`);
}
