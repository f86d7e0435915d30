import { expect, test } from "vitest";
import { findUnlistedNames, type ListedTool } from "../../../src/engine/preflight/tools.js";
import type { ToolRules } from "../../../src/engine/scenario/requests.js";

const listedTool = (name: string, ...names: string[]): ListedTool => ({ name, description: "", arguments: names, required: [] });
/** The contract shows the name of one tool and of one of its arguments. */
const contracted: Record<string, ToolRules> = { list_books: { effect: "read", shown: ["shelf"] }, lend: { effect: "write" } };
const mistakes = (bindings: object, ...tools: ListedTool[]) =>
  findUnlistedNames({ bindings: { ...bindings } }, tools, contracted).map(({ path, what }) => `${path.join(".")}: ${what}`);

test.each<[string, object, ListedTool[], RegExp | undefined]>([
  [
    "a tool that the server has not",
    { tools: { lend: "lent" } },
    [listedTool("lend_book")],
    /no tool "lent".*; remove it if the server has no such tool$/,
  ],
  [
    "an argument that the tool has not",
    { tools: { lend: "lend" }, tool_args: { lend: { days: "dys" } } },
    [listedTool("lend", "days")],
    /takes no argument "dys"; nearest: days; it takes days$/,
  ],
  ["a tool by the name that the contract shows", { tools: { list_books: "list_books" } }, [listedTool("lend")], undefined],
  [
    "an argument by the name that the contract shows",
    { tools: { list_books: "list_books" }, tool_args: { list_books: { shelf: "shelf" } } },
    [listedTool("list_books")],
    undefined,
  ],
  [
    "another name for a tool whose name the contract shows",
    { tools: { list_books: "books" } },
    [listedTool("list_books")],
    /the contract calls this tool list_books: remove the entry, so that scenarios use that name$/,
  ],
])("%s is a mistake of the target file: %#", (_, bindings, tools, message) => {
  expect(mistakes(bindings, ...tools)).toEqual(message === undefined ? [] : [expect.stringMatching(message)]);
});
