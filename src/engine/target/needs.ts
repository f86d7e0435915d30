import { isRecord } from "../scenario/interpolate.js";
import type { Environment } from "./environment.js";
import type { TargetNames } from "./rules.js";
import type { Target } from "./target.js";

/** Returns the first need that a target does not meet. Without an environment, a target with worlds meets every need for keys, sessions and repos. */
export function findUnmetNeed(needs: readonly string[], target: Target, environment?: Environment): string | undefined {
  return needs.find((need) => !meetsNeed(need, target, environment));
}

/** Returns the message for a need that the target does not meet, with the field of the target file that meets it. */
export function describeUnmetNeed(need: string, target: Pick<Target, "bindings">, names: TargetNames | undefined): string {
  const lack = isAbsence(need) ? `states ${need.slice(ABSENCE_PREFIX.length)}` : `offers no ${need}`;
  return `the target ${lack}: set ${describeItem(need, target, names)} in the target file`;
}

/** Returns the items that meet the needs that a target does not meet. */
export function listUnmetItems(
  needs: readonly string[],
  target: Target,
  names: TargetNames | undefined,
  environment?: Environment,
): string[] {
  const unmet = needs.filter((need) => !meetsNeed(need, target, environment));
  return [...new Set(unmet.map((need) => describeItem(need, target, names)))];
}

/** Marks a skip reason if one of the needs is for means that the target names and that did not work. */
export function isUnusable(needs: readonly string[], { unusable = [] }: Target): { isUnusable?: true } {
  return needs.some((need) => unusable.includes(need)) ? { isUnusable: true } : {};
}

/** Tells whether a target meets one need. On a target with worlds, keys, sessions and repos are those of the environment. */
export function meetsNeed(need: string, target: Target, environment?: Environment): boolean {
  if (isAbsence(need)) return !meetsNeed(need.slice(ABSENCE_PREFIX.length), target, environment);
  const [kind, ...rest] = need.split(".");
  const name = rest.join(".");
  const provider = environment ?? (target.worlds ? undefined : target);
  switch (kind) {
    case "clock":
      return target.clock !== undefined;
    case "worlds":
      return target.worlds !== undefined;
    case "drive":
      return Object.hasOwn(target.drive, name);
    case "key":
      return !provider || Object.hasOwn(provider.keys, name);
    case "session":
      return !provider || Object.hasOwn(provider.sessions, name);
    case "repos":
      return !provider || provider.repos.length >= Number(name);
    case "binding":
      return meetsBinding(name, target.bindings);
    case "surface":
      return target.urls[name as "mcp" | "docs" | "app" | "session"] !== undefined;
    case "allow":
      return target.allow[name as "paid" | "destructive"];
    default:
      return false;
  }
}

/** The start of the need that a target does not state a binding. */
const ABSENCE_PREFIX = "no ";

function isAbsence(need: string): boolean {
  return need.startsWith(ABSENCE_PREFIX);
}

/** Tells whether the target file states a binding and, with `>= N` or `<= N`, a number within that bound. */
function meetsBinding(need: string, bindings: Record<string, unknown>): boolean {
  const [name = "", relation, bound] = need.split(" ");
  const value = readBinding(bindings, name);
  if (relation === undefined) return value !== undefined;
  return typeof value === "number" && (relation === ">=" ? value >= Number(bound) : value <= Number(bound));
}

/** Returns a value of the target's bindings by its dotted name; undefined for null. */
export function readBinding(bindings: Record<string, unknown>, name: string): unknown {
  return name.split(".").reduce<unknown>((here, part) => (isRecord(here) ? here[part] : undefined), bindings) ?? undefined;
}

/** Returns the item that meets a need: a field of the target file. */
export function describeItem(need: string, { bindings }: Pick<Target, "bindings">, names: TargetNames | undefined): string {
  const [kind = "", ...rest] = need.split(".");
  const name = rest.join(".");
  switch (kind) {
    case "clock":
      return "a clock hook";
    case "worlds":
      return "worlds";
    case "repos":
      return `${name} repos`;
    case "surface":
      return `${name}_url`;
    case "key":
      return `keys.${name}`;
    case "session":
      return `sessions.${name}`;
    case "allow":
      return `allow.${name}: true`;
    case "drive":
      return `drive.${name}`;
    default:
      return describeBindingItem(name, bindings, names);
  }
}

/** Returns one item for bindings that are only useful together: the parts of a binding, or a tool and its arguments. */
function describeBindingItem(name: string, bindings: Record<string, unknown>, names: TargetNames | undefined): string {
  const [first = "", second = "", ...rest] = name.split(".");
  if (first === "tool_args" && readBinding(bindings, `tools.${second}`) === undefined && rest.length > 0)
    return `bindings.tools.${second}`;
  const [argument = ""] = first === "tool_args" ? rest : [];
  const whole = names?.combined[argument];
  if (whole) return `bindings.tool_args.${second} with ${whole.of.join(", ")} in place of ${argument}`;
  const combined = Object.entries(names?.combined ?? {}).find(([, { of }]) => of.includes(argument));
  if (combined) return `bindings.tool_args.${second} with ${combined[1].of.join(", ")} or with ${combined[0]}`;
  return names?.bindings[first]?.parts?.needed === "all" ? `bindings.${first}` : `bindings.${name}`;
}
