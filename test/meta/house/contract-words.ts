import { at, places, type Rule, type Source } from "./source.js";
import { readWords, type Words } from "./spec.js";

/** A word of the contract as it was found in a text. */
interface Hit {
  word: string;
  what: string;
  offset: number;
}

/** Words of `spec/` that the engine may use, each with the reason. */
const exceptions: Record<string, string> = {
  "Retry-After": "a header of HTTP itself",
  nextCursor: "a field of MCP's own lists",
  keyId: "names the key of a signature in DSSE envelopes",
};

/** The kinds of words that a compound word may contain, and their names in messages. */
const compounds: [of: keyof Words, what: string][] = [
  ["tools", "a tool"],
  ["codes", "an error"],
  ["scopes", "a scope"],
  ["workflows", "a workflow"],
  ["buckets", "a bucket"],
  ["roles", "a role"],
  ["events", "an event"],
  ["segments", "a route"],
  ["fields", "a field"],
  ["values", "a value"],
];

/**
 * The engine examines any service: no word of this contract stands in it, not in a comment either. A compound word (`next_cursor`,
 * `publish-ticket`) is looked for everywhere, and a field as a property of ours too (`hasMore`); a plain English word only as a whole
 * string, and as a field not at all; a route where a slash stands before it; a resource in any spelling. Words of the files that the
 * engine reads and writes itself (`full`, `repos`, `status`) are its own.
 */
export const findContractWords: Rule = (source) => {
  if (!source.path.startsWith("src/engine/")) return [];
  const text = withoutImports(source);
  const hits = [...routes(text), ...clauses(text), ...compoundWords(text), ...plainWords(source), ...resources(text)];
  const findings = hits
    .filter((hit) => !hits.some((otherHit) => otherHit !== hit && covers(otherHit, hit)))
    .sort((a, b) => a.offset - b.offset)
    .map(({ word, what, offset }) =>
      at(source, offset, `${word} is banned here, ${what} of the contract: use a value that the suite passes`),
    );
  return [...new Set(findings)];
};

/** Whether a find is part of a longer one, as `jobs` of `/api/jobs`. */
function covers(hit: Hit, otherHit: Hit): boolean {
  const ends = [hit, otherHit].map(({ offset, word }) => offset + word.length) as [number, number];
  return hit.offset <= otherHit.offset && otherHit.offset < ends[0] && hit.word.length > otherHit.word.length;
}

function routes(text: string): Hit[] {
  return [...text.matchAll(routePattern())].map(({ 0: found, index }) => ({
    word: found,
    what: "a route",
    offset: index,
  }));
}

function clauses(text: string): Hit[] {
  const prefixes = new Set(readWords().clauses.map((id) => id.split("-")[0]));
  return [...text.matchAll(/(?<![\w-])[A-Z][A-Z0-9]*(?:-[A-Z0-9]+)+/g)]
    .filter(([word]) => prefixes.has(word.split("-")[0]))
    .map(({ 0: word, index }) => ({ word, what: "a clause", offset: index }));
}

function resources(text: string): Hit[] {
  const names = new Set(
    readWords()
      .resources.filter((name) => !isFormat(name))
      .flatMap((name) => [name, singular(name)]),
  );
  return [...text.matchAll(/[A-Z]?[a-z]+/g)]
    .filter(([word]) => names.has(word.toLowerCase()))
    .map(({ 0: word, index }) => ({ word, what: "a resource", offset: index }));
}

function compoundWords(text: string): Hit[] {
  const table = compoundTable();
  return [...text.matchAll(/(?<![\w-])[A-Za-z0-9]+(?:[_-][A-Za-z0-9]+)*/g)].flatMap(({ 0: word, index }) => {
    const what = table.get(word.includes("-") ? word.toLowerCase() : word);
    return what ? [{ word, what, offset: index }] : [];
  });
}

function plainWords({ program }: Source): Hit[] {
  const table = plainTable();
  return places(program).flatMap(({ node }) => {
    const what = node.type === "Literal" && typeof node.value === "string" ? table.get(node.value) : undefined;
    return what ? [{ word: String("value" in node && node.value), what, offset: node.start }] : [];
  });
}

let knownCompounds: Map<string, string> | undefined;

function compoundTable(): Map<string, string> {
  knownCompounds ??= getTable((word, of) => {
    if (!/[_-]/.test(word)) return [];
    const written = word.includes("-") ? word.toLowerCase() : word;
    return of === "fields" ? [written, camel(word)] : [written];
  });
  return knownCompounds;
}

let knownPlain: Map<string, string> | undefined;

function plainTable(): Map<string, string> {
  knownPlain ??= getTable((word, of) => (/[_-]/.test(word) || ["fields", "segments", "buckets"].includes(of) ? [] : [word]));
  return knownPlain;
}

function getTable(formsOf: (word: string, of: keyof Words) => string[]): Map<string, string> {
  const rows = compounds.flatMap(([of, what]) =>
    readWords()
      [of].filter((word) => !isFormat(word))
      .flatMap((word) => formsOf(word, of).map((form): [string, string] => [form, what])),
  );
  const own = new Set(Object.keys(exceptions).flatMap((word) => [word.toLowerCase(), camel(word)]));
  return new Map(rows.filter(([form]) => !own.has(form)).reverse());
}

let pattern: RegExp | undefined;

/** Segments of routes one after another, each with its slash; a slash may be escaped, as in a regular expression. `/mcp` is the tool server's. */
function routePattern(): RegExp {
  const segments = ["mcp", ...readWords().segments].map((one) => one.replaceAll(".", "\\."));
  pattern ??= new RegExp(`(?:\\\\?/(?:${segments.join("|")})(?![\\w-]|\\.[jt]s))+`, "g");
  return pattern;
}

function isFormat(word: string): boolean {
  return readWords().formats.includes(word);
}

function singular(plural: string): string {
  return plural.replace(/ies$/, "y").replace(/s$/, "");
}

/** `Idempotency-Key` and `next_cursor` as properties: `idempotencyKey`, `nextCursor`. */
function camel(word: string): string {
  const joined = word.replace(/[_-](\w)/g, (_, letter: string) => letter.toUpperCase());
  return joined.charAt(0).toLowerCase() + joined.slice(1);
}

/** The text with names of other files blanked, so that every offset stays. */
function withoutImports({ text, imports }: Source): string {
  return imports.reduce((rest, { start, end }) => rest.slice(0, start) + " ".repeat(end - start) + rest.slice(end), text);
}
