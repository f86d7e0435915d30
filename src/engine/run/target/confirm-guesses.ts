import { escapeLine } from "../../../common/escape/visible.js";
import type { ListedTool } from "../../preflight/tools.js";
import { mapArguments, type ProposedTool, type ToolPurposes } from "./propose-tools.js";

/**
 * Asks about each guessed tool. An empty answer keeps the guess, `-` leaves the purpose out, and the name of another listed tool replaces the guess.
 * A tool has one purpose: the person may take it from a later guess, and from no other purpose. Asks again after any other answer. Keeps the guesses
 * that are left, as guesses, if the input has ended (undefined).
 */
export async function confirmGuesses(
  purposes: ToolPurposes,
  tools: readonly ProposedTool[],
  listedTools: readonly ListedTool[],
  ask: (question: string) => Promise<string | undefined>,
): Promise<readonly ProposedTool[]> {
  const confirmedProposedTools = tools.filter(({ how }) => how !== "guess");
  const guesses = new Map(tools.filter(({ how }) => how === "guess").map((tool) => [tool.purpose, tool]));
  for (const purpose of [...guesses.keys()]) {
    const guess = guesses.get(purpose);
    const question = formatQuestion(purpose, guess?.tool);
    let answer = await ask(question);
    for (let why = readRefusal(answer); why !== undefined; why = readRefusal(answer)) answer = await ask(`${why} ${question}`);
    if (answer === undefined) break;
    guesses.delete(purpose);
    const tool = answer === "" ? guess?.tool : answer;
    if (tool === undefined || tool === "-") continue;
    for (const otherProposedTool of guesses.values())
      if (otherProposedTool.tool === tool) guesses.delete(otherProposedTool.purpose);
    const given = tool === guess?.tool ? guess.arguments : mapArguments(purposes, listedTools, purpose, tool);
    confirmedProposedTools.push({ purpose, tool, arguments: given, how: "name" });
  }
  const order = Object.keys(purposes.tools);
  return [...confirmedProposedTools, ...guesses.values()].toSorted((a, b) => order.indexOf(a.purpose) - order.indexOf(b.purpose));

  function readRefusal(answer: string | undefined): string | undefined {
    if (answer === undefined || answer === "" || answer === "-") return undefined;
    const otherProposedTool = confirmedProposedTools.find(({ tool }) => tool === answer);
    if (otherProposedTool) return `That tool is for ${otherProposedTool.purpose}.`;
    return listedTools.some(({ name }) => name === answer) ? undefined : "The server lists no such tool.";
  }
}

/** Returns the question about the tool of a purpose, in one line. */
export function formatQuestion(purpose: string, guess: string | undefined): string {
  const choices = guess === undefined ? "Give a name; Enter" : `Enter: ${escapeLine(guess)}; or another name; -`;
  return `Which tool is for ${purpose}? ${choices} for none: `;
}
