import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { packageRoot } from "../../src/contract/load.js";
import { type Mock, startMock } from "../../src/index.js";
import { exhaustive } from "../meta/sample.js";

const here = fileURLToPath(new URL(".", import.meta.url));
const run = promisify(execFile);
const { resolve } = createRequire(join(here, "package.json"));

/** Stands above every line of wrong.ts that must not compile. */
const mark = "// @ts-expect-error";

const compilerOptions = {
  strict: true,
  exactOptionalPropertyTypes: true,
  target: "es2022",
  module: "nodenext",
  lib: ["es2022", "dom", "dom.iterable"],
  types: [],
  outDir: "out",
};

let mock: Mock;
let folder: string;
let complaints: string;

beforeAll(async () => {
  mock = await startMock({ clock: "frozen" });
  folder = await generate(mock.docs_url);
  complaints = await compile(folder);
}, 60_000);
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await mock.close();
});

describe("a client generated from the document of the docs host", () => {
  it("compiles", () => {
    expect(complaints).toBe("");
  });

  // wrong.ts would not compile above, were a line right that is marked as wrong; this tells which
  it.runIf(exhaustive)("does not compile with a wrong call; each mistake is tried alone", { timeout: 60_000 }, async () => {
    const lines = readFileSync(join(folder, "wrong.ts"), "utf8").split("\n");
    const wrong = lines.flatMap((line, i) => (line.startsWith(mark) ? [i + 2] : []));
    writeFileSync(join(folder, "wrong.ts"), lines.map((line) => line.replace(mark, "//")).join("\n"));
    const refused = [...(await compile(folder)).matchAll(/^wrong\.ts\((\d+),/gm)].map(([, line]) => Number(line));
    expect(wrong.length).toBeGreaterThan(10);
    expect(refused).toEqual(wrong);
  });

  it("lists, submits, reads and dismisses on the mock, and distinguishes refusals by their code", {
    timeout: 60_000,
  }, async () => {
    const { stdout } = await run(process.execPath, [join(folder, "out", "flow.js"), mock.api_url, mock.keys.full!]);
    const { findings, submission, dismissal, refusal } = JSON.parse(stdout);
    expect(new Set(findings).size).toBe(4);
    expect(submission).toMatchObject({ status: 201, job: { workflow: "audit", status: "pending" }, listed: true });
    expect(submission.alone).toEqual(submission.job);
    expect(dismissal).toMatchObject({ status: 200, after: { ref: findings[0], status: "closed", close_reason: "dismissed" } });
    expect(refusal).toMatchObject({ type: "not_found", code: "not_found" });
  });
});

/** Generates the client's types from a published document into a new folder, beside the programs that use them. */
async function generate(docsUrl: string): Promise<string> {
  const made = mkdtempSync(join(tmpdir(), "counterpart-client-"));
  cpSync(join(here, "program"), made, { recursive: true });
  writeFileSync(join(made, "package.json"), '{ "type": "module" }');
  writeFileSync(join(made, "tsconfig.json"), JSON.stringify({ compilerOptions }));
  mkdirSync(join(made, "node_modules"));
  symlinkSync(getPackage("openapi-fetch"), join(made, "node_modules", "openapi-fetch"), "dir");
  const generator = join(getPackage("openapi-typescript"), "bin", "cli.js");
  await run(process.execPath, [generator, `${docsUrl}/openapi.json`, "--output", join(made, "service.d.ts")], { cwd: made });
  return made;
}

/** Returns the messages of the compiler; empty without any. */
async function compile(project: string): Promise<string> {
  const compiler = join(packageRoot, "node_modules/typescript/bin/tsc");
  const failed = await run(process.execPath, [compiler, "--project", project], { cwd: project }).catch((error) => error);
  return failed.stdout;
}

/** The folder of a package as the client's workspace sees it. */
function getPackage(name: string): string {
  const main = resolve(name);
  return main.slice(0, main.lastIndexOf(join("node_modules", name)) + join("node_modules", name).length);
}
