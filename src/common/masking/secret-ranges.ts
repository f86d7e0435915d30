import { isCommonWord, isSecretName } from "./secret-names.js";
import { readText } from "./spelling.js";

/** The range of a secret in a text, and its name. */
export interface NamedRange {
  from: number;
  to: number;
  name: string;
}

/** The longest name before a `=` or `:`. */
const MAX_NAME_CHARACTERS = 128;
/** The longest value on a line of YAML, and the longest head of a part of a form. */
const [LONGEST_WORD, LONGEST_HEAD] = [4096, 1024];
/** A shorter segment of letters after the name of a secret is an ordinary word, such as the branch in `/acme/token/main`. */
const MIN_SEGMENT_CHARACTERS = 8;
/** Words of 10 or more letters that follow the name of a secret in a path. */
const PATH_WORDS = new Set(
  "forgotten recovery validate validation introspect introspection revocation generate rotation exchange callback settings strength requirements register expiration".split(
    " ",
  ),
);
/** Words that stand for a value on a line of a schema or a message. */
const PLACEHOLDER_WORDS = new Set(
  "string integer number boolean object array null none true false yes no required optional missing invalid valid expired revoked unknown hidden redacted value values *** … ...".split(
    " ",
  ),
);
/** Words that follow the name of an option in a sentence: `--password must be set`. */
const SENTENCE_WORDS = new Set(
  "must needs need is was are can cannot may has takes requires and or to in for with of the a an file".split(" "),
);
/** Programs whose option `-p` is a password. */
const PASSWORD_PROGRAM = /\b(?:sshpass|mysql|mysqldump|mysqladmin|mariadb|mongo|mongosh|login)\b/;
const CDATA_START = "<![CDATA[";

/** Returns the position of the next `=`, `:`, `/`, `>` or ` -`; -1 if there is none. */
export function findNextMark(text: string, from: number): number {
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x3d || code === 0x3a || code === 0x2f || code === 0x3e) return at;
    if (code === 0x2d && (at === 0 || !isNameCharacter(text.charCodeAt(at - 1)))) return at;
  }
  return -1;
}

/** Finds the secret after a `=`, `:`, `/` or `>`, or after an option. `kept`: the position at which the previous secret ended. */
export function findValueAt(text: string, at: number, kept: number): NamedRange | undefined {
  if (text[at] === "-") return findOptionAt(text, at);
  if (text[at] === ">") return findElementAt(text, at, kept);
  if (text[at] === "/") return text[at + 1] === "/" ? findUserAt(text, at + 2) : findSegmentAt(text, at, kept);
  const isColon = text[at] === ":";
  if (isColon && text.startsWith("//", at + 1)) return undefined;
  let end = at;
  while (end > kept && isBlank(text.charCodeAt(end - 1))) end--;
  const quoteEnd = end;
  while (end > kept && isQuoting(text.charCodeAt(end - 1)) && quoteEnd - end < MAX_NAME_CHARACTERS) end--;
  let start = end;
  while (start > kept && end - start <= MAX_NAME_CHARACTERS && isNameOrEscape(text, start - 1)) start--;
  const name = text.slice(start, end);
  const isQuoted = end < quoteEnd;
  if (!isColon && name === "name") return findPartAt(text, start, at);
  if (name === "" || !isSecretName(normalizePlainName(name))) return undefined;
  let from = at + 1;
  while (isBlank(text.charCodeAt(from))) from++;
  const opening = from;
  while (text[from] === "\\") from++;
  if (text[from] === '"' || text[from] === "'") from++;
  if (from > opening) {
    const to = findEndOfQuoted(text, from, text.slice(opening, from));
    return isCommonWord(name) && /^\W{0,3}$/.test(text.slice(from, to)) ? undefined : { from, to, name };
  }
  if (isColon && !isQuoted && !/authorization$|cookie$|api[-_]?key$/i.test(name)) return findYamlValue(text, start, from, name);
  if (isColon) {
    const to = findEndOfLine(text, from);
    return isReference(text, from, to) ? undefined : { from, to, name };
  }
  const to = findEndOfBare(text, from);
  const value = text.slice(from, to);
  const isWord =
    PLACEHOLDER_WORDS.has(value.toLowerCase()) || (isCommonWord(name) && isHyphenatedWords(value) && !isInForm(text, start, to));
  return isWord ? undefined : { from, to, name };
}

