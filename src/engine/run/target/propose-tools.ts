import { likeness } from "../../../common/nearest-names.js";
import type { ListedTool } from "../../preflight/tools.js";
import type { CombinedArguments, TargetNames, ToolNames } from "../../target/rules.js";

/** A listed tool that is proposed for a purpose. `arguments` maps the names that scenarios use to the tool's names. */
export interface ProposedTool {
  purpose: string;
  tool: string;
  arguments: Readonly<Record<string, string>>;
  /** Similarity of name and arguments, from 0 to 1. */
  fit: number;
}

/** Smallest similarity of a proposed tool, and of a proposed argument. */
const LEAST_FIT = 0.62;
const LEAST_ARGUMENT_FIT = 0.6;

/** Finds the most similar tool for each purpose, by name and arguments. Proposes no tool twice, and calls none. */
export function proposeTools(
  { tools: purposes, combined }: Pick<TargetNames, "tools" | "combined">,
  listed: readonly ListedTool[],
): ProposedTool[] {
  const prefix = commonPrefixLength(listed.map(({ name }) => wordsOf(name)));
  const argumentPrefix = commonPrefixLength(listed.flatMap((tool) => tool.arguments.map(wordsOf)));
  const pairs = Object.entries(purposes).flatMap(([purpose, names]) =>
    listed.map((tool): ProposedTool => {
      const given = proposeArguments(names, combined, tool.arguments, argumentPrefix);
      const name = wordsOf(tool.name).slice(prefix);
      const named = Math.max(...[purpose, ...names.aliases].map((one, at) => similarity(wordsOf(one), name) - at * 0.01));
      return { purpose, tool: tool.name, arguments: given, fit: 0.8 * named + 0.2 * argumentFit(names, tool, given, combined) };
    }),
  );
  const found = new Map<string, ProposedTool>();
  const taken = new Set<string>();
  for (const pair of pairs.filter(({ fit }) => fit >= LEAST_FIT).toSorted((a, b) => b.fit - a.fit)) {
    if (found.has(pair.purpose) || taken.has(pair.tool)) continue;
    found.set(pair.purpose, pair);
    taken.add(pair.tool);
  }
  return Object.keys(purposes).flatMap((purpose) => found.get(purpose) ?? []);
}

function proposeArguments(
  { arguments: wanted }: ToolNames,
  combined: Readonly<Record<string, CombinedArguments>>,
  theirs: readonly string[],
  prefix: number,
): Record<string, string> {
  const fits = Object.entries(wanted)
    .flatMap(([ours, others]) =>
      theirs.map((name) => ({ ours, name, fit: argumentLikeness([ours, ...others], wordsOf(name).slice(prefix)) })),
    )
    .filter(({ fit }) => fit >= LEAST_ARGUMENT_FIT)
    .toSorted((a, b) => b.fit - a.fit);
  const given = new Map<string, string>();
  for (const { ours, name } of fits) if (!given.has(ours) && ![...given.values()].includes(name)) given.set(ours, name);
  for (const [whole, { of, aliases }] of Object.entries(combined)) {
    if (!of.every((part) => part in wanted) || of.every((part) => given.has(part))) continue;
    const name = aliases
      .map((aliase) => theirs.find((other) => isSameName(wordsOf(other).slice(prefix), wordsOf(aliase))))
      .find((one) => one !== undefined);
    if (name === undefined) continue;
    for (const part of of) given.delete(part);
    given.set(whole, name);
  }
  return Object.fromEntries(given);
}

/** Returns how well arguments match: the mean of the needed arguments that have a name and the required ones that are known. */
function argumentFit(
  { arguments: wanted, optional }: ToolNames,
  { required }: ListedTool,
  given: Readonly<Record<string, string>>,
  combined: Readonly<Record<string, CombinedArguments>>,
): number {
  const covered = new Set(Object.keys(given).flatMap((name) => combined[name]?.of ?? [name]));
  const needed = Object.keys(wanted).filter((name) => !optional.includes(name));
  const named = new Set(Object.values(given));
  const share = (count: number, all: number) => (all === 0 ? 1 : count / all);
  const ours = share(needed.filter((name) => covered.has(name)).length, needed.length);
  return (ours + share(required.filter((name) => named.has(name)).length, required.length)) / 2;
}

function argumentLikeness(names: readonly string[], theirs: readonly string[]): number {
  return Math.max(
    ...names.map((name, at) => (isSameName(wordsOf(name), theirs) ? 1 - at * 0.02 : 0.8 * likeness(name, theirs.join("_")))),
  );
}

/** Returns the similarity of two names, by shared words or by letters. */
function similarity(a: readonly string[], b: readonly string[]): number {
  const shared = a.filter((word) => b.includes(word)).length;
  return Math.max((2 * shared) / (a.length + b.length), 0.9 * likeness(a.join("_"), b.join("_")));
}

function isSameName(a: readonly string[], b: readonly string[]): boolean {
  return a.join(" ") === b.join(" ");
}

/** Returns the words of a name in lower case and in the singular; any spelling is accepted. */
function wordsOf(name: string): string[] {
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z0-9]+/);
  return words
    .filter((word) => word !== "")
    .map((word) => (word.length > 3 ? word.replace(/ies$/, "y").replace(/([^s])s$/, "$1") : word));
}

/** Returns the number of words that most names begin with, such as the name of the service: 0 or 1. */
function commonPrefixLength(names: readonly (readonly string[])[]): number {
  const firsts = names.filter((words) => words.length > 1).map(([first]) => first);
  const most = Math.max(0, ...[...new Set(firsts)].map((first) => firsts.filter((one) => one === first).length));
  return names.length > 3 && most >= 0.8 * names.length ? 1 : 0;
}
