import { isRecord } from "../scenario/interpolate.js";
import type { Environment } from "./environment.js";
import type { Target } from "./target.js";

/** The first need that a target does not meet. Of a target with worlds, some are known only in the environment. */
export function unmetNeed(needs: readonly string[], target: Target, environment?: Environment): string | undefined {
  return needs.find((need) => !meetsNeed(need, target, environment));
}

/** Why what has such a need cannot run. */
export function unmetNeedMessage(need: string): string {
  return `the target offers no ${need}`;
}

/** Whether a target meets one need; of a target with worlds, roles and `repos` are those of the environment. */
export function meetsNeed(need: string, target: Target, environment?: Environment): boolean {
  const [kind, ...rest] = need.split(".");
  const name = rest.join(".");
  const offer = environment ?? (target.worlds ? undefined : target);
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
      return target.urls[name as "mcp" | "docs" | "app" | "session"] !== undefined;
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
