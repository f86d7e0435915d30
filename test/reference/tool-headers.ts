import type { Choices } from "./choices.js";
import { decodeHeader, MARKED } from "./rpc-2026.js";
import { getArgumentName, tools } from "./tools.js";

/** Returns the header that a call of the newest revision lacks, or that differs from its argument. */
export function differingHeader(
  choices: Choices,
  name: unknown,
  given: Record<string, unknown>,
  headers: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const [purpose] = Object.keys(tools).filter((one) => choices.toolName(one) === name);
  if (!choices.toolHeaders || purpose === undefined) return undefined;
  const names = MARKED.map((one) => [one, getArgumentName(purpose, one, choices.argumentName)] as const);
  const found = names.find(([one, argument]) => {
    const value = given[argument];
    return typeof value === "string" && decodeHeader(headers[`mcp-param-argument-${one}`]) !== value;
  });
  return found && `mcp-param-argument-${found[0]}`;
}
