import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";

import { contract, packageRoot } from "../../src/contract/load.js";
import type { ErrorCode } from "../../src/contract/types.js";
import { parseWaivers } from "../../src/engine/verdict/waivers.js";
import { type Mock, startMock } from "../../src/mock/server.js";
import { suite } from "../../src/suite/suite.js";
import { counterpart } from "../cli/counterpart.js";
import { link, manifest, openProject, type Project, pack, unpack } from "../package/project.js";
import { contributorPages, getBlocks, userPages } from "./guide.js";

import { exhaustive, sampled } from "./sample.js";

const run = promisify(execFile);
const pages = [...userPages, ...contributorPages];
const blocks = (language: string) => getBlocks(pages, language);
const workflow = readFileSync(join(packageRoot, "fixtures/examples/ci/.github/workflows/conformance.yml"), "utf8");

// a project of a newcomer: the packed package is installed, and `curl` is a program that keeps the status of each response
let project: Project;
let programs: string;
let statuses: string;
beforeAll(async () => {
  project = openProject();
  await unpack(project, await pack());
  link(project.folder, "vitest");
  programs = join(project.folder, "programs");
  statuses = join(project.folder, "statuses");
  mkdirSync(programs);
  mkdirSync(join(project.folder, "node_modules/.bin"));
  chmodSync(command(), 0o755); // as npm does
  symlinkSync(command(), join(project.folder, "node_modules/.bin/counterpart-kit"));
  const { stdout } = await run("sh", ["-c", "command -v curl"]);
  const format = "%{stderr}%{http_code}\\n";
  writeFileSync(join(programs, "curl"), `#!/bin/sh\nexec ${stdout.trim()} --write-out '${format}' "$@" 2>>'${statuses}'\n`);
  chmodSync(join(programs, "curl"), 0o755);
});
let server: ChildProcess | undefined;
afterEach(async () => {
  const isRunning = server?.exitCode === null && server.signalCode === null;
  const ended = isRunning && once(server!, "exit"); // until then it may write into the folder that is removed
  server?.kill();
  await ended;
  server = undefined;
});
afterAll(() => project.remove());

