import { escapeLine, escapeMessageLine, escapeText, formatJson } from "../common/escape/visible.js";

/** Colours of the toolkit's own text: SGR sequences of `styleText`. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: an escape sequence begins with a control character
const COLOURS = /(\u001b\[\d{1,2}m)/;

/** Prints lines on standard output. Control characters in them are escaped. */
export function printLines(...lines: readonly string[]): void {
  process.stdout.write(lines.map((line) => `${escapeLine(line)}\n`).join(""));
}

/** Prints a text of several lines on standard output, with a line feed at its end. */
export function printText(text: string): void {
  process.stdout.write(escapeText(text.endsWith("\n") ? text : `${text}\n`));
}

/** Prints a text of several lines that `styleText` may have coloured. Colours in foreign text must be escaped before, as `escapeValue` does. */
export function printColoured(text: string): void {
  const pieces = text.split(COLOURS);
  process.stdout.write(pieces.map((piece, index) => (index % 2 === 1 ? piece : escapeText(piece))).join(""));
}

/** Prints a value as JSON, on one line or indented. */
export function printJson(value: unknown, indent?: number): void {
  process.stdout.write(`${formatJson(value, indent)}\n`);
}

/** Prints messages on standard error, one a line. Refused values in them are visible and short. */
export function printErrors(...lines: readonly string[]): void {
  process.stderr.write(lines.map((line) => `${escapeMessageLine(line)}\n`).join(""));
}

/** Replaces the progress line of a terminal, or removes it. */
export function overwriteLine(line = ""): void {
  process.stderr.write(`\r\u001b[K${escapeLine(line).slice(0, (process.stderr.columns || 80) - 1)}`);
}
