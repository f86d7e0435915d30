import type { ArgumentError } from "../../contract/tool-arguments.js";

/** The most errors that a response lists. The count includes all. */
export const maxListedErrors = 100;

const maxShownLength = 60;

/** Returns lines for an agent: the number of errors, then each argument on its own line with its error below. */
export function formatArgumentErrors(tool: string, errors: ArgumentError[]): string {
  const count = `${errors.length} validation error${errors.length === 1 ? "" : "s"} for ${tool}`;
  const listed = errors
    .slice(0, maxListedErrors)
    .flatMap(({ name, message, type, sent }) => [onOneLine(name), `  ${message} [type=${type}${describe(sent)}]`]);
  return [count, ...listed].join("\n");
}

function describe(sent: unknown): string {
  if (sent === undefined) return "";
  const text = JSON.stringify(sent);
  const shown = text.length > maxShownLength ? `${text.slice(0, maxShownLength)}…` : text;
  return `, input_value=${shown}, input_type=${Array.isArray(sent) ? "array" : sent === null ? "null" : typeof sent}`;
}

/** Escapes line breaks in an argument name, so that one name is one line. */
function onOneLine(name: string): string {
  return /[\p{Cc}\u2028\u2029]/u.test(name) ? JSON.stringify(name) : name;
}
