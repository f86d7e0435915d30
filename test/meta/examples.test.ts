import { execFile, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { contract, packageRoot } from "../../src/contract/load.js";
import { startMock } from "../../src/index.js";
import { main } from "../cli/counterpart.js";
import { describeWith } from "./needs.js";

const run = promisify(execFile);
const folder = join(packageRoot, "fixtures/examples");

describe("the example", () => {
  test("for node:test runs", async () => {
    const file = join(folder, "other-runners/node.test.mjs");
    const { stdout } = await run(process.execPath, ["--test", "--test-reporter=tap", file]);
    expect(stdout).toMatch(/# pass 2\n# fail 0/);
  });

  test("of an agent lists tools and reads observations", async () => {
    const { stdout } = await run(process.execPath, [main, "exec", "--", process.execPath, join(folder, "agent/agent.mjs")]);
    expect(stdout).toMatch(/^\d+ tools\n(SERVICE-\d+ .+\n){3}$/);
    expect(Number.parseInt(stdout, 10)).toBe(Object.keys(contract.tools).length);
  });

  test.each(["ci/.github/workflows/conformance.yml", "ci/.gitlab-ci.yml"])("%s has a command that can run", async (file) => {
    const [command = ""] =
      readFileSync(join(folder, file), "utf8").match(/(?<=npx counterpart-kit )verify .*?(?= \|\||$)/m) ?? [];
    const here = mkdtempSync(join(tmpdir(), "workflow-"));
    const mock = await startMock();
    writeFileSync(join(here, "staging.yaml"), await (await fetch(`${mock.control_url}/target`)).text()); // JSON is YAML
    const args = command.replace(/\$\{\{ [^}]* \}\}|\$CI_NODE_INDEX|\$CI_PIPELINE_IID/g, "1").replace("$CI_NODE_TOTAL", "20");
    try {
      const { stdout } = await run(process.execPath, [main, ...args.split(" "), "--plan", "--runs", "0"], { cwd: here });
      expect(stdout).toContain("sent only the request for the target");
    } finally {
      await mock.close();
      rmSync(here, { recursive: true });
    }
  });
});

describe("the action for GitHub", () => {
  interface Action {
    inputs: Record<string, { default?: string }>;
    runs: { steps: { run: string; env: Record<string, string> }[] };
  }
  const text = readFileSync(join(folder, "ci/.github/actions/verify/action.yml"), "utf8");
  const { inputs, runs } = parse(text) as Action;

  test.each([
    ["adds the report to the summary", { options: "--only observation-get" }, 0],
    ["ends with the exit code of an input that verify refuses", { profile: "some" }, 2],
  ])("%s", async (_, given: Record<string, string>, code) => {
    const here = mkdtempSync(join(tmpdir(), "action-"));
    const mock = await startMock();
    try {
      writeFileSync(join(here, "target.yaml"), await (await fetch(`${mock.control_url}/target`)).text());
      writeFileSync(join(here, "npx"), `#!/bin/sh\nshift\nexec "${process.execPath}" "${main}" "$@"\n`, { mode: 0o755 });
      const [{ run: script, env }] = runs.steps as [Action["runs"]["steps"][0]];
      const values: Record<string, string> = { ...given, target: "target.yaml" };
      const fill = (value: string) =>
        value.replace(/\$\{\{ inputs\.(\w+) \}\}/, (__, name) => values[name] ?? inputs[name]?.default ?? "");
      const filled = Object.entries(env).map(([name, value]) => [name, fill(value)]);
      const files = { GITHUB_OUTPUT: join(here, "output"), GITHUB_STEP_SUMMARY: join(here, "summary") };
      const variables = { ...process.env, ...Object.fromEntries(filled), ...files, PATH: `${here}:${process.env.PATH}` };
      const ended = await run("bash", ["-e", "-c", script], { cwd: here, env: variables }).catch((error) => error);
      expect(ended.code ?? 0, ended.stderr).toBe(code);
      expect(readFileSync(files.GITHUB_OUTPUT, "utf8")).toBe(`exit-code=${code}\n`);
      expect(existsSync(files.GITHUB_STEP_SUMMARY)).toBe(code === 0);
    } finally {
      await mock.close();
      rmSync(here, { recursive: true });
    }
  });
});

const imports = (modules: string) => spawnSync("python3", ["-c", `import ${modules}`]).status === 0;
const pytest = ["python3", "-B", "-m", "pytest", "-q", "-p", "no:cacheprovider", join(folder, "client-python")];
describeWith({ name: "pytest (pip install pytest)", found: imports("pytest") }, "the example for pytest", () => {
  test("runs, and no test in it waits", async () => {
    const { stdout } = await run(process.execPath, [main, "exec", "--", ...pytest, "--durations=1", "--durations-min=0"]);
    expect(stdout).toMatch(/11 passed/);
    expect(Number(/([\d.]+)s call/.exec(stdout)?.[1] ?? 0)).toBeLessThan(1);
  });

  test("has a plugin that shows the last calls of a failed test", async () => {
    const here = mkdtempSync(join(tmpdir(), "pytest-"));
    const body = 'client = ServiceClient(counterpart.url.removesuffix("/__mock"), world.keys["full"])';
    const file = join(here, "test_failure.py");
    const imports = "from service_client import ServiceClient\n";
    writeFileSync(file, `${imports}def test_it(counterpart, world):\n    ${body}\n    client.send("GET", "/api/jobs/job_0")\n`);
    const words = [...pytest.slice(1, -1), "-p", "pytest_counterpart", file];
    const env = { ...process.env, PYTHONPATH: join(folder, "client-python") };
    try {
      const failure = await run(process.execPath, [main, "exec", "--", pytest[0]!, ...words], { env }).catch((error) => error);
      expect(failure.stdout).toContain("1 failed");
      expect(failure.stdout).toContain("1. GET /api/jobs/job_0 -> 404 There is no such job.");
    } finally {
      rmSync(here, { recursive: true });
    }
  });
});
describeWith({ name: "pytest-xdist (pip install pytest-xdist)", found: imports("xdist") }, "the example for pytest-xdist", () => {
  test("runs in parallel", async () => {
    const { stdout } = await run(process.execPath, [main, "exec", "--", ...pytest, "--numprocesses", "2"]);
    expect(stdout).toMatch(/11 passed/);
  });
});