test("the README opens with the two commands that do everything", () => {
  const [first] = blocks("sh");
  expect(first!.split("\n").map((line) => line.replace(/ *#.*/, ""))).toEqual(["npm ci && npm run demo", "npm ci && npm test"]);
});

test("the first example starts a mock, moves the clock and sees the job completed", async () => {
  const file = join(project.folder, "example.mjs");
  writeFileSync(file, blocks("js").find((block) => block.includes("startMock"))!);
  expect(await project.run(process.execPath, [file])).toEqual({ code: 0, text: "completed\n" });
});

/** Why a block of shell lines is not run here, by a text that is in it. */
const notRun = {
  "npm ci": "the two commands run the whole project",
  "docker ": "needs Docker and a registry",
  "npm start": "each mock of this test is started with its second form",
  "staging.": "needs a staging server",
} as const;
/** Blocks that examine the mock: they take a while. */
const examines = blocks("sh").filter((block) => block.includes("kit verify") && skipReason(block) === undefined);
const recipes = blocks("sh").filter((block) => !examines.includes(block) && skipReason(block) === undefined);

test("this test runs each shell block, or there is a reason not to", () => {
  const known = [...examines, ...recipes];
  for (const block of blocks("sh")) expect(known.includes(block) !== (skipReason(block) !== undefined), block).toBe(true);
  expect(recipes.length).toBeGreaterThan(8);
});

describe("a newcomer's project, with a fresh mock", () => {
  // Each run draws 6 of them: about 10 commits run all.
  test.each(sampled(recipes, 6))("runs the recipe, and each line does what its comment says\n%s", async (block) => {
    const mock = await startMock();
    const problems = await getProblems(block, mock.api_url).finally(() => mock.close());
    for (const problem of problems) expect.soft(problem).toBeUndefined();
  });

  test.runIf(exhaustive).each(examines)(
    "verifies the mock\n%s",
    async (block) => {
      await runBlock(block, await startServer());
    },
    900_000,
  );
});

describe("the check of the shell blocks, with one mock", () => {
  let mock: Mock;
  beforeAll(async () => {
    mock = await startMock();
  });
  afterAll(() => mock.close());

  test.each([
    ["a status that its comment does not name", "curl -s $M/__mock/nothing", "404"],
    ["a status before a pipe", "curl -s $M/__mock/nothing | cat", "404"],
    ["a status in a variable", "X=$(curl -s $M/__mock/nothing)", "404"],
    ["another status than its comment names", "curl -s $M/__mock/health      # 409", "200"],
    ["another status than the error code of its comment has", "curl -s $M/api/jobs      # spend_paused", "401"],
    ["an answer without the words of its comment", "curl -s $M/__mock/health      # banana", "banana"],
    [
      "a refused event",
      `curl -s -H 'Content-Type: application/json' -d '{"ref":"SERVICE-1"}' $M/__mock/worlds/default/drive/merge-fix-pr`,
      "409",
    ],
  ])("finds %s", async (_, line, seen) => {
    expect((await getProblems(`M=http://127.0.0.1:4010\n${line}`, mock.api_url)).join("\n")).toContain(seen);
  });

  test("finds a command that fails, also before a pipe", async () => {
    await expect(getProblems("false | cat\ntrue", mock.api_url)).rejects.toThrow();
  });
});

test("the scenario of the guide passes", async () => {
  const file = join(project.folder, "scenario.yaml");
  writeFileSync(file, blocks("yaml").find((block) => block.startsWith("scenario: "))!);
  expect((await project.run(process.execPath, [command(), "replay", file])).text).toContain("passed: mock");
});

test("the waivers of the guide load", () => {
  const text = blocks("yaml").find((block) => block.startsWith("# waivers.yaml"))!;
  expect(parseWaivers("waivers.yaml", text, suite.clauses)).toMatchObject({ ok: true, waivers: [{ target: "staging" }] });
});

test("names only commands and flags that exist, and so does the example of a workflow", async () => {
  const text = [...userPages.map((page) => page.text), workflow]
    .join("\n")
    .replace(/(?:`|^|RUN )(?:npm|pnpm|yarn|docker|pipx|npx openapi-typescript) [^`\n]*/gm, "");
  const named = [...text.matchAll(/npx counterpart-kit ([a-z]+)/g)].map(([, name]) => name!);
  const { out: help } = await counterpart("--help");
  for (const name of named) expect(help).toMatch(new RegExp(`^  ${name}\\b`, "m"));
  const helps = await Promise.all([...new Set(named)].map((name) => counterpart(name, "--help")));
  const all = [help, ...helps.map(({ out }) => out)].join("\n");
  for (const [flag] of text.matchAll(/--[a-z][a-z-]+/g)) expect(all).toContain(flag);
});

test("the tests in Python of the guide equal those of the example, which a test runs", () => {
  expect(`${blocks("python")[0]}\n`).toBe(
    readFileSync(join(packageRoot, "fixtures/examples/client-python/test_world.py"), "utf8"),
  );
});

test("the example for vitest passes", async () => {
  writeFileSync(join(project.folder, "example.test.ts"), blocks("ts")[0]!);
  writeFileSync(join(project.folder, "none.mjs"), 'export default { test: { include: ["example.test.ts"], exclude: [] } };\n');
  const { text } = await project.run(process.execPath, [
    "node_modules/vitest/vitest.mjs",
    "run",
    "--config",
    "none.mjs",
    "--reporter=json",
  ]);
  expect(JSON.parse(text.slice(text.indexOf('{"num')))).toMatchObject({ numPassedTests: 1, numFailedTests: 0 });
});

function skipReason(block: string): string | undefined {
  return Object.entries(notRun).find(([text]) => block.includes(text))?.[1];
}

/** The program of the installed package. */
function command(): string {
  return join(project.folder, "node_modules/counterpart-kit", manifest.bin["counterpart-kit"]!);
}

/** Starts the command's mock and returns the address of its API. */
async function startServer(): Promise<string> {
  const args = [command(), "mock", "--port", "0", "--app-port", "0", "--docs-port", "0", "--json", "--quiet"];
  server = spawn(process.execPath, args, { cwd: project.folder, stdio: ["ignore", "pipe", "inherit"] });
  const { value } = await createInterface(server.stdout!)[Symbol.asyncIterator]().next();
  return (JSON.parse(value as string) as { api_url: string }).api_url;
}

/** Runs a block with the mock at `url` instead of the one at the default port, and returns its output. Rejects if a command fails. */
async function runBlock(block: string, url: string): Promise<string> {
  writeFileSync(statuses, "");
  const text = block.replaceAll("http://127.0.0.1:4010", url);
  const env = { ...process.env, CI: "", PATH: [programs, process.env.PATH].join(delimiter) };
  return (await run("bash", ["-e", "-o", "pipefail", "-c", text], { cwd: project.folder, env })).stdout;
}

/** Returns a sentence for each line whose status or response differs from its comment. */
async function getProblems(block: string, url: string): Promise<string[]> {
  const lines = block.split("\n").reduce<string[]>((all, line) => {
    if (all.at(-1)?.endsWith("\\")) all.push(`${all.pop()}\n${line}`);
    else all.push(line);
    return all;
  }, []);
  const printed = await runBlock(lines.map((line) => `${line}\necho " ~~~"; echo "~~~" >>'${statuses}'`).join("\n"), url);
  const responses = printed.split(" ~~~\n");
  const got = readFileSync(statuses, "utf8").split("~~~\n");
  return lines.flatMap((line, i) => {
    const words = / {6}# (.*)$/.exec(line)?.[1]?.split(/, |: /) ?? [];
    const requiredWords = words.filter((word) => !/^\d{3}$/.test(word));
    const seen = got[i]!.split("\n").filter((status) => status !== "");
    const expected = words.flatMap((word) => (/^\d{3}$/.test(word) ? [[word]] : codeStatuses(word)));
    const wrong = seen.filter(
      (status, nth) => !(expected[nth]?.includes(status) ?? (expected.length === 0 && /^2\d\d$/.test(status))),
    );
    const missing = requiredWords.filter((word) => !responses[i]!.toLowerCase().includes(word.toLowerCase()));
    return [
      ...(wrong.length > 0 || seen.length < expected.length
        ? [`${line}: answered ${seen.join(", ") || "nothing"}: ${responses[i]}`]
        : []),
      ...missing.map((word) => `${line}: "${word}" is not in ${responses[i]}`),
    ];
  });
}

/** The statuses that an error code can have, as one list in a list; nothing for another word. */
function codeStatuses(word: string): string[][] {
  const status = contract.errors[word as ErrorCode]?.status;
  return status === undefined ? [] : [[status].flat().map(String)];
}
