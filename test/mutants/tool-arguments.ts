import { contract } from "../../src/contract/load.js";
import { checkArguments } from "../../src/contract/tool-arguments.js";
import type { ToolPurpose } from "../../src/contract/tool-types.js";
import type { IncomingToolCall, ToolResponse } from "../../src/service/tools/tool-call.js";
import { mutantPerValue, wrapTool } from "./family.js";
import { aroundTools, changeToolList, changeToolResponse, changeToolResult, refusalMessage } from "./helpers/tools.js";
import { type AroundTool, type Mutant, withArguments, withScopes } from "./mutant.js";

/** The tools whose effect the contract makes visible. */
const seen: readonly ToolPurpose[] = [
  "submit_job",
  "submit_fix",
  "retry_job",
  "register_repository",
  "dismiss_observation",
  "acknowledge_observation",
  "complete_observation",
  "reopen_observation",
];

type Message = Record<string, unknown>;

const byRest = new Set(["domain", "category", "since", "order", "include", "close_reason", "has_fix_pr"]);

/** Mutants that break a clause of MCP-ARG-*. */
export const toolArgumentsMutants: Mutant[] = [
  ...seen.flatMap((purpose): Mutant[] => [
    {
      name: `performs ${purpose} with an undeclared argument and answers a refusal instead of doing nothing`,
      breaks: "MCP-ARG-EFFECT",
      aroundTool: performRefused(purpose, ({ arguments: { no_such_argument: extra, ...known } }) =>
        extra === undefined ? undefined : known,
      ),
    },
    {
      name: `performs ${purpose} without the scope and answers a refusal instead of doing nothing`,
      breaks: "MCP-SCOPE-REFUSED",
      aroundTool: performRefused(purpose, (call) => call.arguments),
    },
  ]),
  {
    name: "answers an undeclared argument with a protocol error instead of a tool error",
    breaks: "MCP-ARG-TOOL-ERROR",
    aroundWire: changeToolResponse("tools/call", (response) =>
      isUndeclaredMessage(response) ? refusalMessage(response) : response,
    ),
  },
  {
    name: "leaves isError out of tool errors instead of setting it",
    breaks: "MCP-ARG-TOOL-ERROR",
    aroundWire: changeToolResult<{ isError?: true }>("tools/call", ({ isError: _, ...result }) => result),
  },
  {
    name: "lists a tool that cannot be called instead of callable tools alone",
    breaks: "MCP-ARG-EVERY",
    aroundWire: changeToolList((tools) => [...tools, { ...tools[0]!, name: "list_nothing" }]),
  },
  ...mutantPerValue("MCP-ARG-EVERY", "tool", "ignores undeclared arguments of * instead of refusing them", {
    mcp: (tool) => wrapTool(tool, (world, call, performTool) => performTool(world, declaredOnly(call))),
  }),
  {
    name: "ignores undeclared arguments that the REST list accepts instead of refusing them",
    breaks: "MCP-ARG-TOOL-ERROR",
    ...wrapTool("list_observations", (world, call, performTool) => performTool(world, omitArguments(call, byRest))),
  },
  ...mutantPerValue("MCP-ARG-TOOL-ERROR", "tool", "leaves isError out for an undeclared argument of * instead of setting it", {
    mcp: (tool) =>
      wrapTool(tool, (world, call, performTool) => {
        const response = performTool(world, call);
        return isUndeclaredResponse(response) ? { ...response, status: 200 } : response;
      }),
  }),
  ...mutantPerValue("MCP-ARG-NAMED", "tool", "names an undeclared argument of * inside a sentence instead of on its own line", {
    mcp: (tool) => rewordTool(tool, (text) => text.replaceAll(/^(\w+)\n\s+(Extra .*)$/gm, "The argument $1: $2")),
  }),
  ...mutantPerValue(
    "MCP-ARG-FORBIDDEN",
    "tool",
    "answers an undeclared argument of * as a value error instead of extra_forbidden",
    {
      mcp: (tool) => rewordTool(tool, (text) => text.replaceAll("extra_forbidden", "value_error")),
    },
  ),
  ...mutantPerValue("MCP-ARG-EFFECT", "write tool", "refuses an undeclared argument of * and does the work instead of nothing", {
    mcp: (tool) =>
      wrapTool(tool, (world, call, performTool) => {
        const response = performTool(world, call);
        if (isUndeclaredResponse(response)) performTool(world, declaredOnly(call));
        return response;
      }),
  }),
  ...(
    [
      ["that are null", (_, value) => value === null],
      ["that are false", (_, value) => value === false],
      ["that are empty", (_, value) => value === "" || (typeof value === "object" && Object.keys(value ?? {}).length === 0)],
      ["that are its own in capitals", (name) => name !== name.toLowerCase()],
      ["that are another tool's", (name) => ["job_id", "reopen_reason"].includes(name)],
      ["that every object has", (name) => name in Object.prototype],
    ] satisfies [string, (name: string, value: unknown) => boolean][]
  ).map(
    ([which, isMissed]): Mutant => ({
      name: `ignores undeclared arguments ${which} instead of refusing them`,
      breaks: "MCP-ARG-TOOL-ERROR",
      aroundTool: (world, call, performTool) => {
        const given = Object.entries(call.arguments);
        const isMeant = (name: string, value: unknown) => isMissed(name, value) && call.purpose === "list_observations";
        return performTool(
          world,
          withArguments(call, Object.fromEntries(given.filter(([name, value]) => !isMeant(name, value)))),
        );
      },
    }),
  ),
  ...(
    [
      ["a number", /^\d+$/],
      ["begun with a line", /^_/],
    ] as const
  ).map(([which, form]) =>
    aroundTools(
      `ignores undeclared arguments whose names are ${which} instead of refusing them`,
      "MCP-ARG-TOOL-ERROR",
      ["list_observations"],
      (world, call, performTool) => {
        const given = Object.entries(call.arguments).filter(([name]) => !form.test(name));
        return performTool(world, withArguments(call, Object.fromEntries(given)));
      },
    ),
  ),
  {
    name: "ignores an undeclared argument of list_observations instead of refusing it",
    breaks: "MCP-ARG-MISSPELLED",
    aroundTool: (world, call, performTool) =>
      performTool(world, call.purpose === "list_observations" ? declaredOnly(call) : call),
  },
  {
    name: "names only the first of several undeclared arguments instead of all",
    breaks: "MCP-ARG-NAMED",
    aroundTool: (world, call, performTool) =>
      rewordResponse(performTool(world, call), (text) => text.split("\n").slice(0, 3).join("\n")),
  },
];

