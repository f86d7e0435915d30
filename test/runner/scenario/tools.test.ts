import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { packageRoot, readSpec } from "../../../src/contract/load.js";
import { effectOfAsk, toolEffects } from "../../../src/runner/scenario/tools.js";

interface Tool {
  name: string;
  kind: "read" | "write";
  arguments: { properties: object };
}

const { tools } = readSpec("tools.json") as { tools: Record<string, Tool> };
const { bindings } = parse(readFileSync(join(packageRoot, "fixtures/mock.yaml"), "utf8")) as {
  bindings: { tools: Record<string, string>; tool_args: Record<string, Record<string, string>> };
};

test("the examiner and the contract's data mean the same tools, and the same of them read", () => {
  const reads = Object.entries(toolEffects).map(([purpose, effect]) => [purpose, effect === "read" ? "read" : "write"]);
  expect(Object.fromEntries(reads)).toEqual(
    Object.fromEntries(Object.entries(tools).map(([purpose, { kind }]) => [purpose, kind])),
  );
});

test("the mock's target file binds every tool and every argument of it", () => {
  expect(bindings.tools).toEqual(Object.fromEntries(Object.entries(tools).map(([purpose, { name }]) => [purpose, name])));
  for (const [purpose, tool] of Object.entries(tools))
    expect({ purpose, arguments: Object.keys(bindings.tool_args[purpose] ?? {}) }).toEqual({
      purpose,
      arguments: Object.keys(tool.arguments.properties),
    });
});

test.each([
  [{ list: "tools" }, "read"],
  [{ prompt: "service_agent_loop" }, "read"],
  [{ tool: "list_jobs" }, "read"],
  [{ tool: "retry_job" }, "paid"],
  [{ tool: "retry_job", effect: "write" }, "write"],
  [{ tool: "set_guidance" }, "write"],
  [{ call: "list_observations" }, "write"],
  [{ eachTool: {} }, "write"],
  [{ raw: {} }, "write"],
] as const)("the effect of %j is %s", (ask, effect) => {
  expect(effectOfAsk(ask)).toBe(effect);
});
