import { describe, expect, test } from "vitest";
import { compileSchema } from "../../../src/contract/load.js";
import { interpolate, type Lookup } from "../../../src/engine/scenario/interpolate.js";
import { listedTool, toolsUnderTest, validArguments } from "../../../src/suite/fuzz/tool.js";
import { lookUp } from "./sending.js";

/** A server where every argument of ours has a name of its own. */
const renaming: Lookup = (name) => (name.startsWith("binding.tool_args.") ? `in_${name.split(".").at(-1)}` : lookUp(name));

describe.each(toolsUnderTest())("the arguments of $purpose", (tool) => {
  const closed = { type: "object", ...tool.fields, additionalProperties: false };

  test("are valid by the contract's schema, by every seed", () => {
    const takes = compileSchema(closed);
    for (const seed of [0, 1, 2, 3, 50]) {
      const given = interpolate(validArguments(tool, { name: "t", schema: tool.fields }, seed, lookUp), lookUp);
      expect(takes(given), JSON.stringify(takes.errors)).toBe(true);
    }
  });

  test("go by the names that the server lists, and are none but those", () => {
    const properties = Object.fromEntries(Object.keys(tool.fields.properties).map((name) => [`in_${name}`, {}]));
    const required = tool.fields.required.map((name) => `in_${name}`);
    const given = validArguments(tool, { name: "t", schema: { properties, required } }, 3, renaming);
    expect(Object.keys(properties)).toEqual(expect.arrayContaining(Object.keys(given)));
    expect(Object.keys(given)).toEqual(expect.arrayContaining(required));
  });
});

describe("a tool of a list", () => {
  const tools = [{ name: "a" }, { name: "b", inputSchema: { type: "object", properties: { x: {} }, required: ["x"] } }];

  test("is found by its name, with its schema", () =>
    expect(listedTool({ tools }, "b")).toEqual({ name: "b", schema: { properties: { x: {} }, required: ["x"] } }));

  test.each([
    [{ tools }, "a"],
    [{ tools }, "c"],
    [{}, "b"],
    [null, "b"],
  ])("is not made up", (result, name) => expect(listedTool(result, name)).toBeUndefined());
});
