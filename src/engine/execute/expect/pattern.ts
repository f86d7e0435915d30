import { createContext, Script } from "node:vm";

const timeoutMs = 1000;
/** The maximum length of a text for a quick comparison: two repeated parts can share 200 characters in at most 200³ ways. */
const MAX_QUICK_CHARACTERS = 200;
const script = new Script("expression.test(text)");
let context: { expression?: RegExp; text?: string } | undefined;

/**
 * Returns whether a text fits a regular expression of a scenario file. Throws an error that names the pattern when the comparison takes longer
 * than a second.
 */
export function fitsPattern(pattern: string, text: string): boolean {
  const expression = new RegExp(pattern, "u");
  if (isQuick(pattern, text)) return expression.test(text);
  context ??= createContext(Object.create(null) as object);
  Object.assign(context, { expression, text });
  try {
    return script.runInContext(context, { timeout: timeoutMs }) === true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ERR_SCRIPT_EXECUTION_TIMEOUT") throw error;
    const where = `a text of ${text.length} characters`;
    throw new Error(`matches: "${pattern}" takes over ${timeoutMs} ms for ${where}. Bound and separate its repeated parts.`);
  }
}

/**
 * Returns whether a comparison cannot take long: nothing repeats, or the text is short, no group repeats and at most two parts repeat without a
 * limit. A comparison that is stopped in time takes thirty times as long as a quick one.
 */
function isQuick(pattern: string, text: string): boolean {
  if (!/[*+{]/.test(pattern)) return true;
  return text.length <= MAX_QUICK_CHARACTERS && !/\)[*+{]/.test(pattern) && [...pattern.matchAll(/[*+]|\{\d+,/g)].length <= 2;
}
