import { execFileSync, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import { counterpart, main } from "./counterpart.js";

/** Runs a shell command in which `counterpart` is the program. Returns its output and its errors. */
function inShell(command: string): { out: string; errors: string } {
  const program = `counterpart() { "${process.execPath}" "${main}" "$@"; }`;
  const { stdout, stderr } = spawnSync("bash", ["-c", `${program}; ${command}`], { encoding: "utf8" });
  return { out: stdout, errors: stderr };
}
const hasBash = process.platform !== "win32" && execFileSync("sh", ["-c", "command -v bash || true"]).length > 0;

test.runIf(hasBash)("a reader that closes the pipe early is not an error", () => {
  expect(inShell("set -o pipefail; counterpart openapi | head -c 1 >/dev/null; echo $?")).toEqual({ out: "0\n", errors: "" });
});

test.runIf(hasBash && existsSync("/dev/full"))("an output that is full ends the command with 4 and one line", () => {
  const errors = "counterpart: Standard output cannot be written (ENOSPC).\n";
  expect(inShell("counterpart openapi >/dev/full; echo $?")).toEqual({ out: "4\n", errors });
});

test.each([
  ["an option", ["mock", "--port", "x\n::error::y"]],
  ["an unknown command", ["x\n::error::y"]],
  ["an unknown option", ["mock", "--x\n::error::y"]],
])("a line feed in the value of %s begins no line", async (_, args) => {
  const { code, err } = await counterpart(...args);
  expect([code, err]).toEqual([2, expect.stringContaining("x\\n::error::y")]);
  expect(err).not.toMatch(/^::/m);
});

test("without a command, the program prints the first steps, and each command in them exists", async () => {
  const { code, out } = await counterpart();
  expect(code).toBe(0);
  const commands = [...out.matchAll(/counterpart ([a-z]+)/g)].map(([, name]) => name!);
  expect(commands.slice(0, 3)).toEqual(["demo", "mock", "verify"]);
  for (const name of new Set(commands)) expect((await counterpart(name, "--help")).code).toBe(0);
  for (const [, topic] of out.matchAll(/guide ([\w-]+)"/g)) expect((await counterpart("guide", topic!)).code).toBe(0);
});

test("a suggestion of the parser is on its own line", async () => {
  expect((await counterpart("verfy")).err).toMatch(/^error: unknown command 'verfy'\n\(Did you mean verify\?\)$/m);
});
