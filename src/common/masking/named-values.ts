import { isCommonWord, isNumericSecretName, isSecretName } from "./secret-names.js";
import { readText } from "./spelling.js";

/** Returns the replacement of a secret. */
export type Replace = (secret: string, name: string) => string;

/** The range of a secret in a text, and its name. */
interface NamedRange {
  from: number;
  to: number;
  name: string;
}

/** The longest name before a `=` or `:`. */
const LONGEST_NAME = 128;
/** The longest value on a line of YAML, and the longest head of a part of a form. */
const [LONGEST_WORD, LONGEST_HEAD] = [4096, 1024];
/** A shorter segment of letters after the name of a secret is an ordinary word, such as the branch in `/acme/token/main`. */
const SHORTEST_SEGMENT = 8;
/** Longer words that follow the name of a secret in a path. */
const PATH_WORDS = new Set(
  "forgotten recovery validate validation introspect introspection revocation generate rotation exchange callback settings strength requirements register expiration".split(
    " ",
  ),
);
/** Words that stand for a value on a line of a schema or a message. */
const VALUE_WORDS = new Set(
  "string integer number boolean object array null none true false yes no required optional missing invalid valid expired revoked unknown hidden redacted ***".split(
    " ",
  ),
);
/** Values are read to this depth. Deeper ones are omitted. */
const MOST_LEVELS = 1000;
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
  if (level > MOST_LEVELS) return TOO_DEEP;
  if (Array.isArray(value)) {
    const inner = secret === "" ? nameInEntry(value, isItem) : secret;
    return value.map((item, i) => replaceInValue(item, replace, replaceText, i > 0 ? inner : secret, level + 1, true));
  }
  const pair = nameInPair(value);
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => {
      if (pair && item === pair.secret) return [name, item];
      if (typeof item === "number") return [replaceText(name), isNumericSecretName(name) ? replace(String(item), name) : item];
      const inner = pair && name === "value" ? pair.secret : isSecretName(name) ? name : secret;
      return [replaceText(name), replaceInValue(item, replace, replaceText, inner, level + 1)];
    }),
  );
}

/** Returns the name in a pair such as `{ name: "Authorization", value: "Bearer abc" }` if it is the name of a secret. */
function nameInPair(value: object): { secret: string } | undefined {
  if (!("value" in value)) return undefined;
  for (const field of ["name", "key", "header", "field"]) {
    const name = (value as Record<string, unknown>)[field];
    if (typeof name === "string" && name !== "" && name !== value.value && isSecretName(name)) return { secret: name };
  }
  return undefined;
}

/**
 * Returns the name in an entry such as `["Authorization", "Bearer abc"]` if it is the name of a secret; else an empty text. A list of two words
 * that is no item of a list may be names of fields.
 */
function nameInEntry(value: readonly unknown[], isItem: boolean): string {
  const [name, secret] = value;
  if (value.length !== 2 || typeof name !== "string" || typeof secret !== "string") return "";
  return isSecretName(name) && (isItem || !isWordLike(secret)) ? name : "";
}

/** Tells whether a text is words joined by `-` or `_`, as names are. Most secrets contain other characters. */
function isWordLike(text: string): boolean {
  return text.length <= 24 && /^[A-Za-z_-]*$/.test(text);
}

/** Tells whether a segment of a path is an ordinary word: short, several words, or one of those that follow the name of a secret. */
function isPathWord(text: string): boolean {
  return isWordLike(text) && (text.length < SHORTEST_SEGMENT || /[_-]/.test(text) || PATH_WORDS.has(text.toLowerCase()));
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
    const inner = secret === "" ? nameInEntry(value, isItem) : secret;
    if (level <= MOST_LEVELS)
      for (const [i, item] of value.entries()) visitSecrets(item, visit, i > 0 ? inner : secret, level + 1, true);
  } else if (typeof value === "object" && value !== null && level <= MOST_LEVELS) {
    const pair = nameInPair(value);
    for (const [name, item] of Object.entries(value)) {
      if (pair && item === pair.secret) continue;
      if (typeof item === "number" || typeof item === "boolean" || item === null) continue;
      visitSecrets(item, visit, pair && name === "value" ? pair.secret : isSecretName(name) ? name : secret, level + 1);
    }
  }
}

/**
 * Returns a text in which each value after the name of a secret is replaced. It finds `name=value` (query, form, cookie) and `"name":"value"`
 * (JSON, escaped any number of times). It finds `Authorization: Bearer value`, `name: value` on a line of YAML, and fields of multipart forms.
 * It finds the segment after `/name/` in a path, and the user of `https://user:password@host`. Takes time in proportion to the text.
 */
export function replaceInText(text: string, replace: Replace): string {
  let out = "";
  let kept = 0;
  for (let at = nextMark(text, 0); at >= 0; at = nextMark(text, Math.max(at + 1, kept))) {
    const range = valueAt(text, at, kept);
    if (!range || range.to <= range.from) continue;
    out += text.slice(kept, range.from) + replace(text.slice(range.from, range.to), range.name);
    kept = range.to;
  }
  return kept === 0 ? text : out + text.slice(kept);
}

/** Returns the position of the next `=`, `:` or `/`; -1 if there is none. */
function nextMark(text: string, from: number): number {
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x3d || code === 0x3a || code === 0x2f) return at;
  }
  return -1;
}

