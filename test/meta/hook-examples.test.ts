import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { packageRoot } from "../../src/contract/load.js";
import { checkTarget } from "../../src/engine/run/target/check-target.js";
import { type Mock, startMock } from "../../src/index.js";
import { suite } from "../../src/suite/suite.js";
import { describeWith } from "./needs.js";

/** The package has no types. */
const express = createRequire(import.meta.url)("express") as () => RequestListener & {
  use(path: string, routes: RequestListener): void;
};
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
  const text = readFileSync(join(packageRoot, "fixtures/examples/hooks/target.yaml"), "utf8")
    .replace("https://staging.example.com", mock.api_url)
    .replace("https://app.staging.example.com", mock.app_url)
    .replace("https://docs.staging.example.com", mock.docs_url)
    .replace("https://ops.staging.example.com/control", controlUrl);
  expect(text).not.toContain("staging.example.com");
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

describe("the hooks for Express", () => {
  test("do what they promise on a server that has the functions", async () => {
    const { hooks } = (await import(join(packageRoot, "fixtures/examples/hooks/express.mjs"))) as {
      hooks(service: object, token: string): RequestListener;
    };
    const app = express();
    app.use("/control", hooks(serviceOf(mock), TOKEN));
    const server = createServer(app);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const states = await hookStates(`http://127.0.0.1:${port}/control`).finally(() => server.close());
    expect(states).toEqual(ALL_WORK);
  });
});

const hasFastApi = spawnSync("python3", ["-c", "import fastapi, uvicorn"]).status === 0;
describeWith({ name: "FastAPI (pip install fastapi uvicorn)", found: hasFastApi }, "the hooks for FastAPI", () => {
  test("do what they promise on a server that has the functions", async () => {
    const program = join(packageRoot, "test/meta/fastapi-server.py");
    const child = spawn("python3", ["-B", program, mock.control_url, TOKEN], { stdio: ["ignore", "pipe", "inherit"] });
    try {
      const address = await new Promise<string>((resolve, reject) => {
        child.stdout.once("data", (chunk: Buffer) => resolve(chunk.toString().trim()));
        child.once("exit", (code) => reject(new Error(`the server ended with ${code}`)));
      });
      expect(await hookStates(address)).toEqual(ALL_WORK);
    } finally {
      child.kill();
    }
  });
});

interface ServiceResponse {
  now?: string;
  id?: string;
  keys?: Record<string, string>;
  repos?: string[];
}

/** The functions of the service, for which the mock stands in. */
function serviceOf({ control_url: base }: Mock) {
  const call = async (method: string, path: string, values: object = {}) => {
    const body = method === "POST" ? { body: JSON.stringify(values), headers: { "content-type": "application/json" } } : {};
    const answer = await fetch(base + path, { method, ...body });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return answer.status === 204 ? ({} as ServiceResponse) : ((await answer.json()) as ServiceResponse);
  };
  const event = (name: string) => (world: string, values: object) => call("POST", `/worlds/${world}/drive/${name}`, values);
  const names = ["finish-job", "suspend", "reactivate"];
  return {
    createWorld: async () => {
      const { id, keys, repos } = await call("POST", "/worlds", { clock: "frozen" });
      return { id, keys: { full: keys?.full }, repos }; // target check would try each key and session
    },
    removeWorld: (world: string) => call("DELETE", `/worlds/${world}`),
    now: async (world: string) => (await call("GET", `/worlds/${world}/clock`)).now,
    advance: (world: string, change: object) => call("POST", `/worlds/${world}/clock/advance`, change),
    events: {
      ...Object.fromEntries(names.map((name) => [name, event(name)])),
      find: async (world: string, values: object) => {
        const { result } = (await event("find")(world, values)) as { result?: object };
        return result;
      },
    },
  };
}
