import type { ArgumentFault } from "../../contract/tool-arguments.js";

/** How many faults an answer lists; it counts them all. */
export const mostListed = 100;

const mostShown = 60;

/** Lines for an agent to read: how many faults, then each argument on a line of its own and what is wrong with it below. */
export function explainFaults(tool: string, faults: ArgumentFault[]): string {
  const count = `${faults.length} validation error${faults.length === 1 ? "" : "s"} for ${tool}`;
  const listed = faults
    .slice(0, mostListed)
    .flatMap(({ name, message, type, sent }) => [onOneLine(name), `  ${message} [type=${type}${describe(sent)}]`]);
  return [count, ...listed].join("\n");
}

function describe(sent: unknown): string {
  if (sent === undefined) return "";
  const text = JSON.stringify(sent);
  const shown = text.length > mostShown ? `${text.slice(0, mostShown)}…` : text;
  return `, input_value=${shown}, input_type=${Array.isArray(sent) ? "array" : sent === null ? "null" : typeof sent}`;
}

/** A key that holds a line break would otherwise pass for two lines. */
function onOneLine(name: string): string {
  return /[\p{Cc}\u2028\u2029]/u.test(name) ? JSON.stringify(name) : name;
}