/** Tells whether a value stands for another: a variable such as `$API_KEY`, a placeholder such as `Bearer <API_KEY>`, or a template such as `Bearer ${key}` or `f"Bearer {key}"`. */
function isReference(text: string, from: number, to: number): boolean {
  const value = text.slice(from, to).replace(/^`?(?:bearer |basic )?/i, "");
  return (
    (value === "f" && text[to] === '"') ||
    (/^\$?$/.test(value) && text[to] === "{") ||
    (value === "" && text[to] === "<") ||
    /^\$[A-Z]{1,40}_[A-Z_]{1,40}$/.test(value)
  );
}

/** Tells whether `name=value` is a part of a query, a form or a cookie. */
function isInForm(text: string, start: number, end: number): boolean {
  return "?&;".includes(text[start - 1] ?? " ") || text[end] === "&" || (start === 0 && end === text.length);
}

/** Finds the text of an element of XML with the name of a secret. */
function findElementAt(text: string, at: number, kept: number): NamedRange | undefined {
  const min = Math.max(kept, at - MAX_NAME_CHARACTERS);
  const before = text.slice(min, at);
  const open = before.lastIndexOf("<");
  if (open < 0 || before.endsWith("/")) return undefined;
  const [, name = ""] = /^(?:[\w.-]{1,64}:)?([\w.-]{1,64})/.exec(before.slice(open + 1)) ?? [];
  if (name === "" || !isSecretName(name)) return undefined;
  const isData = text.startsWith(CDATA_START, at + 1);
  const from = at + 1 + (isData ? CDATA_START.length : 0);
  const end = text.indexOf(isData ? "]]>" : "<", from);
  if (!isData && !/^<\\?\//.test(text.slice(end, end + 3))) return undefined; // a placeholder: Bearer <API_KEY>
  const to = end < 0 ? text.length : end;
  const value = text.slice(from, to).trim();
  const isWord = PLACEHOLDER_WORDS.has(value.toLowerCase()) || (isCommonWord(name) && isHyphenatedWords(value));
  return isWord || value === "" ? undefined : { from, to, name };
}

/** Finds the value of an option on a command line: `--password VALUE`, or `-p VALUE` of a program whose `-p` is a password. */
function findOptionAt(text: string, at: number): NamedRange | undefined {
  const isLong = text[at + 1] === "-";
  let end = at + (isLong ? 2 : 1);
  while (end - at <= MAX_NAME_CHARACTERS && isNameCharacter(text.charCodeAt(end))) end++;
  const name = text.slice(at + (isLong ? 2 : 1), end);
  if (!isBlank(text.charCodeAt(end))) return undefined;
  if (isLong ? !isSecretName(name) : name !== "p" || !PASSWORD_PROGRAM.test(readLineBefore(text, at))) return undefined;
  let from = end;
  while (isBlank(text.charCodeAt(from))) from++;
  const quote = text[from] === '"' || text[from] === "'" ? text[from]! : "";
  from += quote.length;
  const to = quote === "" ? findEndOfBare(text, from) : findEndOfQuoted(text, from, quote);
  const value = text.slice(from, to);
  const isPlaceholder = /^(?:[-$<[{|]|[A-Z]{1,10}$|$)/.test(value) || PLACEHOLDER_WORDS.has(value) || SENTENCE_WORDS.has(value);
  return isPlaceholder ? undefined : { from, to, name };
}

function readLineBefore(text: string, at: number): string {
  const before = text.slice(Math.max(0, at - MAX_NAME_CHARACTERS), at);
  return before.slice(before.lastIndexOf("\n") + 1);
}

/** Finds the segment of a path that follows the name of a secret: `/token/VALUE`. Words stay: `/password/reset`. */
function findSegmentAt(text: string, at: number, kept: number): NamedRange | undefined {
  let start = at;
  while (start > kept && at - start <= MAX_NAME_CHARACTERS && isNameOrEscape(text, start - 1)) start--;
  const name = text.slice(start, at);
  if (name === "" || text[start - 1] !== "/" || !isSecretName(normalizePlainName(name))) return undefined;
  let to = at + 1;
  while (to < text.length && !"/?# \t\r\n\"'<>\\".includes(text[to]!)) to++;
  return isPathWord(text.slice(at + 1, to)) ? undefined : { from: at + 1, to, name };
}

/** Finds the value in `password: hunter` if it is one word on a line that holds nothing else. */
function findYamlValue(text: string, start: number, from: number, name: string): NamedRange | undefined {
  let before = start;
  while (isBlank(text.charCodeAt(before - 1)) || text[before - 1] === "-") before--;
  if (before > 0 && text[before - 1] !== "\n") return undefined;
  let to = from;
  while (to < text.length && to - from <= LONGEST_WORD && !" \t\r\n,;(){}[]\"'<>\\".includes(text[to]!)) to++;
  const isAlone = to === text.length || /^[ \t]*(\r|\n|$)/.test(text.slice(to, to + MAX_NAME_CHARACTERS));
  const isWord = PLACEHOLDER_WORDS.has(text.slice(from, to).toLowerCase()) || isCommonWord(name);
  return isAlone && !isWord ? { from, to, name } : undefined;
}

/** Finds the value of a field in `Content-Disposition: form-data; name="password"`, after an empty line. */
function findPartAt(text: string, start: number, at: number): NamedRange | undefined {
  const before = text.slice(Math.max(0, start - MAX_NAME_CHARACTERS), start).toLowerCase();
  if (before.indexOf("form-data;", before.lastIndexOf("\n") + 1) < 0) return undefined;
  const [, name = ""] = /^="?([^"\r\n;]*)/.exec(text.slice(at, at + MAX_NAME_CHARACTERS)) ?? [];
  if (!isSecretName(name)) return undefined;
  const head = /\r?\n\r?\n/.exec(text.slice(at, at + LONGEST_HEAD));
  if (!head) return undefined;
  const from = at + head.index + head[0].length;
  const end = text.indexOf("\n--", from);
  const to = end < 0 ? text.length : end;
  return { from, to: text[to - 1] === "\r" ? to - 1 : to, name };
}

/** Returns a name without the escapes of URLs and JSON. */
function normalizePlainName(name: string): string {
  return /[%\\]/.test(name) ? readText(name) : name;
}

/** Finds the user and password before a host. */
function findUserAt(text: string, from: number): NamedRange | undefined {
  for (let at = from; at < text.length && at - from <= 1024; at++) {
    const char = text[at]!;
    if (char === "@") return { from, to: at, name: "user" };
    if ("/?# \t\r\n\"'<>\\".includes(char)) return undefined;
  }
  return undefined;
}

/** Returns the end of a quoted value: the next quote with as many backslashes as the first one, or fewer. */
function findEndOfQuoted(text: string, from: number, opening: string): number {
  const [quote, max] = [opening.at(-1)!, opening.length - 1];
  if (quote === "\\") return findEndOfBare(text, from);
  let slashes = 0;
  for (let at = from; at < text.length; at++) {
    if (text[at] === quote && slashes <= max) return at - slashes;
    slashes = text[at] === "\\" ? slashes + 1 : 0;
  }
  return text.length;
}

function findEndOfBare(text: string, from: number): number {
  let at = from;
  while (at < text.length && !" \t\r\n&;,\"'<>(){}[]\\#".includes(text[at]!)) at++;
  return at;
}

function findEndOfLine(text: string, from: number): number {
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
function isNameOrEscape(text: string, at: number): boolean {
  const next = text[at + 1];
  return isNameCharacter(text.charCodeAt(at)) || (text[at] === "\\" && (next === "u" || next === "\\"));
}

/** Letters, digits and `- _ . % [ ]`. */
function isNameCharacter(code: number): boolean {
  const isLetter = (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a) || (code >= 0x30 && code <= 0x39);
  return isLetter || code === 0x2d || code === 0x5f || code === 0x2e || code === 0x25 || code === 0x5b || code === 0x5d;
}

/** Tells whether a text is words joined by `-` or `_`, as names are. Most secrets contain other characters. */
export function isHyphenatedWords(text: string): boolean {
  return text.length <= 24 && /^[A-Za-z_-]*$/.test(text);
}

/** Tells whether a segment of a path is an ordinary word: short, several words, or one of those that follow the name of a secret. */
function isPathWord(text: string): boolean {
  return (
    isHyphenatedWords(text) && (text.length < MIN_SEGMENT_CHARACTERS || /[_-]/.test(text) || PATH_WORDS.has(text.toLowerCase()))
  );
}
