import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { packageRoot } from "../../src/contract/load.js";
import { checkTarget } from "../../src/engine/run/target/check-target.js";
import { type Mock, startMock } from "../../src/index.js";
import { suite } from "../../src/suite/suite.js";
import { describeWith } from "./needs.js";

const folder = join(packageRoot, "fixtures/examples/vendor");
const TOKEN = "ops-token-of-the-test";
const here = mkdtempSync(join(tmpdir(), "hook-examples-"));
let mock: Mock;
beforeAll(async () => {
  mock = await startMock({ port: 0, appPort: 0, docsPort: 0 });
});
afterAll(async () => {
  await mock.close();
  rmSync(here, { recursive: true });
});

/** Checks a server with the hooks of an example, by the target file beside it. */
async function hookStates(controlUrl: string): Promise<Record<string, string>> {
  const file = join(here, "target.yaml");
  const text = readFileSync(join(folder, "target.yaml"), "utf8")
    .replace("http://127.0.0.1:4010", mock.api_url)
    .replace("http://127.0.0.1:4011", mock.app_url)
    .replace("http://127.0.0.1:4012", mock.docs_url)
    .replace("http://127.0.0.1:4020/control", controlUrl);
  expect(text).not.toMatch(/127\.0\.0\.1:40[12]/);
  expect(text.split("\n").length).toBeLessThan(100);
  writeFileSync(file, text);
  const found = await checkTarget(suite, { target: file, profile: "full", env: { OPS_TOKEN: TOKEN } });
  if (!("entries" in found)) throw new Error(found.messages.join("\n"));
  const entries = found.entries.filter(({ entry }) => /^(worlds|clock|drive)/.test(entry));
  return Object.fromEntries(entries.map(({ entry, state }) => [entry, state]));
}

const ALL_WORK = Object.fromEntries(
  ["worlds.create", "worlds.remove", "clock", "drive.finish-job", "drive.find", "drive.suspend", "drive.reactivate"].map(
    (entry) => [entry, "works"],
  ),
);

/** Starts a server of the example, which prints the address of its hooks, and checks the hooks. */
async function checkServer(command: readonly string[]): Promise<void> {
  const env = { ...process.env, COUNTERPART_CONTROL_URL: mock.control_url, OPS_TOKEN: TOKEN, PORT: "0" };
  const child = spawn(command[0]!, command.slice(1), { cwd: folder, stdio: ["ignore", "pipe", "inherit"], env });
  try {
    const address = await new Promise<string>((resolve, reject) => {
      child.stdout.once("data", (chunk: Buffer) => resolve(chunk.toString().trim()));
      child.once("exit", (code) => reject(new Error(`the server ended with ${code}`)));
    });
    expect(await hookStates(address)).toEqual(ALL_WORK);
  } finally {
    child.kill();
  }
}

test("the server with Express offers what its target file says", () => checkServer([process.execPath, "express-server.mjs"]));

const hasFastApi = spawnSync("python3", ["-c", "import fastapi, uvicorn"]).status === 0;
describeWith({ name: "FastAPI (pip install fastapi uvicorn)", found: hasFastApi }, "the server with FastAPI", () => {
  test("offers what its target file says", () => checkServer(["python3", "-B", "fastapi_server.py"]));
});
