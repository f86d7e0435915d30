import { createContext, Script } from "node:vm";

const timeoutMs = 1000;
const script = new Script("expression.test(text)");
let context: { expression?: RegExp; text?: string } | undefined;

/**
 * Returns whether a text fits a regular expression of a scenario file. Throws an error that names the pattern when the comparison takes longer
 * than a second.
 */
export function fitsPattern(pattern: string, text: string): boolean {
  const expression = new RegExp(pattern, "u");
  if (!/[*+{]/.test(pattern)) return expression.test(text);
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
