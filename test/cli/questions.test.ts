import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { openQuestions } from "../../src/cli/questions.js";

test("returns each answer, and undefined for every question after the input has ended", async () => {
  const input = new PassThrough();
  const { ask, close } = openQuestions(input, new PassThrough());
  const first = ask("first? ");
  input.write("yes\n");
  expect(await first).toBe("yes");
  const second = ask("second? ");
  input.end();
  expect([await second, await ask("third? ")]).toEqual([undefined, undefined]);
  close();
});

test("Ctrl-C interrupts the process", async () => {
  const input = new PassThrough();
  let interruptions = 0;
  const output = Object.assign(new PassThrough(), { isTTY: true, columns: 80 });
  const { ask } = openQuestions(input, output, () => void interruptions++);
  const answer = ask("first? ");
  input.write("\u0003");
  expect([await answer, interruptions]).toEqual([undefined, 1]);
});
