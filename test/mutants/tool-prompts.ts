import { changeToolResponse, changeToolResult, forRole, parseMessage, refusalMessage } from "./helpers/tools.js";
import type { Mutant } from "./mutant.js";
import type { AroundWire, RelayedRequest } from "./wire.js";

type Message = Record<string, unknown>;

type Prompt = { name: string; arguments: Message[] };

/** Mutants that break a clause of MCP-PROMPT-*. */
export const toolPromptsMutants: Mutant[] = [
  {
    name: "leaves the prompt investigate_finding out instead of listing it",
    breaks: "MCP-PROMPT-THREE",
    aroundWire: changePromptList((prompts) => prompts.filter(({ name }) => name !== "investigate_finding")),
  },
  {
    name: "lists a fourth prompt instead of three",
    breaks: "MCP-PROMPT-THREE",
    aroundWire: changePromptList((prompts) => [...prompts, { ...prompts[0]!, name: "review_everything" }]),
  },
  {
    name: "declares the argument owner of triage_new_findings instead of org",
    breaks: "MCP-PROMPT-TRIAGE",
    aroundWire: changePromptList((prompts) =>
      prompts.map((prompt) =>
        prompt.name === "triage_new_findings"
          ? {
              ...prompt,
              arguments: prompt.arguments.map((argument) =>
                argument.name === "org" ? { ...argument, name: "owner" } : argument,
              ),
            }
          : prompt,
      ),
    ),
  },
  {
    name: "declares investigate_finding without ref instead of with it",
    breaks: "MCP-PROMPT-INVESTIGATE",
    aroundWire: changePromptList((prompts) =>
      prompts.map((prompt) => ({ ...prompt, arguments: prompt.arguments.filter(({ name }) => name !== "ref") })),
    ),
  },
  {
    name: "declares an argument of service_agent_loop instead of none",
    breaks: "MCP-PROMPT-LOOP",
    aroundWire: changePromptList((prompts) =>
      prompts.map((prompt) => (prompt.name === "service_agent_loop" ? { ...prompt, arguments: [{ name: "repo" }] } : prompt)),
    ),
  },
  {
    name: "refuses a prompt without an arguments object instead of answering it",
    breaks: "MCP-PROMPT-LOOP",
    aroundWire: (relayedRequest, send) =>
      send(
        withParams(relayedRequest, "prompts/get", (params) => ("arguments" in params ? params : { ...params, name: "unknown" })),
      ),
  },
  {
    name: "lists no prompts to a Free key instead of three",
    breaks: "MCP-PROMPT-THREE",
    aroundWire: forRole(
      /_free$/,
      changePromptList(() => []),
    ),
  },
  {
    name: "refuses service_agent_loop to a key without view scopes instead of answering it",
    breaks: "MCP-PROMPT-LOOP",
    aroundWire: forRole(/_triage$/, changeToolResponse("prompts/get", refusalMessage)),
  },
  {
    name: "answers any prompt name with the loop instead of refusing unknown names",
    breaks: "MCP-PROMPT-THREE",
    aroundWire: (relayedRequest, send) =>
      send(
        withParams(relayedRequest, "prompts/get", ({ name, ...params }) => ({
          ...params,
          name: /triage|investigate/.test(String(name)) ? name : "service_agent_loop",
        })),
      ),
  },
];

function changePromptList(change: (prompts: Prompt[]) => Prompt[]): AroundWire {
  return changeToolResult<{ prompts: Prompt[] }>("prompts/list", (result) => ({ ...result, prompts: change(result.prompts) }));
}

function withParams(relayedRequest: RelayedRequest, method: string, change: (params: Message) => Message): RelayedRequest {
  const asks = relayedRequest.path === "/mcp/" ? parseMessage(relayedRequest.text) : undefined;
  if (asks?.method !== method) return relayedRequest;
  const params = change((asks.params ?? {}) as Message);
  const { "mcp-name": named, ...headers } = relayedRequest.headers; // the newest revision repeats the name in a header
  return {
    ...relayedRequest,
    headers: { ...headers, ...(named !== undefined && { "mcp-name": String(params.name) }) },
    text: JSON.stringify({ ...asks, params }),
  };
}
