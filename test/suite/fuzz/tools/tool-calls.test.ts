import { describe, expect, test } from "vitest";
import { compileSchema } from "../../../../src/contract/load.js";
import { interpolate, type Lookup } from "../../../../src/engine/scenario/interpolate.js";
import { findListedTool, listToolsUnderTest, type ToolListing } from "../../../../src/suite/fuzz/tools/tool.js";
import { drawArguments, listValuesToTry } from "../../../../src/suite/fuzz/tools/tool-arguments.js";
import { listCalls, listDeniedRoles } from "../../../../src/suite/fuzz/tools/tool-calls.js";
import { findChecks } from "../sending.js";

/** A server with a separate name for every argument. */
const bindings: Record<string, unknown> = { ref: "in_ref", job_id: "in_job", workflow: "in_workflow" };
const look: Lookup = (name) => (name.startsWith("binding.tool_args.") ? bindings : findChecks(name));

/** A schema as some library publishes it. */
const schema = {
  type: "object",
  additionalProperties: false,
  properties: {
    in_ref: { type: "string" },
    in_workflow: { anyOf: [{ type: "string" }, { type: "null" }], default: null },
    depth: { $ref: "#/$defs/depth" },
  },
  required: ["in_ref", "depth"],
  $defs: { depth: { type: "integer", minimum: 2, maximum: 9 } },
};
const listing: ToolListing = findListedTool({ tools: [{ name: "t", inputSchema: schema }] }, "t") ?? expect.fail("it is listed");
const tool = listToolsUnderTest().find(({ purpose }) => purpose === "forecast") ?? expect.fail("there is such a tool");

describe("the arguments of a call", () => {
  test("match the published schema for every seed, with known values instead of random ones", async () => {
    const takes = compileSchema(schema);
    for (const seed of [0, 1, 7, 50])
      for (const optional of ["none", "some", "all"] as const) {
        const { given } = await drawArguments(tool, listing, { seed, optional }, look);
        const row = interpolate(given, look);
        expect(takes(row), JSON.stringify(takes.errors)).toBe(true);
        expect(row).toMatchObject({ in_ref: "SERVICE-1", ...(optional === "all" && { in_workflow: "audit" }) });
      }
  });

  test("are certain only without random values", async () => {
    const { depth: _, ...properties } = schema.properties;
    const known = { ...listing, schema: { ...schema, properties, required: ["in_ref"] } };
    expect(await drawArguments(tool, known, { seed: 1, optional: "all" }, look)).toMatchObject({ certain: true });
    expect(await drawArguments(tool, listing, { seed: 1, optional: "none" }, look)).toMatchObject({ certain: false });
    const nothingShown: Lookup = (name) => (name === "ref" ? undefined : look(name));
    expect(await drawArguments(tool, known, { seed: 1, optional: "none" }, nothingShown)).toMatchObject({ certain: false });
  });

  test("may be invalid if parts of a triple are missing", async () => {
    const parts = ["owner", "repo", "branch"];
    const properties = Object.fromEntries(parts.map((name) => [name, { type: "string" }]));
    const byTriple = { ...listing, schema: { ...schema, properties, required: [] } };
    const bound: Lookup = (name) =>
      name.startsWith("binding.tool_args.") ? Object.fromEntries(parts.map((part) => [part, part])) : findChecks(name);
    for (let seed = 0; seed < 20; seed++) {
      const { given, certain } = await drawArguments(tool, byTriple, { seed, optional: "some" }, bound);
      expect(certain, JSON.stringify(given)).toBe([0, 3].includes(Object.keys(given).length));
    }
  });

  test("have the given value", async () => {
    for (const validValue of listValuesToTry(tool, [])) {
      const { given } = await drawArguments(tool, listing, { seed: 1, optional: "none", validValue }, look);
      expect(given.in_workflow).toBe(validValue.value);
    }
  });
});

describe("the ways to call a tool", () => {
  const named = (seed: number) =>
    listCalls({ offers: () => true } as never, tool, { listing, shown: [], seed }).map(({ name }) => name);

  test("have the same unique names for every seed", () => {
    expect(named(1)).toEqual(named(2));
    expect(new Set(named(1)).size).toBe(named(1).length);
  });

  test("leave out each required argument, and misspell each", () => {
    for (const name of ["in_ref", "depth"]) expect(named(0)).toContain(`forecast missing body.${name}`);
    for (const name of ["in_ref", "in_workflow", "depth"]) expect(named(0)).toContain(`forecast ${name} misspelled`);
  });

  test.each([
    ["forecast", []],
    ["job_status", ["triage"]],
    ["dismiss_observation", ["viewer"]],
    ["set_learn_mode", ["viewer", "no_fix", "triage"]],
  ] as const)("of %s are tried by roles without permission: %j", (purpose, denied) =>
    expect(listDeniedRoles(purpose)).toEqual(denied),
  );
});

describe("a tool of a list", () => {
  const tools = [{ name: "a" }, { name: "b", inputSchema: { type: "object", properties: { x: {} }, required: ["x"] } }];

  test("is found by its name, with its schema", () =>
    expect(findListedTool({ tools }, "b")).toMatchObject({ name: "b", fields: { properties: { x: {} }, required: ["x"] } }));

  test.each([
    [{ tools }, "a"],
    [{ tools }, "c"],
    [{}, "b"],
    [null, "b"],
  ])("is not random", (result, name) => expect(findListedTool(result, name)).toBeUndefined());
});
