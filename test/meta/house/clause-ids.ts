import { at, type Rule } from "./source.js";
import { readWords } from "./spec.js";

const looksLikeId = /(?<![\w-])([A-Z][A-Z0-9]*(?:-[A-Z0-9]+)+)(-?\*)?(?![\w-])/g;

/** A clause that a comment or a document names is in the ledger, and a family of clauses, `MCP-SCOPE-*`, has members there. */
export const findUnknownClauses: Rule = (source) => {
  const { path, text, comments } = source;
  const passages = path.endsWith(".ts") ? comments.map(({ value, start }) => ({ value, start })) : [{ value: text, start: 0 }];
  const offset = path.endsWith(".ts") ? 2 : 0;
  return passages.flatMap(({ value, start }) =>
    [...value.matchAll(looksLikeId)].flatMap(({ 0: cited, 1: id = "", 2: wildcard, index }) => {
      const wrong = isWrong(id, wildcard !== undefined);
      return wrong ? [at(source, start + offset + index, `${cited} is banned here, ${wrong}`)] : [];
    }),
  );
};

/** Returns the mistake in a cited id and its correction, or null. Ids of assumptions share prefixes with those of clauses. */
function isWrong(id: string, family: boolean): string | null {
  const { clauses, assumptions } = readWords();
  if (!clauses.some((claus) => claus.startsWith(`${id.split("-")[0]}-`))) return null;
  const members = clauses.filter((claus) => claus.startsWith(`${id}-`));
  if (family) return members.length > 0 ? null : "no clause id has this prefix: use an id of spec/clauses.json";
  if (clauses.includes(id) || assumptions.includes(id)) return null;
  return members.length > 0
    ? `it is a family of clauses: use ${id}-* or one of its ids`
    : "it is not a clause: use an id of spec/clauses.json";
}
