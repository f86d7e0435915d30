import { contract } from "../../contract/load.js";
import { fillText } from "../../contract/placeholders.js";
import type { PromptName, Tool, ToolPurpose } from "../../contract/tool-types.js";
import { toolWords } from "../../service/tools/guides.js";
import type { ToolNames } from "../../service/tools/tool-call.js";
import { codes, protocolError } from "./protocol.js";

/** Everything a client can list, made once for the names in use. */
export interface Catalogue {
  tools: object[];
  prompts: object[];
  purposes: ReadonlyMap<string, ToolPurpose>;
  /** The placeholders of texts for the tools' names. */
  words: Record<string, string>;
}

/** Makes the lists of tools and prompts. MCP-SCHEMA-LIST, MCP-SCHEMA-CLOSED, MCP-PROMPT-THREE. */
export function makeCatalogue(names: ToolNames): Catalogue {
  const purposes = Object.keys(contract.tools) as ToolPurpose[];
  const words = toolWords(names);
  return {
    tools: purposes.map((purpose) => listedTool(contract.tools[purpose], names[purpose], words)),
    prompts: Object.entries(contract.prompts).map(([name, prompt]) => ({
      name,
      title: prompt.title,
      description: prompt.description,
      arguments: prompt.arguments,
    })),
    purposes: new Map(purposes.map((purpose) => [names[purpose], purpose])),
    words,
  };
}

/** Writes a prompt out; throws the protocol's error for an unknown one and for a required argument that is missing or empty. */
export function writePrompt(
  { words }: Catalogue,
  name: string,
  given: Readonly<Record<string, string>>,
): Record<string, unknown> {
  const prompt = Object.hasOwn(contract.prompts, name) ? contract.prompts[name as PromptName] : undefined;
  if (!prompt) throw protocolError(codes.invalidParams, `Unknown prompt: ${name}`);
  const missing = prompt.arguments.filter((argument) => argument.required && !given[argument.name]?.trim());
  if (missing.length > 0) {
    const named = missing.map((argument) => argument.name).join(", ");
    throw protocolError(codes.invalidParams, `The prompt ${name} needs a value for: ${named}`);
  }
  const text = fillText(prompt.text.join("\n"), { ...given, ...words });
  return { description: prompt.description, messages: [{ role: "user", content: { type: "text", text } }] };
}

function listedTool(
  { title, description, kind, arguments: inputSchema }: Tool,
  name: string,
  words: Record<string, string>,
): object {
  return {
    name,
    title,
    description: fillText(description, words),
    inputSchema,
    annotations: { title, readOnlyHint: kind === "read" },
  };
}
