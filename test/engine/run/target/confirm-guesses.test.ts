import { expect, test } from "vitest";
import { confirmGuesses } from "../../../../src/engine/run/target/confirm-guesses.js";
import type { ProposedTool } from "../../../../src/engine/run/target/propose-tools.js";

const purposes = ["kept", "sure", "left_out", "replaced"];
const tool = (purpose: string, how: ProposedTool["how"], name = `svc_${purpose}`): ProposedTool => ({
  ...{ purpose, how, tool: name },
  arguments: { ref: name === "other_tool" ? "reference" : "finding" },
});
const tools = [tool("kept", "guess"), tool("sure", "answer"), tool("left_out", "guess"), tool("replaced", "guess")];
const names = {
  tools: Object.fromEntries(
    purposes.map((purpose) => [
      purpose,
      { description: "", aliases: [], arguments: { ref: ["finding", "reference"] }, optional: [], isRead: true },
    ]),
  ),
  combined: {},
};
const listed = [...tools, tool("", "name", "other_tool")].map(({ tool: name, arguments: { ref = "" } }) => ({
  ...{ name, description: "", arguments: [ref], required: [ref] },
}));

/** Answers the questions in order; the input ends after the last one. */
async function confirmWith(...answers: string[]) {
  const questions: string[] = [];
  const foundProposedTools = await confirmGuesses(names, tools, listed, (question) => {
    questions.push(question);
    return Promise.resolve(answers.shift());
  });
  return { found: foundProposedTools, questions };
}

test("asks about guesses only, until each answer names a listed tool that is free", async () => {
  const { found, questions } = await confirmWith("", "-", "no_such_tool", "svc_sure", "svc_kept", "other_tool");
  expect(found).toEqual([tool("kept", "name"), tool("sure", "answer"), tool("replaced", "name", "other_tool")]);
  expect(questions).toEqual([
    "Which tool is for kept? Enter: svc_kept; or another name; - for none: ",
    "Which tool is for left_out? Enter: svc_left_out; or another name; - for none: ",
    "Which tool is for replaced? Enter: svc_replaced; or another name; - for none: ",
    expect.stringMatching(/^The server lists no such tool\. Which tool is for replaced/),
    expect.stringMatching(/^That tool is for sure\. Which tool is for replaced/),
    expect.stringMatching(/^That tool is for kept\. Which tool is for replaced/),
  ]);
});

test("takes a tool from a guess that is not confirmed yet, and then asks for another", async () => {
  const { found, questions } = await confirmWith("svc_replaced", "", "svc_kept");
  expect(found).toEqual([
    tool("kept", "name", "svc_replaced"),
    ...tools.slice(1, 2),
    tool("left_out", "name"),
    tool("replaced", "name", "svc_kept"),
  ]);
  expect(questions.at(-1)).toBe("Which tool is for replaced? Give a name; Enter for none: ");
});

test("keeps the guesses that are left as guesses if the input ends", async () => {
  const { found, questions } = await confirmWith("");
  expect(found).toEqual([tool("kept", "name"), ...tools.slice(1)]);
  expect(questions).toHaveLength(2);
});
