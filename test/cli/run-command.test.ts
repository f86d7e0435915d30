import { existsSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { runCommand } from "../../src/cli/run-command.js";

test.each([[""], ["a\0b"], ["/no/such"], [process.execPath, "a\0b"]])(
  "returns a problem for the command %j",
  async (...command) => {
    expect(await runCommand(command, {})).toEqual({ problem: expect.stringMatching(/^Cannot run /) });
  },
);

test("passes the first signal to the command, and kills the command at the second", async () => {
  const here = mkdtempSync(join(tmpdir(), "run-command-"));
  // commands that other files ran in this process still listen, and would end it at the second signal
  process.removeAllListeners("SIGHUP");
  const script = `trap "touch ${here}/passed" HUP; touch ${here}/ready; while :; do sleep 0.1; done`;
  const ended = runCommand(["sh", "-c", script], process.env);
  const has = (name: string) => vi.waitFor(() => expect(existsSync(join(here, name))).toBe(true), 20_000);
  await has("ready");
  process.emit("SIGHUP", "SIGHUP");
  await has("passed");
  process.emit("SIGHUP", "SIGHUP");
  expect(await ended).toEqual({ code: 137 });
});
