import { isNumericSecretName, isSecretName } from "./secret-names.js";
import { findNextMark, findValueAt, isHyphenatedWords } from "./secret-ranges.js";

/** Returns the replacement of a secret. */
export type Replace = (secret: string, name: string) => string;

/** Values are read to this depth. Deeper ones are omitted. */
const MAX_LEVELS = 1000;
const SCHEMA_TYPES = new Set<unknown>([
  "string",
  "integer",
  "number",
  "boolean",
  "object",
  "array",
  "null",
  "http",
  "apiKey",
  "oauth2",
  "openIdConnect",
]);
/** Fields of a schema whose texts describe values. The others, such as `default` and `example`, hold values. */
const SCHEMA_WORDS = new Set(
  "type $ref title description format pattern required properties items additionalProperties allOf anyOf oneOf scheme bearerFormat".split(
    " ",
  ),
);
const TOO_DEEP = "(too deep to be shown)";

/** Returns JSON with each value under the name of a secret replaced, and each other text as `replaceText` returns it. */
export function replaceInValue(
  value: unknown,
  replace: Replace,
  replaceText = (text: string) => replaceInText(text, replace),
  secret = "",
  level = 0,
  isItem = false,
): unknown {
  if (typeof value === "string") return secret !== "" && value !== "" ? replace(value, secret) : replaceText(value);
  if (typeof value !== "object" || value === null) return value;
  if (level > MAX_LEVELS) return TOO_DEEP;
  if (Array.isArray(value)) {
    const inner = secret === "" ? findNameInEntry(value, isItem) : secret;
    return value.map((item, i) =>
      replaceInValue(item, replace, replaceText, i > 0 ? inner || findOptionBefore(value, i) : secret, level + 1, true),
    );
  }
  const pair = findNameInPair(value);
  const isWithin = secret !== "" && isSchema(value);
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => {
      if (pair && item === pair.secret) return [name, item];
      if (isWithin && isDescription(name, item)) return [name, replaceInValue(item, replace, replaceText, "", level + 1)];
      if (typeof item === "number") return [replaceText(name), isNumericSecretName(name) ? replace(String(item), name) : item];
      const inner = pair && name === "value" ? pair.secret : isSecretField(name) ? name : secret;
      return [replaceText(name), replaceInValue(item, replace, replaceText, inner, level + 1)];
    }),
  );
}

/** Tells whether a field of this name holds a secret. A path or a sentence is not a name, such as `/api/keys` in an OpenAPI document. */
function isSecretField(name: string): boolean {
  return !/[/ {}<>]/.test(name) && isSecretName(name);
}

/** Tells whether an object is a JSON Schema or a security scheme of OpenAPI. */
function isSchema({ type, $ref }: { type?: unknown; $ref?: unknown }): boolean {
  return typeof $ref === "string" || (type !== undefined && [type].flat().every((one) => SCHEMA_TYPES.has(one)));
}

/** Tells whether a field of a schema describes values. An object in an example has its own names. */
function isDescription(name: string, item: unknown): boolean {
  return SCHEMA_WORDS.has(name) || (/^examples?$/.test(name) && [item].flat().every((one) => typeof one === "object"));
}

/** Returns the name in a pair such as `{ name: "Authorization", value: "Bearer abc" }` if it is the name of a secret. */
function findNameInPair(value: object): { secret: string } | undefined {
  if (!("value" in value)) return undefined;
  for (const field of ["name", "key", "header", "field"]) {
    const name = (value as Record<string, unknown>)[field];
    if (typeof name === "string" && name !== "" && name !== value.value && isSecretField(name)) return { secret: name };
  }
  return undefined;
}

/**
 * Returns the name in an entry such as `["Authorization", "Bearer abc"]` if it is the name of a secret; else an empty text. A
 * list of two words that is not an item of a list may be names of fields.
 */
function findNameInEntry(value: readonly unknown[], isItem: boolean): string {
  const [name, secret] = value;
  if (value.length !== 2 || typeof name !== "string" || typeof secret !== "string") return "";
  return isSecretField(name) && (isItem || !isHyphenatedWords(secret)) ? name : "";
}

/** Returns the option before an argument in a list such as `["--password", "hunter"]` if it is the name of a secret; else an empty text. */
function findOptionBefore(value: readonly unknown[], index: number): string {
  const [name, argument] = [value[index - 1], value[index]];
  const isOption = typeof name === "string" && name.startsWith("--") && typeof argument === "string" && !argument.startsWith("-");
  return isOption && isSecretField(name) ? name : "";
}

/** Calls a function for each secret that `replaceInValue` would replace. */
export function visitSecrets(
  value: unknown,
  visit: (secret: string, name: string) => void,
  secret = "",
  level = 0,
  isItem = false,
): void {
  if (typeof value === "string") {
    if (secret !== "") visit(value, secret);
    else
      replaceInText(value, (found, name) => {
        visit(found, name);
        return found;
      });
  } else if (Array.isArray(value)) {
    const inner = secret === "" ? findNameInEntry(value, isItem) : secret;
    if (level <= MAX_LEVELS)
      for (const [i, item] of value.entries())
        visitSecrets(item, visit, i > 0 ? inner || findOptionBefore(value, i) : secret, level + 1, true);
  } else if (typeof value === "object" && value !== null && level <= MAX_LEVELS) {
    const pair = findNameInPair(value);
    const isWithin = secret !== "" && isSchema(value);
    for (const [name, item] of Object.entries(value)) {
      if (pair && item === pair.secret) continue;
      if (isWithin && isDescription(name, item)) {
        visitSecrets(item, visit, "", level + 1);
        continue;
      }
      if (typeof item === "number" || typeof item === "boolean" || item === null) continue;
      visitSecrets(item, visit, pair && name === "value" ? pair.secret : isSecretField(name) ? name : secret, level + 1);
    }
  }
}

/**
 * Returns a text with each value behind the name of a secret replaced. Finds `name=value` (query, form, cookie), `"name":"value"` (JSON, escaped
 * any number of times), `Authorization: Bearer value`, `name: value` on a line of YAML, elements of XML, and `--name value` on a command line.
 * Also finds a field of a form in parts, the segment after `/name/` in a path, and the user of `https://user:password@host` and
 * `//user:password@host`. Takes time in proportion to the text.
 */
export function replaceInText(text: string, replace: Replace): string {
  let out = "";
  let kept = 0;
  for (let at = findNextMark(text, 0); at >= 0; at = findNextMark(text, Math.max(at + 1, kept))) {
    const range = findValueAt(text, at, kept);
    if (!range || range.to <= range.from) continue;
    out += text.slice(kept, range.from) + replace(text.slice(range.from, range.to), range.name);
    kept = range.to;
  }
  return kept === 0 ? text : out + text.slice(kept);
}
