import { escapeLine, escapeText } from "./visible.js";

/** Returns the text for a line or a table cell of Markdown, without markup. GitHub makes a link of a bare address, so that is markup too. */
export function escapeInline(text: string): string {
  return escapeLine(text)
    .replace(/ +/g, " ")
    .replace(/[\\`*_[\]<>|#~&]|:(?=\/\/)|(?<=www)\./gi, "\\$&")
    .replace(
      /^(\s*)([-+=]|\d+(?=[.)]))/,
      (_, space: string, mark: string) => `${space}${/\d/.test(mark) ? `${mark}\\` : `\\${mark}`}`,
    );
}

/** Returns the text as a code span. Escapes `|`, which would end a table cell. */
export function formatCode(text: string): string {
  const content = escapeLine(text);
  const fence = "`".repeat(countLongestRun(content) + 1);
  const pad = content === "" || /^[` ]|[` ]$/.test(content) ? " " : "";
  return `${fence}${pad}${content}${pad}${fence}`;
}

/** Returns Markdown of the toolkit as a table cell: its markup stays, and `|` does not end the cell. */
export function escapeCell(markdown: string): string {
  return escapeLine(markdown).replaceAll("|", "\\|");
}

/** Returns the text as a block of code whose fence is longer than any inside it. */
export function formatCodeBlock(text: string, language = ""): string {
  const content = escapeText(text);
  const fence = "`".repeat(Math.max(3, countLongestRun(content) + 1));
  return `${fence}${language}\n${content}\n${fence}`;
}

function countLongestRun(text: string): number {
  let longest = 0;
  for (const [ticks] of text.matchAll(/`+/g)) longest = Math.max(longest, ticks.length);
  return longest;
}
