import type { Mutant } from "./mutant.js";
import type { AroundWire, Asked } from "./wire.js";

type Message = Record<string, unknown>;
type Tool = { name: string; inputSchema: Message };
type Prompt = { name: string; arguments: Message[] };

/** Faults in how the tool server speaks the protocol, and in what it lists. */
export const protocolMutants: Mutant[] = [
  {
    name: "answers an undeclared argument with an error of the protocol",
    breaks: "MCP-ARG-TOOL-ERROR",
    aroundWire: onAnswer("tools/call", (answer) => (isUndeclared(answer) ? refusal(answer) : answer)),
  },
  {
    name: "does not flag tool errors as errors",
    breaks: "MCP-ARG-TOOL-ERROR",
    aroundWire: onResult<{ isError?: true }>("tools/call", ({ isError: _, ...result }) => result),
  },
  {
    name: "publishes open schemas",
    breaks: "MCP-SCHEMA-CLOSED",
    aroundWire: onTools((tools) =>
      tools.map(({ inputSchema: { additionalProperties: _, ...inputSchema }, ...tool }) => ({ ...tool, inputSchema })),
    ),
  },
  {
    name: "publishes one open schema among many closed ones",
    breaks: "MCP-SCHEMA-CLOSED",
    aroundWire: onTools(([first, ...others]) => [
      ...others,
      { ...first!, inputSchema: { ...first!.inputSchema, additionalProperties: true } },
    ]),
  },
  {
    name: "requires what is optional",
    breaks: "MCP-SCHEMA-OPTIONAL",
    aroundWire: onTools((tools) =>
      tools.map((tool) => ({
        ...tool,
        inputSchema: { ...tool.inputSchema, required: Object.keys(tool.inputSchema.properties as object) },
      })),
    ),
  },
  {
    name: "lists a tool that it does not have",
    breaks: "MCP-ARG-EVERY",
    aroundWire: onTools((tools) => [...tools, { ...tools[0]!, name: "list_nothing" }]),
  },
  {
    name: "lists repositories in no tool that can be called",
    breaks: "MCP-TOOL-REPOS",
    aroundWire: onAnswer("tools/call", (answer, { name }) => (name === "list_repositories" ? refusal(answer) : answer)),
  },
  {
    name: "does not list list_observations",
    breaks: "MCP-SCHEMA-LIST",
    aroundWire: onTools((tools) => tools.filter(({ name }) => name !== "list_observations")),
  },
  {
    name: "calls a tool that it has not a success",
    breaks: "MCP-SCHEMA-LIST",
    aroundWire: onAnswer("tools/call", ({ error, ...answer }) =>
      error ? { ...answer, result: { content: [{ type: "text", text: "Done." }] } } : answer,
    ),
  },
  {
    name: "has no prompt investigate_finding",
    breaks: "MCP-PROMPT-THREE",
    aroundWire: onPrompts((prompts) => prompts.filter(({ name }) => name !== "investigate_finding")),
  },
  {
    name: "has a fourth prompt",
    breaks: "MCP-PROMPT-THREE",
    aroundWire: onPrompts((prompts) => [...prompts, { ...prompts[0]!, name: "review_everything" }]),
  },
  {
    name: "asks an owner, not an org, of triage_new_findings",
    breaks: "MCP-PROMPT-TRIAGE",
    aroundWire: onPrompts((prompts) =>
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
    aroundWire: onPrompts((prompts) =>
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
    name: "serves the tools at /mcp without the slash too",
    breaks: "MCP-ENDPOINT-BARE-307",
    aroundWire: (asked, send) => send(asked.host === "api" && asked.path === "/mcp" ? { ...asked, path: "/mcp/" } : asked),
  },
  {
    name: "sends /mcp on with a 302",
    breaks: "MCP-ENDPOINT-BARE-307",
    async aroundWire(asked, send) {
      const answer = await send(asked);
      return answer.status === 307 ? { ...answer, status: 302 } : answer;
    },
  },
  {
    name: "sends /mcp on to another place",
    breaks: "MCP-ENDPOINT-BARE-PRESERVE",
    async aroundWire(asked, send) {
      const answer = await send(asked);
      return answer.status === 307 ? { ...answer, headers: { ...answer.headers, location: "/mcp/sse" } } : answer;
    },
  },
  {
    name: "answers ids as strings",
    breaks: "MCP-ENDPOINT-PATH",
    aroundWire: onAnswer(null, ({ id, ...answer }) => ({ ...answer, id: String(id) })),
  },
  {
    name: "speaks a version that the protocol never had",
    breaks: "MCP-ENDPOINT-PATH",
    aroundWire: onResult("initialize", (result) => ({ ...result, protocolVersion: "1.0.0" })),
  },
  {
    name: "does not say who it is",
    breaks: "MCP-ENDPOINT-PATH",
    aroundWire: onResult<{ serverInfo: unknown }>("initialize", ({ serverInfo: _, ...result }) => result),
  },
  {
    name: "answers a method that it does not know with an empty result",
    breaks: "MCP-ENDPOINT-PATH",
    aroundWire: onAnswer("no/such/method", ({ error: _, ...answer }) => ({ ...answer, result: {} })),
  },
  {
    name: "lists few tools to a key that only views",
    breaks: "MCP-SCHEMA-LIST",
    aroundWire: to(
      /_viewer$/,
      onTools((tools) => tools.filter(({ name }) => /^(list|get|read|explain)/.test(name))),
    ),
  },
  {
    name: "lists no prompts to a Free key",
    breaks: "MCP-PROMPT-THREE",
    aroundWire: to(
      /_free$/,
      onPrompts(() => []),
    ),
  },
  ...(["MCP-PROMPT-LOOP", "MCP-PROMPT-TRIAGE"] as const).map(
    (breaks): Mutant => ({
      name: `writes no prompt for a key that views nothing: ${breaks}`,
      breaks,
      aroundWire: to(/_triage$/, onAnswer("prompts/get", refusal)),
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
  {
    name: "wants a list of arguments in every call",
    breaks: "MCP-SCHEMA-OPTIONAL",
    aroundWire: onAnswer("tools/call", (answer, params) => ("arguments" in params ? answer : refusal(answer))),
  },
];

/** A fault that keys of some roles alone meet. */
function to(role: RegExp, around: AroundWire): AroundWire {
  return (asked, send) => (role.test(String(asked.headers.authorization)) ? around(asked, send) : send(asked));
}

/** Changes the JSON-RPC answer to one method, or to every method. */
function onAnswer(method: string | null, change: (answer: Message, params: Message) => Message): AroundWire {
  return async (asked, send) => {
    const answered = await send(asked);
    const asks = asked.path === "/mcp/" ? parse(asked.text) : undefined;
    const answer = parse(answered.text);
    if (!asks || !answer || (method !== null && asks.method !== method)) return answered;
    return { ...answered, text: JSON.stringify(change(answer, (asks.params ?? {}) as Message)) };
  };
}

function onResult<Result extends object = Message>(method: string, change: (result: Result) => object): AroundWire {
  return onAnswer(method, (answer) => (answer.result ? { ...answer, result: change(answer.result as Result) } : answer));
}

/** Changes the list of tools. */
export function onTools(change: (tools: Tool[]) => Tool[]): AroundWire {
  return onResult<{ tools: Tool[] }>("tools/list", (result) => ({ ...result, tools: change(result.tools) }));
}

function onPrompts(change: (prompts: Prompt[]) => Prompt[]): AroundWire {
  return onResult<{ prompts: Prompt[] }>("prompts/list", (result) => ({ ...result, prompts: change(result.prompts) }));
}

function withParams(asked: Asked, method: string, change: (params: Message) => Message): Asked {
  const asks = asked.path === "/mcp/" ? parse(asked.text) : undefined;
  if (asks?.method !== method) return asked;
  return { ...asked, text: JSON.stringify({ ...asks, params: change((asks.params ?? {}) as Message) }) };
}

function isUndeclared(answer: Message): boolean {
  return JSON.stringify(answer).includes("extra_forbidden");
}

function refusal({ result: _, ...answer }: Message): Message {
  return { ...answer, error: { code: -32602, message: "Invalid params" } };
}

function parse(text: string): Message | undefined {
  try {
    return JSON.parse(text) as Message;
  } catch {
    return undefined;
  }
}
