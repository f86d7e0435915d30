import { computeLikeness } from "../../../common/nearest-names.js";
import type { ListedTool } from "../../preflight/tools.js";
import { isRecord } from "../../scenario/interpolate.js";
import type { ArgumentForm, CombinedArguments, ToolNames } from "../../target/rules.js";

/** How the arguments of a listed tool fit those of a purpose. */
export interface ArgumentFit {
  /** The tool's name of each argument, by the name that scenarios use. */
  arguments: Readonly<Record<string, string>>;
  /** Whether each needed argument has a name, and each required argument of the tool is known. */
  isExact: boolean;
  /** Whether some arguments were matched only by elimination. */
  isEliminated: boolean;
  /** The share of arguments that fit, from 0 to 1. */
  share: number;
}

/** The rules for the arguments of tools. */
export type ArgumentRules = Readonly<Record<string, CombinedArguments>>;

/** Smallest similarity of a proposed argument. */
const MIN_FIT = 0.6;
const ACCEPTED_TYPES: Readonly<Record<string, readonly string[]>> = { integer: ["integer", "number"], object: ["object"] };

/** Returns how the arguments of a tool fit a purpose: by their values and types, by their names, and the rest in their order. */
export function fitArguments(names: ToolNames, combined: ArgumentRules, tool: ListedTool, prefix: number): ArgumentFit {
  const { given, isEliminated } = proposeArguments(names, combined, tool, prefix);
  const covered = new Set(Object.keys(given).flatMap((name) => combined[name]?.of ?? [name]));
  const named = new Set(Object.values(given));
  const needed = Object.keys(names.arguments).filter((name) => !names.optional.includes(name));
  const knownCount = tool.required.filter((name) => named.has(name)).length;
  const has = needed.filter((name) => covered.has(name)).length;
  const wantedCount = needed.length + tool.required.length;
  const ownCount = tool.arguments.length;
  const required = wantedCount === 0 ? 1 : (has + knownCount) / wantedCount;
  return {
    arguments: given,
    isEliminated,
    isExact: has === needed.length && knownCount === tool.required.length,
    share: ownCount === 0 ? required : 0.9 * required + 0.1 * (named.size / ownCount),
  };
}

function proposeArguments(
  names: ToolNames,
  combined: ArgumentRules,
  tool: ListedTool,
  prefix: number,
): { given: Readonly<Record<string, string>>; isEliminated: boolean } {
  const { arguments: wanted, forms = {} } = names;
  const fits = Object.entries(wanted)
    .flatMap(([ours, others]) =>
      tool.arguments.map((name) => ({
        ours,
        name,
        fit: scoreForm(forms[ours], tool.schemas?.[name]) ?? scoreNames([ours, ...others], splitWords(name).slice(prefix)),
      })),
    )
    .filter(({ ours, name, fit }) => fit >= MIN_FIT && isPossible(forms[ours], tool.schemas?.[name]))
    .toSorted((a, b) => b.fit - a.fit);
  const given = new Map<string, string>();
  for (const { ours, name } of fits) if (!given.has(ours) && ![...given.values()].includes(name)) given.set(ours, name);
  joinArguments(given, wanted, combined, tool, prefix);
  const isEliminated = matchRest(given, names, combined, tool);
  return { given: Object.fromEntries(given), isEliminated };
}

/** Replaces arguments by the one that holds them together, where the tool does not take each of them. */
function joinArguments(
  given: Map<string, string>,
  wanted: ToolNames["arguments"],
  combined: ArgumentRules,
  tool: ListedTool,
  prefix: number,
): void {
  for (const [whole, { of, aliases }] of Object.entries(combined)) {
    if (!of.every((part) => part in wanted) || of.every((part) => given.has(part))) continue;
    const named = aliases
      .map((aliase) => tool.arguments.find((other) => isSameName(splitWords(other).slice(prefix), splitWords(aliase))))
      .find((one) => one !== undefined);
    // one argument that replaces three and has another name
    const [only, ...more] = of.flatMap((part) => given.get(part) ?? []);
    const name = named ?? (more.length === 0 ? only : undefined);
    if (name === undefined) continue;
    for (const part of of) given.delete(part);
    given.set(whole, name);
  }
}