/** Finds the secret after a `=`, `:` or `/`. */
function valueAt(text: string, at: number, kept: number): NamedRange | undefined {
  if (text[at] === "/") return text[at + 1] === "/" ? userAt(text, at + 2) : segmentAt(text, at, kept);
  const isColon = text[at] === ":";
  if (isColon && text.startsWith("//", at + 1)) return undefined;
  let end = at;
  while (end > kept && isBlank(text.charCodeAt(end - 1))) end--;
  const quoteEnd = end;
  while (end > kept && isQuoting(text.charCodeAt(end - 1)) && quoteEnd - end < LONGEST_NAME) end--;
  let start = end;
  while (start > kept && end - start <= LONGEST_NAME && isInName(text, start - 1)) start--;
  const name = text.slice(start, end);
  const isQuoted = end < quoteEnd;
  if (!isColon && name === "name") return partAt(text, start, at);
  if (name === "" || !isSecretName(plainName(name))) return undefined;
  let from = at + 1;
  while (isBlank(text.charCodeAt(from))) from++;
  const opening = from;
  while (text[from] === "\\") from++;
  if (text[from] === '"' || text[from] === "'") from++;
  if (from > opening) return { from, to: endOfQuoted(text, from, text.slice(opening, from)), name };
  if (isColon && !isQuoted && !/authorization$|cookie$|api[-_]?key$/i.test(name)) return lineOfYaml(text, start, from, name);
  return { from, to: isColon ? endOfLine(text, from) : endOfBare(text, from), name };
}

/** Finds the segment of a path that follows the name of a secret: `/token/VALUE`. Words stay: `/password/reset`. */
function segmentAt(text: string, at: number, kept: number): NamedRange | undefined {
  let start = at;
  while (start > kept && at - start <= LONGEST_NAME && isInName(text, start - 1)) start--;
  const name = text.slice(start, at);
  if (name === "" || text[start - 1] !== "/" || !isSecretName(plainName(name))) return undefined;
  let to = at + 1;
  while (to < text.length && !"/?# \t\r\n\"'<>\\".includes(text[to]!)) to++;
  return isPathWord(text.slice(at + 1, to)) ? undefined : { from: at + 1, to, name };
}

/** Finds the value in `password: hunter` if it is one word on a line that holds nothing else. */
function lineOfYaml(text: string, start: number, from: number, name: string): NamedRange | undefined {
  let before = start;
  while (isBlank(text.charCodeAt(before - 1)) || text[before - 1] === "-") before--;
  if (before > 0 && text[before - 1] !== "\n") return undefined;
  let to = from;
  while (to < text.length && to - from <= LONGEST_WORD && !" \t\r\n,;(){}[]\"'<>\\".includes(text[to]!)) to++;
  const isAlone = to === text.length || /^[ \t]*(\r|\n|$)/.test(text.slice(to, to + LONGEST_NAME));
  const isWord = VALUE_WORDS.has(text.slice(from, to).toLowerCase()) || isCommonWord(name);
  return isAlone && !isWord ? { from, to, name } : undefined;
}

/** Finds the value of a field in `Content-Disposition: form-data; name="password"`, after an empty line. */
function partAt(text: string, start: number, at: number): NamedRange | undefined {
  const before = text.slice(Math.max(0, start - LONGEST_NAME), start).toLowerCase();
  if (before.indexOf("form-data;", before.lastIndexOf("\n") + 1) < 0) return undefined;
  const [, name = ""] = /^="?([^"\r\n;]*)/.exec(text.slice(at, at + LONGEST_NAME)) ?? [];
  if (!isSecretName(name)) return undefined;
  const head = /\r?\n\r?\n/.exec(text.slice(at, at + LONGEST_HEAD));
  if (!head) return undefined;
  const from = at + head.index + head[0].length;
  const end = text.indexOf("\n--", from);
  const to = end < 0 ? text.length : end;
  return { from, to: text[to - 1] === "\r" ? to - 1 : to, name };
}

/** Returns a name without the escapes of URLs and JSON. */
function plainName(name: string): string {
  return /[%\\]/.test(name) ? readText(name) : name;
}

/** Finds the user and password before a host. */
function userAt(text: string, from: number): NamedRange | undefined {
  for (let at = from; at < text.length && at - from <= 1024; at++) {
    const char = text[at]!;
    if (char === "@") return { from, to: at, name: "user" };
    if ("/?# \t\r\n\"'<>\\".includes(char)) return undefined;
  }
  return undefined;
}

/** Returns the end of a quoted value: the next quote with as many backslashes as the first one, or fewer. */
function endOfQuoted(text: string, from: number, opening: string): number {
  const [quote, most] = [opening.at(-1)!, opening.length - 1];
  if (quote === "\\") return endOfBare(text, from);
  let slashes = 0;
  for (let at = from; at < text.length; at++) {
    if (text[at] === quote && slashes <= most) return at - slashes;
    slashes = text[at] === "\\" ? slashes + 1 : 0;
  }
  return text.length;
}

function endOfBare(text: string, from: number): number {
  let at = from;
  while (at < text.length && !" \t\r\n&;,\"'<>(){}[]\\#".includes(text[at]!)) at++;
  return at;
}

function endOfLine(text: string, from: number): number {
  let at = from;
  while (at < text.length && !"\r\n,;\"'<>{}[]\\".includes(text[at]!)) at++;
  return at;
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09;
}

function isQuoting(code: number): boolean {
  return code === 0x22 || code === 0x27 || code === 0x5c;
}

/** Tells whether a character belongs to a name: also the backslashes of `\u0077`, escaped any number of times. */
function isInName(text: string, at: number): boolean {
  const next = text[at + 1];
  return isOfName(text.charCodeAt(at)) || (text[at] === "\\" && (next === "u" || next === "\\"));
}

/** Letters, digits and `- _ . % [ ]`. */
function isOfName(code: number): boolean {
  const isLetter = (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a) || (code >= 0x30 && code <= 0x39);
  return isLetter || code === 0x2d || code === 0x5f || code === 0x2e || code === 0x25 || code === 0x5b || code === 0x5d;
}
