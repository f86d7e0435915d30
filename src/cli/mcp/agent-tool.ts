import { compileSchema } from "../../contract/load.js";
import { listSchemaProblems } from "../../mock/input/problems.js";

/** The schema of a tool's arguments. It allows no other argument. */
export interface InputSchema {
  type: "object";
  properties: Record<string, object>;
  required: readonly string[];
  additionalProperties: false;
  [keyword: string]: unknown;
}

/** The text that a tool returns, and whether it is an error. */
export interface ToolText {
  text: string;
  isError: boolean;
}

/** One tool of `counterpart mcp`. */
export interface AgentTool {
  name: string;
  description: string;
  inputSchema: InputSchema;
  /** Whether the tool changes nothing. */
  isReadOnly: boolean;
  run(given: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<ToolText>;
}

/** The maximum number of characters of a result. The models that read it have a limited context. */
const maxCharacters = 100_000;

/** Runs a tool, or returns the mistake in its arguments. Cuts a long result, and says so. */
export async function runTool(
  { inputSchema, run }: AgentTool,
  given: Readonly<Record<string, unknown>>,
  signal: AbortSignal,
): Promise<ToolText> {
  const validate = compileSchema(inputSchema, { verbose: true });
  if (!validate(given)) return { text: listSchemaProblems(validate.errors, inputSchema, "the arguments").problem, isError: true };
  const { text, isError } = await run(given, signal);
  if (text.length <= maxCharacters) return { text, isError };
  const cut = `The result has ${text.length} characters. Only the first ${maxCharacters} follow; ask for less.`;
  return { text: `${cut}\n${text.slice(0, maxCharacters)}`, isError };
}
