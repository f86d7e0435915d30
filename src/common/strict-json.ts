/** The data of a JSON text, or what is wrong and where. The message quotes no value of the text. */
export type StrictJson = { ok: true; value: unknown } | { ok: false; why: string };

/** The maximum number of levels. No file of this project has as many, and recursive functions are safe with them. */
const MAX_LEVELS = 512;
const MAX_NAME_CHARACTERS = 60;

const QUOTE_CODE = 0x22;
const BACKSLASH_CODE = 0x5c;
const COLON_CODE = 0x3a;
const COMMA_CODE = 0x2c;
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d] as const;
const BYTE_ORDER_MARK = 0xfeff;

/**
 * Parses a JSON text in linear time. Refuses a duplicate name in one object (escapes resolved), more than 512 levels, a byte order mark, and
 * everything that RFC 8259 does not allow. Keeps lone surrogates of `\ud800` escapes; `__proto__` is an ordinary name.
 */
export function parseStrictJson(text: string): StrictJson {
  if (text.charCodeAt(0) === BYTE_ORDER_MARK) return { ok: false, why: "begins with a byte order mark; save it without one" };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { ok: false, why: `is not JSON${findPlace(error as Error, text)}` };
  }
  const flaw = findJsonFlaw(text);
  return flaw === undefined ? { ok: true, value } : { ok: false, why: flaw.why };
}

/** Why a text is not strict JSON, and the names and indices that lead there. */
interface JsonFlaw {
  why: string;
  path: string[];
}

/** An open object or list: the last name or index in it, and all names of an object so far. */
interface OpenLevel {
  at: string | number;
  names?: Set<string>;
}

/** Returns the first duplicate name or level that is too deep in a text that `JSON.parse` accepts. */
export function findJsonFlaw(text: string): JsonFlaw | undefined {
  const levels: OpenLevel[] = [];
  const flaw = (why: string, at: number) => ({ why: why + findLine(text, at), path: levels.map((level) => String(level.at)) });
  for (let at = 0; at < text.length; at++) {
    const level = levels.at(-1);
    switch (text.charCodeAt(at)) {
      case QUOTE_CODE: {
        const end = findEndOfString(text, at);
        if (level?.names && isName(text, end)) {
          const name = unquoteName(text.slice(at, end));
          level.at = name;
          if (level.names.has(name)) return flaw(`has the name ${formatName(name)} twice in one object`, at);
          level.names.add(name);
        }
        at = end - 1;
        break;
      }
      case COMMA_CODE:
        if (typeof level?.at === "number") level.at += 1;
        break;
      case OPEN_OBJECT:
      case OPEN_LIST:
        if (levels.length === MAX_LEVELS) return flaw(`has more than ${MAX_LEVELS} levels of objects and lists`, at);
        levels.push(text.charCodeAt(at) === OPEN_OBJECT ? { at: "", names: new Set() } : { at: 0 });
        break;
      case CLOSE_OBJECT:
      case CLOSE_LIST:
        levels.pop();
    }
  }
  return undefined;
}

/** Returns the position after the quote that ends a string. */
function findEndOfString(text: string, from: number): number {
  for (let at = text.indexOf('"', from + 1); ; at = text.indexOf('"', at + 1)) {
    let escapes = 0;
    while (text.charCodeAt(at - 1 - escapes) === BACKSLASH_CODE) escapes++;
    if (escapes % 2 === 0) return at + 1;
  }
}

/** Tells whether a string is the name of a field: a colon follows, after white space. */
function isName(text: string, end: number): boolean {
  let at = end;
  while (text.charCodeAt(at) <= 0x20) at++;
  return text.charCodeAt(at) === COLON_CODE;
}

function unquoteName(quoted: string): string {
  return quoted.includes("\\") ? (JSON.parse(quoted) as string) : quoted.slice(1, -1);
}

function formatName(name: string): string {
  return JSON.stringify(name.length > MAX_NAME_CHARACTERS ? `${name.slice(0, MAX_NAME_CHARACTERS)}…` : name);
}

/** Returns ` (line 3)`; empty for a text of one line. */
function findLine(text: string, at: number): string {
  const line = text.slice(0, at).split("\n").length;
  return text.trimEnd().includes("\n") ? ` (line ${line})` : "";
}

/** Returns ` (line 3, column 5)`, for a text of one line ` (column 5)`, from the position in the parser's message. The message itself can quote the text, so it is not shown. */
function findPlace({ message }: Error, text: string): string {
  const [, position] = /at position (\d+)/.exec(message) ?? [];
  const at = /^Unexpected end/.test(message) ? text.length : Number(position);
  if (!Number.isFinite(at)) return "";
  const lines = text.slice(0, at).split("\n");
  const column = `column ${(lines.at(-1) ?? "").length + 1}`;
  return text.trimEnd().includes("\n") ? ` (line ${lines.length}, ${column})` : ` (${column})`;
}
