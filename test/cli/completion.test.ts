import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { createCommandLine } from "../../src/cli/program.js";
import { listCommandEntries } from "../../src/cli/reference/commands.js";
import { describeWith } from "../meta/needs.js";
import { counterpart } from "./counterpart.js";

const { out: bash } = await counterpart("completion", "bash");
const directory = mkdtempSync(join(tmpdir(), "completion-"));
afterAll(() => rmSync(directory, { recursive: true }));

/** Returns the path of a file with the script of a shell. */
async function writeScript(shell: "zsh" | "fish"): Promise<string> {
  const file = join(directory, shell);
  writeFileSync(file, (await counterpart("completion", shell)).out);
  return file;
}

/** Runs a shell without its start-up files. A shell that waits for ever is stopped. */
const runShell = (shell: "zsh" | "fish", ...args: string[]) =>
  spawnSync(shell, args, { encoding: "utf8", timeout: 20_000, env: { ...process.env, HOME: directory, ZDOTDIR: directory } });
const hasShell = (name: "zsh" | "fish") => ({ name, found: runShell(name, "--version").status === 0 });

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

/** Types a line and a tab into an interactive zsh, and prints when the wanted word shows. */
const TYPE_INTO_ZSH = `zmodload zsh/zpty
zpty z zsh -f -i
zpty -w z "PS1=REA''DY; source $1"
zpty -r -m z REPLY '*READY*' && zpty -w -n z "$2"$'\\t' && zpty -r -m z REPLY "*$3*" && print -r -- "$REPLY"
zpty -d z
`;

describeWith(hasShell("zsh"), "zsh runs its script", () => {
  test.each([
    ["counterpart ver", "counterpart verify"],
    ["counterpart target in", "counterpart target init"],
    ["counterpart verify --profile rea", "counterpart verify --profile read-only"],
  ])("%s and a tab give %s", { timeout: 30_000 }, async (typed, completed) => {
    const types = join(directory, "type.zsh");
    writeFileSync(types, TYPE_INTO_ZSH);
    const { stdout, stderr } = runShell("zsh", "-f", types, await writeScript("zsh"), typed, completed);
    expect(stdout + stderr).toContain(completed);
  });
});

describeWith(hasShell("fish"), "fish runs its script", () => {
  test.each([
    ["counterpart ver", ["verify"]],
    ["counterpart verify --profile ", ["full", "read-only", "safe"]],
    ["counterpart completion b", ["bash"]],
  ])("%s offers %s", { timeout: 30_000 }, async (typed, offered) => {
    const script = await writeScript("fish");
    const { stdout, stderr } = runShell("fish", "-N", "-c", `source ${script}; complete -C "${typed}"`);
    expect(stderr).toBe("");
    expect(stdout.split("\n").flatMap((line) => (line.includes("\t") ? [line.split("\t")[0]] : []))).toEqual(offered);
  });
});

test("an unknown shell is refused", async () => {
  const { code, err } = await counterpart("completion", "tcsh");
  expect(code).toBe(2);
  expect(err).toContain("Allowed choices are bash, zsh, fish.");
});
