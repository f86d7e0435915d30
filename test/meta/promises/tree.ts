import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import type { Report } from "../../../src/engine/report/report.js";

const run = promisify(execFile);

/** The input of a build and the output of an earlier one, so that only changes are built. */
const parts = ["package.json", "tsconfig.json", "src", "test", "spec", "scenarios", "fixtures"];
const built = ["dist/.tsbuildinfo", "dist/src", "dist/test", "dist/spec"];

/** One change of one file: a text that stands there once and what takes its place, or a whole new file. */
export type Edit = { file: string; from: string; to: string } | { file: string; text: string };

/** Copies the project to a separate folder, with links to the packages. */
export function copyTree(root: string): string {
  const copy = mkdtempSync(join(tmpdir(), "promises-"));
  for (const part of [...parts, ...built].filter((one) => existsSync(join(root, one))))
    cpSync(join(root, part), join(copy, part), { recursive: true, filter: (file) => !file.endsWith("node_modules") });
  for (const packages of ["node_modules", "test/clients/node_modules"])
    if (existsSync(join(root, packages))) symlinkSync(join(root, packages), join(copy, packages));
  return copy;
}

/** Makes edits in a tree. Throws if one does not fit. */
export function edit(tree: string, edits: readonly Edit[]): void {
  for (const one of edits) writeFileSync(join(tree, one.file), editFile(tree, one));
}

/** Returns a file of a tree after an edit. Throws if a new file exists already, or if the old text is not in the file exactly once. */
export function editFile(tree: string, one: Edit): string {
  const path = join(tree, one.file);
  if ("text" in one) {
    if (existsSync(path)) throw new Error(`${one.file} exists already.`);
    return one.text;
  }
  const pieces = readFileSync(path, "utf8").split(one.from);
  if (pieces.length !== 2) throw new Error(`${one.file} has ${pieces.length - 1} times: ${one.from}`);
  return pieces.join(one.to);
}

/** Checks the types of a tree and compiles it. Rejects with the messages of the compiler. */
export async function build(tree: string): Promise<void> {
  const compiler = join(tree, "node_modules/typescript/bin/tsc");
  await run(process.execPath, [compiler, "-p", "tsconfig.json"], { cwd: tree }).catch((error: { stdout: string }) => {
    throw new Error(error.stdout);
  });
}

/** The stand-in server of a tree, running. */
export interface Server {
  url: string;
  stop: () => Promise<void>;
}

/** Starts the stand-in server that a tree holds. */
export async function serve(tree: string): Promise<Server> {
  const args = ["mock", "--port", "0", "--app-port", "0", "--docs-port", "0", "--json"];
  const child = spawn(process.execPath, [join(tree, "dist/src/cli/main.js"), ...args], { stdio: ["ignore", "pipe", "inherit"] });
  const ended = once(child, "exit");
  const [line] = (await once(createInterface(child.stdout), "line")) as [string];
  return {
    url: (JSON.parse(line) as { api_url: string }).api_url,
    stop: async () => {
      child.kill();
      await ended;
    },
  };
}

/** Examines a server with the suite of a tree, or with the part that `only` selects. */
export async function examine(tree: string, url: string, only: readonly string[]): Promise<Report> {
  const out = mkdtempSync(join(tmpdir(), "promises-report-"));
  const selection = only.flatMap((one) => ["--only", one]);
  const args = ["verify", url, "--seed", "1", "--runs", "10", "--out", out, ...selection];
  await run(process.execPath, [join(tree, "dist/src/cli/main.js"), ...args]).catch((error: { code: number; stderr: string }) => {
    if (error.code !== 1 && error.code !== 3) throw new Error(error.stderr);
  });
  const report = JSON.parse(readFileSync(join(out, "report.json"), "utf8")) as Report;
  rmSync(out, { recursive: true });
  return report;
}
