import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { packageRoot } from "../../src/contract/load.js";

const { bin, engines } = JSON.parse(readFileSync(join(packageRoot, "package.json"), "utf8")) as {
  bin: Record<string, string>;
  engines: { node: string };
};
const entry = join(packageRoot, bin.counterpart!);

/** Runs the command in a process that says it is another version of Node. */
function runAs(version: string): Promise<{ code: number; out: string; err: string }> {
  const script = [
    `Object.defineProperty(process.versions, "node", { value: ${JSON.stringify(version)} });`,
    `process.argv.push(${JSON.stringify(entry)}, "--version");`,
    `import(${JSON.stringify(pathToFileURL(entry).href)});`,
  ].join("\n");
  return new Promise((resolve) => {
    execFile(process.execPath, ["-e", script, "--"], (error, out, err) => resolve({ code: Number(error?.code ?? 0), out, err }));
  });
}

test.each(["12.22.12", "18.20.8", "20.18.3"])("Node %s prints one sentence and exits with 2", async (version) => {
  const oldest = engines.node.replace(">=", "");
  expect(await runAs(version)).toEqual({
    code: 2,
    out: "",
    err: `counterpart: This is Node ${version}. Use Node ${oldest} or later.\n`,
  });
});

test.each(["20.19.0", "24.1.0"])("Node %s is not refused", async (version) => {
  expect((await runAs(version)).err).not.toContain("This is Node");
});

test("the first file of the command has only syntax that old versions can parse", () => {
  const text = readFileSync(entry, "utf8");
  expect(text).not.toMatch(/\bimport\s*[{*"'`\w]|\bfrom\s*["'`]|\bawait\b|\?\.|\?\?|\|\|=/);
});
