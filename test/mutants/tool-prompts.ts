import { changingAnswer, changingResult, parse, refusal, to } from "./helpers/tools.js";
import type { Mutant } from "./mutant.js";
import type { AroundWire, Asked } from "./wire.js";

type Message = Record<string, unknown>;

type Prompt = { name: string; arguments: Message[] };

/** Mutants that break a clause of MCP-PROMPT-*. */
export const toolPromptsMutants: Mutant[] = [
  {
    name: "has no prompt investigate_finding",
    breaks: "MCP-PROMPT-THREE",
    aroundWire: changingPromptList((prompts) => prompts.filter(({ name }) => name !== "investigate_finding")),
  },
  {
    name: "has a fourth prompt",
    breaks: "MCP-PROMPT-THREE",
    aroundWire: changingPromptList((prompts) => [...prompts, { ...prompts[0]!, name: "review_everything" }]),
  },
  {
    name: "asks an owner, not an org, of triage_new_findings",
    breaks: "MCP-PROMPT-TRIAGE",
    aroundWire: changingPromptList((prompts) =>
      prompts.map((prompt) =>
        prompt.name === "triage_new_findings"
          ? {
              ...prompt,
              arguments: prompt.arguments.map((given) => (given.name === "org" ? { ...given, name: "owner" } : given)),
            }
          : prompt,
      ),
    ),
  },
  {
    name: "writes investigate_finding out for no finding",
    breaks: "MCP-PROMPT-INVESTIGATE",
    aroundWire: (asked, send) =>
      send(
        withParams(asked, "prompts/get", (params) => ({
          ...params,
          arguments: { ref: "SERVICE-1", ...(params.arguments as object) },
        })),
      ),
  },
  {
    name: "asks an argument of service_agent_loop",
    breaks: "MCP-PROMPT-LOOP",
    aroundWire: changingPromptList((prompts) =>
      prompts.map((prompt) => (prompt.name === "service_agent_loop" ? { ...prompt, arguments: [{ name: "repo" }] } : prompt)),
    ),
  },
  {
    name: "writes no prompt out for whoever sends no arguments",
    breaks: "MCP-PROMPT-LOOP",
    aroundWire: (asked, send) =>
      send(withParams(asked, "prompts/get", (params) => ("arguments" in params ? params : { ...params, name: "unknown" }))),
  },
  {
    name: "lists no prompts to a Free key",
    breaks: "MCP-PROMPT-THREE",
    aroundWire: to(
      /_free$/,
      changingPromptList(() => []),
    ),
  },
  ...(["MCP-PROMPT-LOOP", "MCP-PROMPT-TRIAGE"] as const).map(
    (breaks): Mutant => ({
      name: `writes no prompt for a key that views nothing: ${breaks}`,
      breaks,
      aroundWire: to(/_triage$/, changingAnswer("prompts/get", refusal)),
    }),
  ),
  {
    name: "takes any name of a prompt for that of the loop",
    breaks: "MCP-PROMPT-THREE",
    aroundWire: (asked, send) =>
      send(
        withParams(asked, "prompts/get", ({ name, ...params }) => ({
          ...params,
          name: /triage|investigate/.test(String(name)) ? name : "service_agent_loop",
        })),
      ),
  },
];

function changingPromptList(change: (prompts: Prompt[]) => Prompt[]): AroundWire {
  return changingResult<{ prompts: Prompt[] }>("prompts/list", (result) => ({ ...result, prompts: change(result.prompts) }));
}

function withParams(asked: Asked, method: string, change: (params: Message) => Message): Asked {
  const asks = asked.path === "/mcp/" ? parse(asked.text) : undefined;
  if (asks?.method !== method) return asked;
  return { ...asked, text: JSON.stringify({ ...asks, params: change((asks.params ?? {}) as Message) }) };
}
