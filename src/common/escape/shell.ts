import { escapeLine } from "./visible.js";

/**
 * Returns the text as one word of a POSIX shell, in single quotes. `printf` prints the control characters. A shell word cannot contain NUL,
 * which becomes the visible text `\u0000`, nor half a surrogate pair.
 */
export function quoteForShell(text: string): string {
  const parts = splitText(text);
  return parts.length === 0 ? "''" : parts.map(({ plain, octal }) => (octal ? `"${octal}"` : quoteSingle(plain))).join("");
}

/** Returns the text as one word of a POSIX shell that expands the variables matching `variable`. */
export function quoteWithVariables(variable: RegExp, text: string): string {
  const pieces = text.split(new RegExp(`(${variable.source})`));
  const inner = pieces.map((piece, index) => (index % 2 === 1 ? piece : quoteDouble(piece)));
  return `"${inner.join("")}"`;
}

/** Returns a comment of a shell script, on one line. */
export function escapeShellComment(text: string): string {
  return `# ${escapeLine(text)}`;
}

/** Tells whether a shell word can contain the text exactly: it has no NUL and does not end in a line feed, which `$(…)` removes. */
export function fitsShellWord(text: string): boolean {
  return !text.includes("\0") && !text.endsWith("\n");
}

function quoteSingle(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function quoteDouble(text: string): string {
  return splitText(text)
    .map(({ plain, octal }) => octal ?? plain.replace(/[\\"`$]/g, "\\$&"))
    .join("");
}

/** Splits a text into visible characters and runs of others, written as octal escapes of `printf`. */
function splitText(text: string): { plain: string; octal?: string }[] {
  const parts: { plain: string; octal?: string }[] = [];
  let run = "";
  const endRun = () => {
    if (run !== "") parts.push({ plain: "", octal: `$(printf '${encodeOctal(run)}')` });
    run = "";
  };
  for (const character of text) {
    const shown = escapeLine(character);
    if (character === "\0" || /^\p{Surrogate}$/u.test(character)) addPlain(shown);
    else if (shown !== character || run.endsWith("\n")) run += character;
    else addPlain(character);
  }
  if (run.endsWith("\n")) run = `${run.slice(0, -1)}`;
  const isCut = text.endsWith("\n");
  endRun();
  if (isCut) addPlain("\\n");
  return parts;

  function addPlain(shown: string): void {
    endRun();
    const last = parts.at(-1);
    if (last && last.octal === undefined) last.plain += shown;
    else parts.push({ plain: shown });
  }
}

function encodeOctal(text: string): string {
  return Array.from(new TextEncoder().encode(text), (byte) => `\\${byte.toString(8).padStart(3, "0")}`).join("");
}
