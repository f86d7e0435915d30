import { visibleLine } from "../../../common/escape/visible.js";
import type { ProposedTool } from "./propose-tools.js";

/**
 * Asks about each guessed tool. An empty answer keeps the guess, `-` leaves the purpose out, and the name of another tool replaces the guess, without
 * its arguments. Asks again after any other answer.
 */
export async function confirmGuesses(
  tools: readonly ProposedTool[],
  others: readonly string[],
  ask: (question: string) => Promise<string>,
): Promise<readonly ProposedTool[]> {
  const answered: ProposedTool[] = [];
  const known = new Set([...others, ...tools.map(({ tool }) => tool)]);
  for (const one of tools) {
    let answer = one.how === "guess" ? await ask(questionFor(one)) : "";
    while (answer !== "" && answer !== "-" && !known.has(answer))
      answer = await ask(`The server lists no such tool. ${questionFor(one)}`);
    if (answer === "-") continue;
    const isAsked = one.how === "guess";
    answered.push(
      answer === "" || answer === one.tool
        ? { ...one, ...(isAsked && { how: "name" as const }) }
        : { purpose: one.purpose, tool: answer, arguments: {}, how: "name" },
    );
  }
  return answered;
}

/** Returns the question about a guessed tool, in one line. */
export function questionFor({ purpose, tool }: ProposedTool): string {
  return `Which tool is for ${purpose}? Enter: ${visibleLine(tool)}; or another name; - for none: `;
}
