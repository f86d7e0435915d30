import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { contract } from "../../src/contract/load.js";
import { startMock } from "../../src/index.js";
import { describeWith } from "../meta/needs.js";
import { getHome, howToInstall } from "./install.js";
import { mcpClient } from "./tools.js";

const run = promisify(execFile);
const home = getHome(mcpClient.toolchain);
const program = join(import.meta.dirname, "programs/mcp-python/flow.py");
const streams = { sessions: true, sse: true };

/** The options of a mock, the mode of the client, and the revision on which they agree; a number is the code of a refusal. */
const connections = [
  [{}, "auto", "2026-07-28"],
  [{}, "2026-07-28", "2026-07-28"],
  [{}, "legacy", "2025-11-25"],
  [streams, "auto", "2026-07-28"],
  [streams, "legacy", "2025-11-25"],
  [{ revisions: ["modern"] }, "auto", "2026-07-28"],
  [{ revisions: ["modern"] }, "legacy", -32022],
  [{ revisions: ["legacy"] }, "auto", "2025-11-25"],
  [{ revisions: ["2025-03-26"] }, "auto", "2025-03-26"],
] as const;

describeWith(
  { name: `the Python package mcp ${mcpClient.version} (${howToInstall})`, found: home !== undefined },
  "the official MCP client in Python against the mock",
  () => {
    test("agrees on a revision in every mode, lists, calls, and gets the errors of tools and prompts", {
      timeout: 120_000,
    }, async () => {
      const mocks = await Promise.all(connections.map(([mcp]) => startMock({ clock: "frozen", mcp })));
      const targets = mocks.flatMap(({ mcp_url }, at) => [mcp_url, connections[at]![1]]);
      const { stdout } = await run(join(home!, "bin/python"), [program, mocks[0]!.keys.full!, ...targets]);
      const responses = {
        tools: Object.values(contract.tools).map(({ name }) => name),
        prompts: Object.keys(contract.prompts),
        priorities: ["P0", "P0"],
        mistake: [true, "priorty"],
        missing: -32602,
      };
      const expected = connections.map(([, , agreed]) =>
        typeof agreed === "number" ? agreed : { revision: agreed, ...responses },
      );
      expect(JSON.parse(stdout)).toEqual(expected);
      await Promise.all(mocks.map((mock) => mock.close()));
    });
  },
);
