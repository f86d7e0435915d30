import { contract } from "../../contract/load.js";
import { fillText } from "../../contract/placeholders.js";
import type { PromptName } from "../../contract/tool-types.js";
import { listToolPlaceholders } from "../../service/tools/guides.js";
import type { ToolNames } from "../../service/tools/tool-call.js";
import {
  codes,
  createListMethod,
  createProtocolError,
  type Method,
  type Params,
  type Result,
  readArguments,
  readName,
} from "./json-rpc.js";

/** Returns the methods for prompts. Their texts use the tool names of this server. MCP-PROMPT-THREE. */
export function createPromptMethods(names: ToolNames): Readonly<Record<string, Method>> {
  const words = listToolPlaceholders(names);
  const entries = Object.entries(contract.prompts).map(([name, { title, description, arguments: declared }]) => ({
    name,
    title,
    description,
    arguments: declared,
  }));
  return {
    "prompts/list": createListMethod("prompts", entries),
    "prompts/get": (params) => writePrompt(readName(params), readTexts(params), words),
  };
}

/**
 * Returns the messages of a prompt. Throws the protocol's error for an unknown prompt and for a required argument without a
 * value.
 */
function writePrompt(name: string, given: Readonly<Record<string, string>>, words: Record<string, string>): Result {
  const prompt = Object.hasOwn(contract.prompts, name) ? contract.prompts[name as PromptName] : undefined;
  if (!prompt) throw createProtocolError(codes.invalidParams, `Unknown prompt: ${name}`);
  const missingArguments = prompt.arguments.filter((argument) => argument.required && !given[argument.name]?.trim());
  if (missingArguments.length > 0) {
    const named = missingArguments.map((argument) => argument.name).join(", ");
    throw createProtocolError(codes.invalidParams, `The prompt ${name} needs a value for: ${named}`);
  }
  const text = fillText(prompt.text.join("\n"), { ...given, ...words });
  return { description: prompt.description, messages: [{ role: "user", content: { type: "text", text } }] };
}

function readTexts(params: Params): Readonly<Record<string, string>> {
  const given = readArguments(params);
  if (areTexts(given)) return given;
  throw createProtocolError(codes.invalidParams, "The arguments of a prompt must be strings.");
}

function areTexts(given: Readonly<Record<string, unknown>>): given is Readonly<Record<string, string>> {
  return Object.values(given).every((value) => typeof value === "string");
}
