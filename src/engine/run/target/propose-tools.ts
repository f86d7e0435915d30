import type { ListedTool } from "../../preflight/tools.js";
import type { TargetNames, ToolNames } from "../../target/rules.js";
import { type ArgumentFit, computeSimilarity, fitArguments, measureCommonPrefix, splitWords } from "./tool-fit.js";

/** A listed tool that is proposed for a purpose. `arguments` maps the names that scenarios use to the tool's names. */
export interface ProposedTool {
  purpose: string;
  tool: string;
  arguments: Readonly<Record<string, string>>;
  /** How it was found: by the tool's result, by arguments that no other tool takes, by its name, or as the best guess. */
  how: "answer" | "arguments" | "name" | "guess";
}

/** A tool and a purpose, and how well they fit. */
export interface ToolPair extends ArgumentFit {
  purpose: string;
  tool: string;
  /** Similarity of the names and the description, from 0 to 1. */
  named: number;
}

/** The minimum similarity of a name that counts as certain. */
const MIN_CERTAIN_FIT = 0.85;
/** The minimum similarity of a guess whose arguments fit, and of another guess. */
const MIN_FIT = 0.55;
const MIN_FIT_ALONE = 0.7;

/** The purposes of tools, and the arguments that replace several others. */
export type ToolPurposes = Pick<TargetNames, "tools" | "combined">;

/** Returns every pair of a purpose and a listed tool that is possible: a tool that only reads has no purpose that writes. */
export function pairTools({ tools: purposes, combined }: ToolPurposes, listedTools: readonly ListedTool[]): ToolPair[] {
  const prefix = measureCommonPrefix(listedTools.map(({ name }) => splitWords(name)));
  const argumentPrefix = measureArgumentPrefix(listedTools);
  return Object.entries(purposes).flatMap(([purpose, names]) =>
    listedTools
      .filter((tool) => names.isRead || tool.isReadOnly !== true)
      .map((tool) => ({
        purpose,
        tool: tool.name,
        named: scoreName(purpose, names, tool, prefix),
        ...fitArguments(names, combined, tool, argumentPrefix),
      })),
  );
}

function measureArgumentPrefix(listedTools: readonly ListedTool[]): number {
  return measureCommonPrefix(listedTools.flatMap((tool) => tool.arguments.map(splitWords)));
}

/** Returns the names of the arguments of a listed tool for a purpose, also of a tool that is not proposed for it. */
export function mapArguments(
  { tools: purposes, combined }: ToolPurposes,
  listedTools: readonly ListedTool[],
  purpose: string,
  tool: string,
): ProposedTool["arguments"] {
  const names = purposes[purpose];
  const listedTool = listedTools.find(({ name }) => name === tool);
  return names && listedTool ? fitArguments(names, combined, listedTool, measureArgumentPrefix(listedTools)).arguments : {};
}

/**
 * Finds the tool for each purpose: those in `shown` by what they answer, then tools that alone take the arguments of a purpose, then by name. Proposes
 * no tool twice, and calls none.
 */
export function proposeTools(
  names: ToolPurposes,
  listedTools: readonly ListedTool[],
  shown: ReadonlyMap<string, string> = new Map(),
): ProposedTool[] {
  const foundProposedTools = new Map<string, ProposedTool>();
  let openToolPairs = pairTools(names, listedTools);
  const take = ({ purpose, tool, arguments: given }: ToolPair, how: ProposedTool["how"]) => {
    foundProposedTools.set(purpose, { purpose, tool, arguments: given, how });
    openToolPairs = openToolPairs.filter((openToolPair) => openToolPair.purpose !== purpose && openToolPair.tool !== tool);
  };
  for (const pair of openToolPairs.filter(({ purpose, tool }) => shown.get(purpose) === tool)) take(pair, "answer");
  for (;;) {
    const same =
      openToolPairs.find((pair) => pair.isExact && pair.named >= 1 - 0.01) ??
      openToolPairs.find((pair) => isOnly(pair, openToolPairs));
    if (same) {
      take(same, same.named >= MIN_CERTAIN_FIT ? "name" : "arguments");
      continue;
    }
    const [best] = openToolPairs.filter(isGoodFit).toSorted((a, b) => computeScore(b) - computeScore(a));
    if (!best) break;
    take(best, best.named >= MIN_CERTAIN_FIT && best.isExact ? "name" : "guess");
  }
  return Object.keys(names.tools).flatMap((purpose) => foundProposedTools.get(purpose) ?? []);
}

/** Returns whether no other tool takes the arguments of this purpose, and the tool is not the only one for another purpose too. */
function isOnly(pair: ToolPair, openToolPairs: readonly ToolPair[]): boolean {
  const isKnown = ({ isExact, isEliminated, arguments: given }: ToolPair) =>
    isExact && !isEliminated && Object.keys(given).length > 0;
  if (!isKnown(pair)) return false;
  const getToolsFor = (purpose: string) =>
    openToolPairs.filter((openToolPair) => openToolPair.purpose === purpose && isKnown(openToolPair)).length;
  const otherCandidates = openToolPairs.filter(
    (openToolPair) => openToolPair.tool === pair.tool && openToolPair.purpose !== pair.purpose && isKnown(openToolPair),
  );
  return getToolsFor(pair.purpose) === 1 && otherCandidates.every(({ purpose }) => getToolsFor(purpose) > 1);
}

function isGoodFit({ named, isExact, share }: ToolPair): boolean {
  return isExact ? named >= MIN_FIT : named >= MIN_FIT_ALONE && share >= 0.5;
}

function computeScore({ named, share }: ToolPair): number {
  return named + share;
}

/** Returns the similarity of a tool's name, or of its description, to a purpose. */
function scoreName(purpose: string, { aliases }: ToolNames, tool: ListedTool, prefix: number): number {
  const name = splitWords(tool.name).slice(prefix);
  const byName = Math.max(...[purpose, ...aliases].map((one, at) => computeSimilarity(splitWords(one), name) - at * 0.001));
  const words = [...name, ...splitWords(tool.description)];
  const wanted = splitWords(purpose);
  const describedCount = wanted.filter((word) => words.includes(word)).length / wanted.length;
  return Math.max(byName, 0.8 * describedCount);
}
