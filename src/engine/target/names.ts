import { findClosestName, listClosestNames } from "../../common/nearest-names.js";
import { isRecord } from "../scenario/interpolate.js";
import type { Mistake } from "../scenario/yaml-file.js";
import { OTHER_OFFERS } from "./control.js";
import type { BindingText, TargetNames } from "./rules.js";

/**
 * Returns a mistake for each name in a target file that looks like a typo of a name that the contract's scenarios use. Other unknown names are allowed,
 * because a user's own scenarios may need them. Tool purposes and their arguments must be known.
 */
export function findUnknownNames(names: TargetNames, file: unknown): Mistake[] {
  if (!isRecord(file)) return [];
  const { bindings = {}, control } = file;
  return [
    ...findTypos(["keys"], file.keys, Object.keys(names.keys), "role"),
    ...findTypos(["sessions"], file.sessions, Object.keys(names.sessions), "role"),
    ...findTypos(["drive"], file.drive, Object.keys(names.drive), "event"),
    ...findUnknownOffers(control, [...OTHER_OFFERS, ...Object.keys(names.drive)]),
    ...findTypos(["bindings"], bindings, [...Object.keys(names.bindings), "tools", "tool_args"], "binding"),
    ...Object.entries(names.bindings).flatMap(([name, text]) => findPartMistakes(name, text, bindings)),
    ...(isRecord(bindings) ? findToolMistakes(names, bindings) : []),
  ];
}

/**
 * Adds the parts of each combined argument to the bindings of a tool, under its name: `slug: s` adds `owner: s`, `repo: s` and `branch: s`. A scenario that needs any of the parts
 * can then be executed. A synonym of a combined argument becomes its name.
 */
export function expandCombined(
  { combined }: Pick<TargetNames, "combined">,
  bindings: Record<string, unknown>,
): Record<string, unknown> {
  const { tool_args: tools } = bindings;
  if (!isRecord(tools)) return bindings;
  const expanded = Object.entries(tools).map(([purpose, names]) => {
    if (!isRecord(names)) return [purpose, names];
    const all = { ...names };
    for (const [whole, { of, synonyms }] of Object.entries(combined)) {
      const bound = [whole, ...synonyms].map((name) => names[name]).find((name) => name !== undefined);
      if (bound === undefined) continue;
      for (const synonym of synonyms) delete all[synonym];
      for (const part of of) all[part] ??= bound;
      all[whole] = bound;
    }
    return [purpose, all];
  });
  return { ...bindings, tool_args: Object.fromEntries(expanded) };
}

/** Returns a mistake for each entry of `control.offers` that is not a hook. */
function findUnknownOffers(control: unknown, known: readonly string[]): Mistake[] {
  const offers = isRecord(control) && Array.isArray(control.offers) ? (control.offers as unknown[]) : [];
  return offers.flatMap((offer, index) =>
    known.some((name) => name === offer)
      ? []
      : [
          {
            path: ["control", "offers", index],
            what: `"${String(offer)}" is not a hook${findClosestName(String(offer), known)}`,
          },
        ],
  );
}

function findTypos(path: readonly string[], value: unknown, known: readonly string[], what: string): Mistake[] {
  const given = isRecord(value) ? Object.keys(value) : [];
  const unused = known.filter((name) => !given.includes(name));
  return given
    .filter((name) => !known.includes(name) && listClosestNames(name, unused).length > 0)
    .map((name) => ({ path: [...path, name], what: `unknown ${what} "${name}"${findClosestName(name, unused)}` }));
}

function findPartMistakes(name: string, { parts }: BindingText, bindings: unknown): Mistake[] {
  const value = isRecord(bindings) ? bindings[name] : undefined;
  if (!parts || value === undefined) return [];
  const path = ["bindings", name];
  if (!isRecord(value)) return [{ path, what: `${name} must be a mapping with the parts ${parts.names.join(", ")}` }];
  const { names, instead = [] } = parts;
  const needed = instead.some((part) => value[part] !== undefined) ? instead : names;
  const missing = parts.needed === "all" ? needed.filter((part) => value[part] === undefined) : [];
  return [
    ...findTypos(path, value, [...names, ...instead], "part"),
    ...missing.map((part) => ({ path, what: `"${part}" is missing: ${name} needs ${needed.join(", ")}` })),
  ];
}

function findToolMistakes(
  { tools, combined }: TargetNames,
  { tools: named, tool_args: args }: Record<string, unknown>,
): Mistake[] {
  const purposes = Object.keys(tools);
  const unknown = (field: string, value: unknown): Mistake[] =>
    Object.keys(isRecord(value) ? value : {})
      .filter((purpose) => !Object.hasOwn(tools, purpose))
      .map((purpose) => ({
        path: ["bindings", field, purpose],
        what: `unknown tool purpose "${purpose}"${findClosestName(purpose, purposes)}`,
      }));
  return [
    ...unknown("tools", named),
    ...unknown("tool_args", args),
    ...Object.entries(isRecord(args) ? args : {}).flatMap(([purpose, given]) => {
      const synonyms = Object.values(combined).flatMap((combinedArguments) => combinedArguments.synonyms);
      const own = Object.entries(isRecord(given) ? given : {}).filter(([name]) => !synonyms.includes(name));
      const known = [...Object.keys(tools[purpose]?.arguments ?? {}), ...Object.keys(combined)];
      return findTypos(["bindings", "tool_args", purpose], Object.fromEntries(own), known, "argument");
    }),
  ];
}
