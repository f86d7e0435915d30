import { at, places, type Rule } from "./source.js";

/** Participles that do not end in -ed, and adjectives made of them by un-. */
const irregularParticiples = new Set(
  `become begun overridden bet bitten blown born bought bound broken brought built caught chosen cut dealt done drawn driven drunk eaten fallen fed
  felt forbidden forgotten fought found frozen given gone grown heard held hidden hurt kept known laid lain led left lent lit lost made meant
  met paid proven quit ridden risen said seen sent shaken shown shut slept sold sought spent spoken spread spun stolen stood struck stuck sung
  sunk sworn swum taken taught thought thrown told torn understood woken won worn woven wound written`.split(/\s+/),
);

/** Nouns that end in -ed. */
const nouns = new Set(["bed", "embed", "hundred", "red", "shed", "shred", "sled"]);

/** The name of a type is a noun, not a participle. */
export const findParticipleTypes: Rule = (source) =>
  places(source.program).flatMap(({ node }) => {
    if (node.type !== "TSInterfaceDeclaration" && node.type !== "TSTypeAliasDeclaration" && node.type !== "TSEnumDeclaration")
      return [];
    const { name } = node.id;
    return isParticiple(name)
      ? [at(source, node.id.start, `${name} is banned here, a participle: use a noun, such as Result, Reply or State`)]
      : [];
  });

/** Names that begin with no verb: they say what a function returns. */
const nounFunction = /[a-z0-9]Of$|^new[A-Z]/;
const methodNames = new Set(["valueOf", "indexOf", "lastIndexOf"]);

/** The name of a function begins with a verb: `getStatus` and `createJob`, not `statusOf` and `newJob`. */
export const findNounFunctions: Rule = (source) =>
  places(source.program).flatMap(({ node }) => {
    const isFunction =
      node.type === "FunctionDeclaration" ||
      (node.type === "VariableDeclarator" && /^(Arrow)?Function/.test(node.init?.type ?? ""));
    if (!isFunction || node.id?.type !== "Identifier") return [];
    const { name, start } = node.id;
    return nounFunction.test(name) && !methodNames.has(name)
      ? [at(source, start, `${name} is banned here: the name of a function begins with a verb, such as get or create`)]
      : [];
  });

/** A limit is named `maxRows` or `minRows`, not `mostRows` or `leastRows`. */
export const findUnusualLimits: Rule = (source) =>
  places(source.program).flatMap(({ node, key }) => {
    if (node.type !== "Identifier" || !["id", "params", "value", "key"].includes(key)) return [];
    const word = /^(?:most|least)(?=[A-Z]|$)|^(?:MOST|LEAST|LONGEST|SHORTEST)(?=_|$)/.exec(node.name)?.[0].toLowerCase();
    return word && !node.name.startsWith("mostFrequent")
      ? [
          at(
            source,
            node.start,
            `${node.name} is banned here: a limit begins with ${word === "most" || word === "longest" ? "max" : "min"}`,
          ),
        ]
      : [];
  });

function isParticiple(name: string): boolean {
  const words = name.split(/(?=[A-Z])/).map((word) => word.toLowerCase());
  const last = words.at(-1) ?? "";
  if (last === "read") return words.length > 1;
  const bare = last.replace(/^un/, "");
  return (
    irregularParticiples.has(last) ||
    irregularParticiples.has(bare) ||
    bare === "read" ||
    (/[^e]ed$/.test(last) && !nouns.has(last))
  );
}
