import { HIDDEN } from "../masking/mask.js";
import { replaceInText } from "../masking/named-values.js";

/**
 * Characters that a display interprets or does not show: controls (C0 without tab and line feed, DEL, C1), bidirectional marks, line
 * and paragraph separators, invisible characters, noncharacters and lone surrogates. Joiners and the variation selectors U+FE00 to U+FE0F
 * stay. Ordinary text of several scripts and emoji need them.
 */
const CONTROL_CHARACTERS =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these characters are the subject
  // biome-ignore lint/suspicious/noMisleadingCharacterClass: each of these characters stands for itself
  /(?![\u200c\u200d\ufe00-\ufe0f])[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\ufff9-\ufffb\p{Bidi_Control}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}\p{Surrogate}]/gu;
/** The maximum characters of a word in a message, of a message, and of the text from which a message is made. */
const MAX_CHARACTERS = { word: 200, message: 4000, read: 16_000 };
/** A fast check: matches every character that `CONTROL_CHARACTERS` matches, and some more. */
const NOT_PLAIN_ASCII = /[^\t\n -~]/;
const SHORT_ESCAPES: Readonly<Record<string, string>> = { "\t": "\\t", "\n": "\\n", "\r": "\\r" };

/** Returns the text with control characters written as escapes such as `\u001b`. Tabs and line feeds stay. */
export function escapeText(text: string): string {
  return NOT_PLAIN_ASCII.test(text)
    ? text.replace(CONTROL_CHARACTERS, (character) => SHORT_ESCAPES[character] ?? escapeUnits(character))
    : text;
}

/** Returns the text on one line: as `escapeText` does, with tabs and line feeds as `\t` and `\n`. */
export function escapeLine(text: string): string {
  return escapeText(text).replace(/[\t\n]/g, (character) => SHORT_ESCAPES[character] ?? "");
}

/**
 * Returns a message as one line of visible characters. It may quote a refused value of any length: cuts the middle out of words of more than
 * 200 characters, and out of a message of more than 4,000. Hides the user name and the password of an address.
 */
export function escapeMessageLine(message: string): string {
  const text = replaceInText(shortenMiddle(message, MAX_CHARACTERS.read), (secret, name) => (name === "user" ? HIDDEN : secret));
  const short =
    text.length > MAX_CHARACTERS.word ? text.replace(/\S+/g, (word) => shortenMiddle(word, MAX_CHARACTERS.word)) : text;
  return escapeLine(shortenMiddle(short, MAX_CHARACTERS.message));
}

function shortenMiddle(text: string, max: number): string {
  return text.length > max ? `${text.slice(0, max * 0.75)}…${text.slice(-max * 0.25)}` : text;
}

/**
 * Returns a copy of plain data in which every text, names of fields included, is one line of visible characters. Texts in fields named `blocks` keep
 * their lines.
 */
export function escapeValue<T>(value: T, blocks: readonly string[] = []): T {
  return copyEscaped(value, blocks) as T;
}

function copyEscaped(value: unknown, blocks: readonly string[]): unknown {
  if (typeof value === "string") return escapeLine(value);
  if (Array.isArray(value)) return value.map((one) => copyEscaped(one, blocks));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [
      escapeLine(name),
      typeof one === "string" && blocks.includes(name) ? escapeText(one) : copyEscaped(one, blocks),
    ]),
  );
}

/** Returns JSON, on one line or indented, with control characters as `\uXXXX`. It parses to the same value. */
export function formatJson(value: unknown, indent?: number): string {
  return escapeCodeUnits(JSON.stringify(value, null, indent));
}

/** Writes control characters as `\uXXXX`, for formats that decode this escape. */
export function escapeCodeUnits(text: string): string {
  return NOT_PLAIN_ASCII.test(text) ? text.replace(CONTROL_CHARACTERS, escapeUnits) : text;
}

/** Returns the UTF-16 code units of a character: one, or the two of a surrogate pair. */
function escapeUnits(character: string): string {
  return character
    .split("")
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
    .join("");
}
