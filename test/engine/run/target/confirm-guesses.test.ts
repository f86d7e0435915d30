import { expect, test } from "vitest";
import { confirmGuesses } from "../../../../src/engine/run/target/confirm-guesses.js";
import type { ProposedTool } from "../../../../src/engine/run/target/propose-tools.js";

const tool = (purpose: string, how: ProposedTool["how"]): ProposedTool => ({
  ...{ purpose, how, tool: `svc_${purpose}` },
  arguments: { ref: "finding" },
});

test("asks about guesses only, until each answer names a listed tool", async () => {
  const questions: string[] = [];
  const answers = ["", "-", "no_such_tool", "other_tool"];
  const ask = (question: string) => {
    questions.push(question);
    return Promise.resolve(answers.shift() ?? "");
  };
  const tools = [tool("kept", "guess"), tool("sure", "answer"), tool("left_out", "guess"), tool("replaced", "guess")];
  expect(await confirmGuesses(tools, ["other_tool"], ask)).toEqual([
    tool("kept", "name"),
    tool("sure", "answer"),
    { purpose: "replaced", tool: "other_tool", arguments: {}, how: "name" },
  ]);
  expect(questions).toHaveLength(4);
  expect(questions[0]).toBe("Which tool is for kept? Enter: svc_kept; or another name; - for none: ");
  expect(questions[3]).toMatch(/^The server lists no such tool\. Which tool is for replaced/);
});
