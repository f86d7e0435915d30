import { expect, test } from "vitest";
import { runCommand } from "../../src/cli/run-command.js";

test.each([[""], ["a\0b"], ["/no/such"], [process.execPath, "a\0b"]])(
  "returns a problem for the command %j",
  async (...command) => {
    expect(await runCommand(command, {})).toEqual({ problem: expect.stringMatching(/^Cannot run /) });
  },
);