/** Matches the remaining needed arguments to the remaining required ones in order, if their numbers are equal. Returns whether it did. */
function matchRest(
  given: Map<string, string>,
  { arguments: wanted, optional, forms = {} }: ToolNames,
  combined: ArgumentRules,
  tool: ListedTool,
): boolean {
  const covered = [...given.keys()].flatMap((name) => combined[name]?.of ?? [name]);
  const ours = Object.keys(wanted).filter((name) => !optional.includes(name) && !covered.includes(name));
  const theirs = tool.required.filter((name) => ![...given.values()].includes(name));
  const pairs = ours.map((name, at) => [name, theirs[at] ?? ""] as const);
  if (ours.length === 0 || ours.length !== theirs.length) return false;
  if (!pairs.every(([name, other]) => isPossible(forms[name], tool.schemas?.[other]))) return false;
  for (const [name, other] of pairs) given.set(name, other);
  return true;
}

/** Returns 1 if the schema of an argument lists values of the form; undefined if it says nothing about values. */
function scoreForm(form: ArgumentForm | undefined, schema: unknown): number | undefined {
  const { values } = readSchema(schema);
  return form?.values && values ? Number(isSimilar(form.values, values)) : undefined;
}

function isPossible(form: ArgumentForm | undefined, schema: unknown): boolean {
  const { types, values } = readSchema(schema);
  if (form?.values && values && !isSimilar(form.values, values)) return false;
  if (types.length === 0 || form?.type === "any") return true;
  const type = form?.type ?? "string";
  return types.some((one) => (ACCEPTED_TYPES[type] ?? [type]).includes(one));
}

function isSimilar(ours: readonly string[], theirs: readonly unknown[]): boolean {
  return ours.filter((value) => theirs.includes(value)).length >= ours.length / 2;
}

/** Returns the types and the listed values of a schema. An optional argument may have them in one of several schemas. */
function readSchema(schema: unknown): { types: string[]; values?: unknown[] } {
  if (!isRecord(schema)) return { types: [] };
  const parts = [schema.anyOf, schema.oneOf].flatMap((some) => (Array.isArray(some) ? (some as unknown[]) : [])).map(readSchema);
  const types = [schema.type, ...parts.flatMap((part) => part.types)].flat().filter((one) => typeof one === "string");
  const values = [schema.enum, ...parts.map((part) => part.values)].find((some) => Array.isArray(some));
  return { types: types.filter((type) => type !== "null"), ...(values && { values: values as unknown[] }) };
}

/** Returns how alike a name is to one of several, the best first, from 0 to 1. */
function scoreNames(names: readonly string[], theirs: readonly string[]): number {
  return Math.max(
    ...names.map((name, at) =>
      isSameName(splitWords(name), theirs) ? 1 - at * 0.02 : 0.8 * computeLikeness(name, theirs.join("_")),
    ),
  );
}

/** Returns the similarity of two names, by shared words or by letters. */
export function computeSimilarity(a: readonly string[], b: readonly string[]): number {
  const sharedCount = a.filter((word) => b.includes(word)).length;
  return Math.max((2 * sharedCount) / (a.length + b.length), 0.9 * computeLikeness(a.join("_"), b.join("_")));
}

function isSameName(a: readonly string[], b: readonly string[]): boolean {
  return a.join(" ") === b.join(" ");
}

/** Returns the words of a name in lower case and in the singular; any spelling is accepted. */
export function splitWords(name: string): string[] {
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z0-9]+/);
  return words
    .filter((word) => word !== "")
    .map((word) => (word.length > 3 ? word.replace(/ies$/, "y").replace(/([^s])s$/, "$1") : word));
}

/** Returns the number of words that most names begin with, such as the name of the service: 0 or 1. */
export function measureCommonPrefix(names: readonly (readonly string[])[]): number {
  const firsts = names.filter((words) => words.length > 1).map(([first]) => first);
  const max = Math.max(0, ...[...new Set(firsts)].map((first) => firsts.filter((one) => one === first).length));
  return names.length > 3 && max >= 0.8 * names.length ? 1 : 0;
}
