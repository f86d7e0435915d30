import { describe, expect, test } from "vitest";
import { contract } from "../../../src/contract/load.js";
import { nameTools } from "../../../src/mock/mcp/options.js";
import { startMock } from "../../../src/mock/server.js";
import { send } from "../client.js";
import { post, request, toolCall } from "./messages.js";

describe("names of tools", () => {
  test("come from tools.json by default", () => {
    expect(nameTools()).toEqual(Object.fromEntries(Object.entries(contract.tools).map(([purpose, { name }]) => [purpose, name])));
  });

  test("can be set by purpose or by name", () => {
    expect(nameTools({ job_status: "poll", get_forecast: "price" })).toMatchObject({ job_status: "poll", forecast: "price" });
  });

  test("can be swapped", () => {
    expect(nameTools({ submit_job: "submit_fix", submit_fix: "submit_job" })).toMatchObject({
      submit_job: "submit_fix",
      submit_fix: "submit_job",
    });
  });

  test.each([
    ["of an unknown tool", { nothing: "x" }, "There is no tool 'nothing' to rename."],
    ["that the contract names", { list_observations: "x" }, "There is no tool 'list_observations' to rename."],
    ["with a blank", { submit_job: "a b" }, "'a b' is not a tool name: 1 to 64 letters, digits, '_', '-' and '.'."],
    ["that are empty", { submit_job: "" }, "'' is not a tool name: 1 to 64 letters, digits, '_', '-' and '.'."],
    ["that are taken", { submit_job: "list_observations" }, "Two tools would have the name 'list_observations'."],
    ["given twice", { submit_job: "x", submit_fix: "x" }, "Two tools would have the name 'x'."],
  ])("%s are refused", (_, renames, problem) => expect(nameTools(renames)).toMatchObject({ problem }));

  test("that are invalid prevent the start of the mock", async () => {
    await expect(startMock({ mcp: { names: { nothing: "x" } } })).rejects.toThrow("There is no tool 'nothing' to rename.");
  });
});

test("a renamed tool has its new name everywhere: in the list, calls, faults, texts, the journal and the target", async () => {
  const renames = Object.fromEntries(
    Object.entries(contract.tools).flatMap(([purpose, { shown }]) => (shown ? [] : [[purpose, `x_${purpose}`]])),
  );
  const mock = await startMock({ clock: "frozen", mcp: { names: renames } });
  const ask = async (message: object) => (await post(mock.mcp_url, mock.keys.full, message)).json;
  const { tools } = (await ask(request("tools/list"))).result;
  expect(tools.map(({ name }: { name: string }) => name).filter((name: string) => !name.startsWith("x_"))).toEqual([
    "list_observations",
  ]);
  expect((await ask(toolCall("list_guides"))).error.message).toBe("Unknown tool: list_guides");
  expect((await ask(toolCall("x_list_guides", { a: 1 }))).result.content[0].text).toMatch(
    /^1 validation error for x_list_guides\na\n/,
  );
  const texts = [
    JSON.stringify(tools),
    (await ask(request("prompts/get", { name: "service_agent_loop" }))).result.messages[0].content.text,
    (await ask(toolCall("x_read_guide", { guide: "fix-an-observation" }))).result.structuredContent.body,
  ];
  const former = Object.values(contract.tools).flatMap(({ name, shown }) => (shown ? [] : [name]));
  for (const text of texts) expect(former.filter((name) => new RegExp(`(?<![\\w])${name}(?![\\w])`).test(text))).toEqual([]);
  expect(mock.journal().map(({ route }) => route)).toContain("x_read_guide");
  const { json: target } = await send(`GET ${mock.control_url}/target`);
  expect(target.bindings.tools).toMatchObject({ list_observations: "list_observations", submit_job: "x_submit_job" });
  await mock.close();
});
