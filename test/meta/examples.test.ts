import { execFile, spawnSync } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { packageRoot } from "../../src/contract/load.js";
import { main } from "../cli/counterpart.js";
import { describeWith } from "./needs.js";

const run = promisify(execFile);
const folder = join(packageRoot, "fixtures/examples");

describe("the example", () => {
  test("for node:test runs", async () => {
    const { stdout } = await run(process.execPath, ["--test", "--test-reporter=tap", join(folder, "node.test.mjs")]);
    expect(stdout).toMatch(/# pass 2\n# fail 0/);
  });
});

const hasPytest = spawnSync("python3", ["-c", "import pytest"]).status === 0;
describeWith({ name: "pytest (pip install pytest)", found: hasPytest }, "the example for pytest", () => {
  test("runs, and no test in it waits", async () => {
    const pytest = [
      "python3",
      "-B",
      "-m",
      "pytest",
      "-q",
      "-p",
      "no:cacheprovider",
      "--durations=1",
      "--durations-min=0",
      folder,
    ];
    const { stdout } = await run(process.execPath, [main, "exec", "--", ...pytest]);
    expect(stdout).toMatch(/8 passed/);
    expect(Number(/([\d.]+)s call/.exec(stdout)?.[1] ?? 0)).toBeLessThan(1);
  });
});
