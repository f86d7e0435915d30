import type { Key } from "../../src/service/world/world.js";
import { each } from "./family.js";
import { type Fault, keyOf, type Mutant, pretending } from "./mutant.js";

/** How the networks around an examiner on this machine are written. */
const within: Record<string, RegExp> = {
  host: /^127\.0\.0\.1$/,
  "/32": /\/32$/,
  "/31": /\/31$/,
  "/24": /\/24$/,
  "/8": /\/8$/,
  "/0": /\/0$/,
};
const beside: Record<string, RegExp> = {
  "host before": /^127\.0\.0\.0$/,
  "host after": /^127\.0\.0\.2$/,
  "/32": /\..*\/32$/,
  "/31": /\/31$/,
  "/25": /\/25$/,
  "/24": /^127.*\/24$/,
  "/8": /\/8$/,
  "/1": /\/1$/,
  "IPv6 host": /^[^/]*:[^/]*$/,
  "IPv6 range": /:.*\//,
};

/** Faults in fences that are written in one form: they are too narrow, or too wide. */
export const fenceMutants: Mutant[] = [
  ...each("KEY-FENCE-INSIDE", "network with caller", "shuts out who calls from within a network like *", {
    rest: (form) => onRest(within[form], ["198.51.100.1"]),
    mcp: (form) => onTools(within[form], ["198.51.100.1"]),
  }),
  ...each("KEY-FENCE-OUTSIDE", "network beside caller", "lets in who calls from beside a network like *", {
    rest: (form) => onRest(beside[form], null),
    mcp: (form) => onTools(beside[form], null),
  }),
];

/** Takes the fence of a key that has one of this form for another. */
function onRest(form: RegExp | undefined, fence: string[] | null): Fault {
  return {
    around(world, call, perform) {
      const key = keyOf(world, call);
      return pretending(hasFence(key, form) ? key : undefined, { allowed_cidrs: fence }, () => perform(world, call));
    },
  };
}

function onTools(form: RegExp | undefined, fence: string[] | null): Fault {
  return {
    aroundEntry(world, authorization, enter) {
      const key = Object.values(world.keys).find(({ token }) => authorization === `Bearer ${token}`);
      if (!key || !hasFence(key, form)) return enter(authorization);
      const { allowed_cidrs } = key;
      key.allowed_cidrs = fence;
      const entered = enter(authorization);
      key.allowed_cidrs = allowed_cidrs;
      return entered;
    },
  };
}

function hasFence(key: Key | undefined, form: RegExp | undefined): boolean {
  const [only, ...others] = key?.allowed_cidrs ?? [];
  return only !== undefined && others.length === 0 && form?.test(only) === true;
}