/** Performs a refused call. */
function performRefused(
  purpose: ToolPurpose,
  asked: (call: Parameters<AroundTool>[1]) => Parameters<AroundTool>[1]["arguments"] | undefined,
): AroundTool {
  return (world, call, performTool) => {
    const response = performTool(world, call);
    const given = asked(call);
    if (call.purpose === purpose && response.status >= 400 && given) {
      performTool(world, withScopes(withArguments(call, given), contract.enums.Scope));
    }
    return response;
  };
}

function isUndeclaredMessage(response: Message): boolean {
  return JSON.stringify(response).includes("extra_forbidden");
}

/** Changes the lines that one tool answers for an agent. */
function rewordTool(tool: string, reword: (text: string) => string) {
  return wrapTool(tool, (world, call, performTool) => {
    const response = performTool(world, call);
    return response.text === undefined ? response : { ...response, text: reword(response.text) };
  });
}

function isUndeclaredResponse({ text }: ToolResponse): boolean {
  return text?.includes("extra_forbidden") === true;
}

/** The same call without the arguments that its tool does not declare. */
function declaredOnly(call: IncomingToolCall): IncomingToolCall {
  const checked = checkArguments(call.purpose, call.arguments);
  const errors = "errors" in checked ? checked.errors : [];
  const undeclared = new Set(errors.filter(({ type }) => type === "extra_forbidden").map(({ name }) => name));
  return omitArguments(call, undeclared);
}

function omitArguments(call: IncomingToolCall, names: ReadonlySet<string>): IncomingToolCall {
  return withArguments(call, Object.fromEntries(Object.entries(call.arguments).filter(([name]) => !names.has(name))));
}

/** A reply with changed lines for an agent. */
function rewordResponse(response: ToolResponse, reword: (text: string) => string): ToolResponse {
  return response.text === undefined ? response : { ...response, text: reword(response.text) };
}
