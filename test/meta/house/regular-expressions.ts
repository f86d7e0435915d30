import { readFileSync } from "node:fs";
import { join } from "node:path";
import { checkSync } from "recheck";
import { type Document, type Pair, parseAllDocuments, visit } from "yaml";
import { packageRoot } from "../../../src/contract/load.js";
import { at, places, type Rule, type Source } from "./source.js";

/** Regular expressions that are made at run time, each with the reason why no text of others makes them slow. */
const made: Record<string, string> = {
  "src/mock/worlds/configuration.ts": "the pattern of a world's name, a constant",
  "src/common/escape/shell.ts": "a literal of the caller, with a group around it",
  "src/common/option-kinds.ts": "the pattern of an option, a literal of this project",
  "src/mock/cluster/workers/head.ts": "the name of a header, a constant",
  "src/suite/statements/operations.ts": "the routes of the contract, with one segment for each variable",
  "src/suite/laws/isolation/foreign-access.ts": "a literal text, escaped",
  "src/engine/scenario/select.ts": "a pattern of the command line with `*` alone, over names of scenarios",
  "src/engine/execute/expect/pattern.ts": "the pattern of a scenario file, which is stopped after a second",
};
/** An escape or a class of a pattern. */
const escapeOrClass = /\\(?:[pu]\{[^}]*\}|.)|\[(?:\\.|[^\]\\])*\]/gi;
/** A quantifier that repeats; a fixed count repeats as often for every text. */
const repetition = /[*+]|\{\d+,\d*\}/g;
/**
 * Regular expressions, each as `/pattern/flags`, that recheck found linear. A search takes up to three seconds, and can fail on a busy
 * machine. So the tests search only new expressions. The exhaustive measure searches all of them again.
 */
export const proved: ReadonlySet<string> = new Set(
  JSON.parse(readFileSync(join(packageRoot, "test/meta/house/proved-expressions.json"), "utf8")) as string[],
);
/** Expressions that were judged without a search, by their form or by the list above, as pattern and flags. */
export const judgedWithoutSearch = new Map<string, [pattern: string, flags: string]>();
const verdicts = new Map<string, string | undefined>();

/** Every regular expression takes time in proportion to the text, or at least has not been shown to take more. */
export const findSlowExpressions: Rule = (source) =>
  source.path.endsWith(".yaml")
    ? patternsOfScenario(source)
    : places(source.program).flatMap(({ node }) => {
        if (node.type === "Literal" && "regex" in node && node.regex) {
          const slow = slowness(node.regex.pattern, node.regex.flags);
          return slow
            ? [
                at(
                  source,
                  node.start,
                  `/${node.regex.pattern}/ is slow (${slow}): scan the text, or bound and separate the repeated parts`,
                ),
              ]
            : [];
        }
        const isMade =
          (node.type === "NewExpression" || node.type === "CallExpression") &&
          "name" in node.callee &&
          node.callee.name === "RegExp";
        if (!isMade || source.path in made) return [];
        return [
          at(
            source,
            node.start,
            "RegExp is banned here, use a literal, or give a reason in test/meta/house/regular-expressions.ts",
          ),
        ];
      });

/** The patterns under `matches` in a scenario. Variables stand for one letter. */
function patternsOfScenario(source: Source): string[] {
  const findings: string[] = [];
  const visitor = {
    Pair(_: unknown, { key, value }: Pair) {
      const name = (key as { value?: unknown }).value;
      const pattern = (value as { value?: unknown; range?: [number] } | null)?.value;
      if (name !== "matches" || typeof pattern !== "string") return;
      const slow = slowness(pattern.replace(/\{[a-z][\w.-]*\}/gi, "x"), "u");
      if (slow)
        findings.push(
          at(
            source,
            (value as { range: [number] }).range[0],
            `${pattern} is slow (${slow}): bound and separate the repeated parts`,
          ),
        );
    },
  };
  if (!source.text.includes("matches")) return [];
  for (const document of parseAllDocuments(source.text)) visit(document as Document, visitor);
  return findings;
}

function slowness(pattern: string, flags: string): string | undefined {
  const key = `/${pattern}/${flags}`;
  if (proved.has(key) || isLinear(pattern, flags)) judgedWithoutSearch.set(key, [pattern, flags]);
  else if (!verdicts.has(key)) verdicts.set(key, searchSlowness(pattern, flags));
  return verdicts.get(key);
}

/** Returns how long an expression can take, as recheck finds it, or undefined for linear time. */
export function searchSlowness(pattern: string, flags: string): string | undefined {
  const found = checkSync(pattern, flags, { randomSeed: 1, timeout: 60_000 });
  if (found.status === "safe") return undefined;
  return found.status === "vulnerable" ? found.complexity.summary : "recheck does not know its complexity";
}

/**
 * Returns whether the form of a pattern proves linear time, so that recheck need not search. The pattern repeats nothing. Or it has no group
 * and no alternative, and repeats one character once: it begins at one place (`^`) or ends with that repetition.
 */
function isLinear(pattern: string, flags: string): boolean {
  const form = pattern.replace(escapeOrClass, "c");
  const found = form.match(repetition) ?? [];
  if (found.length === 0) return true;
  if (found.length > 1 || /[()|]/.test(form)) return false;
  return (form.startsWith("^") && !flags.includes("m")) || form.endsWith(found[0] ?? "");
}
