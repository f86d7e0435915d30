import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { createCommandLine } from "../../src/cli/program.js";
import { listCommandEntries } from "../../src/cli/reference/commands.js";
import { counterpart } from "./counterpart.js";

const { out: bash } = await counterpart("completion", "bash");

/** The words that bash offers for the last of these words. */
function complete(...words: string[]): string[] {
  const script = `${bash}\nCOMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _counterpart; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout, stderr } = spawnSync("bash", ["-c", script, "bash", ...words], { encoding: "utf8" });
  expect(stderr).toBe("");
  return stdout.split("\n").filter((line) => line !== "");
}

test("bash completes commands, nested commands, flags and values of flags", () => {
  expect(complete("counterpart", "ver")).toEqual(["verify"]);
  expect(complete("counterpart", "target", "")).toEqual(expect.arrayContaining(["init", "check"]));
  expect(complete("counterpart", "target", "init", "--")).not.toContain("init");
  expect(complete("counterpart", "verify", "http://127.0.0.1:4010", "--wat")).toEqual(["--watch"]);
  expect(complete("counterpart", "verify", "--profile", "")).toEqual(["read-only", "safe", "full"]);
  expect(complete("counterpart", "completion", "f")).toEqual(["fish"]);
});

test("every command and flag is in each script", async () => {
  const fish = (await counterpart("completion", "fish")).out;
  const zsh = (await counterpart("completion", "zsh")).out;
  expect(zsh.endsWith(bash)).toBe(true);
  for (const { words, options } of listCommandEntries(createCommandLine())) {
    for (const { long } of options) {
      expect(complete("counterpart", ...words, long!)).toContain(long);
      expect(fish).toContain(` -l ${long!.slice(2)} `);
    }
    if (words.length > 0) expect(fish).toContain(` -a ${words.at(-1)} `);
  }
});

test("an unknown shell is refused", async () => {
  const { code, err } = await counterpart("completion", "tcsh");
  expect(code).toBe(2);
  expect(err).toContain("Allowed choices are bash, zsh, fish.");
});
