import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { packageRoot } from "../../../src/contract/load.js";
import { startMock } from "../../../src/mock/server.js";
import { exhaustive } from "../../meta/sample.js";

/** As many as one mock has worlds for. */
const tests = exhaustive ? 1000 : 300;

it(`${tests} tests in parallel on one mock are isolated`, async () => {
  const program = join(packageRoot, "dist/test/mock/worlds/side-by-side-program.js");
  const { stdout } = await promisify(execFile)(process.execPath, [program, String(tests)]);
  const { met, worlds } = JSON.parse(stdout) as { met: string[]; worlds: string[] };
  expect(met).toEqual([]);
  expect(worlds).toEqual(["default"]);
});

describe("at the end of its block", () => {
  it("the mock closes", async () => {
    let url: string;
    {
      await using mock = await startMock();
      url = mock.api_url;
      expect((await fetch(url)).status).toBe(401);
    }
    await expect(fetch(url)).rejects.toThrow("fetch failed");
  });

  it("the world is deleted, with each syntax of a block", async () => {
    await using mock = await startMock({ listen: false });
    {
      using isolatedWorld = await mock.world();
      await using otherIsolatedWorld = await mock.world();
      expect(mock.worlds()).toEqual(["default", isolatedWorld.id, otherIsolatedWorld.id]);
    }
    expect(mock.worlds()).toEqual(["default"]);
  });
});

it("a mock that does not listen has unreachable addresses, at the requested ports", async () => {
  await using mock = await startMock({ listen: false, port: 8080, host: "0.0.0.0" });
  const { api_url, app_url, docs_url, mcp_url, control_url } = mock;
  expect({ api_url, app_url, docs_url, mcp_url, control_url }).toEqual({
    api_url: "http://mock.invalid:8080",
    app_url: "http://mock.invalid:8081",
    docs_url: "http://mock.invalid:8082",
    mcp_url: "http://mock.invalid:8080/mcp/",
    control_url: "http://mock.invalid:8080/__mock",
  });
  const target = await (await mock.fetch(`${control_url}/target`)).json();
  expect(target).toMatchObject({ base_url: api_url });
  expect((await mock.fetch(`${control_url}/worlds`, { headers: { origin: "https://evil.example" } })).status).toBe(403);
});
