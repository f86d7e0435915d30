import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { packageRoot } from "../src/contract/load.js";
import { type Mock, startMock } from "../src/mock/server.js";
import { counterpart } from "./cli/counterpart.js";

const run = promisify(execFile);
const readme = readFileSync(join(packageRoot, "README.md"), "utf8");
const workflow = readFileSync(join(packageRoot, ".github/workflows/conformance.yml"), "utf8");
// inside the package, so that its own name resolves as it does for those who install it
const here = mkdtempSync(join(packageRoot, "dist", "readme-"));

let mock: Mock;
beforeAll(async () => {
  mock = await startMock({ clock: "frozen" });
});
afterAll(async () => {
  await mock.close();
  rmSync(here, { recursive: true });
});

test("opens with the two commands that do everything", () => {
  const [first] = blocks("sh");
  expect(first!.split("\n").map((line) => line.replace(/ *#.*/, ""))).toEqual(["npm ci && npm run demo", "npm ci && npm test"]);
});

test("its example of a test starts a mock, moves the clock and sees the job completed", async () => {
  const file = join(here, "example.mjs");
  writeFileSync(file, blocks("js")[0]!);
  expect((await run(process.execPath, [file])).stdout).toBe("completed\n");
});

test("its curl lines submit a job and finish it", async () => {
  const [submit, advance] = blocks("sh").filter((block) => block.includes("curl"));
  const submitted = JSON.parse(await shell(submit!));
  expect(submitted).toMatchObject({ workflow: "audit", status: "pending" });
  const { events } = JSON.parse(await shell(advance!));
  expect(events).toContainEqual(expect.objectContaining({ id: submitted.id, to: "completed" }));
});

const recipes = readme.slice(readme.indexOf("### Recipes"), readme.indexOf("### In a script or a test"));
const written = [...recipes.matchAll(/^```sh\n([\s\S]*?)\n```$/gm)].map(([, text]) => text!);

test.each(written)("its recipe runs as written, and each line says what its comment does\n%s", async (block) => {
  const lines = block.split("\n");
  // the answer of each line apart, so that a comment is held against its own
  const text = lines.map((line) => `${line}\necho " ~~~"`).join("\n");
  const answers = (await shell(`cd '${here}'\n${text}`)).split(" ~~~\n");
  for (const [i, line] of lines.entries()) {
    const answer = answers[i]!;
    expect(answer, line).not.toContain("problem+json");
    expect(answer, line).not.toMatch(/"title":"Bad Request"/);
    const says = / {6}# (.*)$/.exec(line)?.[1]?.split(/, |: /) ?? [];
    for (const word of says) expect(answer.toLowerCase(), line).toContain(word.toLowerCase());
  }
});

test("its scenario passes", async () => {
  const file = join(here, "scenario.yaml");
  writeFileSync(file, blocks("yaml")[0]!);
  expect((await counterpart("replay", file)).out).toContain("passed: mock");
});

test("names only commands and flags that exist, and so does the example of a workflow", async () => {
  const scripts = readme.indexOf("## What each command proves"); // scripts of the repository have flags of their own
  const text = (readme.slice(0, scripts) + workflow).replace(/(?:`|^|RUN )(?:npm|pnpm|yarn|docker) [^`\n]*/gm, "");
  const named = [...text.matchAll(/npx counterpart-kit ([a-z]+)/g)].map(([, name]) => name!);
  const { out: help } = await counterpart("--help");
  for (const name of named) expect(help).toMatch(new RegExp(`^  ${name}\\b`, "m"));
  const helps = await Promise.all([...new Set(named)].map((name) => counterpart(name, "--help")));
  const all = helps.map(({ out }) => out).join("\n");
  for (const [flag] of text.matchAll(/--[a-z][a-z-]+/g)) expect(all).toContain(flag);
});

test("its conftest is that of the recipe, which is run", () => {
  expect(`${blocks("python")[0]}\n`).toBe(readFileSync(join(packageRoot, "test/recipes/conftest.py"), "utf8"));
});

test("its example for vitest passes", async () => {
  writeFileSync(join(here, "example.test.ts"), blocks("ts")[0]!);
  writeFileSync(join(here, "none.mjs"), 'export default { test: { include: ["*.test.ts"], exclude: [] } };\n');
  const vitest = join(packageRoot, "node_modules/vitest/vitest.mjs");
  const args = [vitest, "run", "--root", here, "--config", join(here, "none.mjs"), "--reporter=json"];
  const { stdout } = await run(process.execPath, args, { cwd: here });
  expect(JSON.parse(stdout.slice(stdout.indexOf("{")))).toMatchObject({ numPassedTests: 1, numFailedTests: 0 });
});

/** The README's code blocks of one language, in order. */
function blocks(language: string): string[] {
  return [...readme.matchAll(new RegExp(`^\`\`\`${language}\n([^]*?)\n\`\`\`$`, "gm"))].map(([, text]) => text!);
}

/** What a block of shell lines prints, with the mock of this test in the place of the one at the default port. */
async function shell(block: string): Promise<string> {
  return (await run("sh", ["-c", block.replaceAll("http://127.0.0.1:4010", mock.api_url)])).stdout;
}
