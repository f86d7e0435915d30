import { describe, expect, test } from "vitest";
import type { Contract } from "../../src/contract/contract.js";
import { checkReferences } from "../../src/contract/cross-check.js";
import { compileSchema, contract } from "../../src/contract/load.js";
import { fillText } from "../../src/contract/placeholders.js";
import { inlineReferences } from "../../src/contract/references.js";
import type { ToolPurpose } from "../../src/contract/tool-types.js";
import type { ClauseId, RouteName, Scope } from "../../src/contract/types.js";

const tools = Object.entries(contract.tools) as [ToolPurpose, Contract["tools"][ToolPurpose]][];

describe("tools.json", () => {
  test.each(tools)("%s has a closed argument schema without references", (_, tool) => {
    const text = JSON.stringify(tool.arguments);
    expect(tool.arguments.additionalProperties).toBe(false);
    expect(text).not.toContain("$ref");
    expect(text).not.toContain('"x-');
    expect(() => compileSchema(tool.arguments, { strict: true, strictTypes: false })).not.toThrow();
    for (const [name, schema] of Object.entries(tool.arguments.properties))
      expect([name, Object.keys(schema)]).toEqual([name, expect.arrayContaining(["type"])]);
  });

  // clients that pass arguments to a model's own format of functions take no more
  test.each(tools)("%s has arguments of one type each", (_, tool) => {
    const types = (schema: unknown): unknown[] => {
      if (typeof schema !== "object" || schema === null) return [];
      const { type, anyOf, oneOf } = schema as Record<string, unknown>;
      return [...[type, anyOf, oneOf].filter((one) => typeof one === "object"), ...Object.values(schema).flatMap(types)];
    };
    expect(types(tool.arguments)).toEqual([]);
  });

  test("has one tool of the contract, list_observations, with four filters and only optional arguments", () => {
    expect(tools.filter(([, tool]) => tool.shown).map(([, tool]) => tool.name)).toEqual(["list_observations"]);
    const { properties, required } = contract.tools.list_observations.arguments;
    expect(Object.keys(properties)).toEqual(expect.arrayContaining(["kind", "status", "priority", "repo"]));
    expect(required).toEqual([]);
  });

  test("has no tool to cancel a job, to delete or reset a repository, or for webhooks", () => {
    const routes = tools.flatMap(([, tool]) => tool.route ?? []);
    expect(routes.filter((route) => /DELETE|cancel|reset|webhook/.test(route))).toEqual([]);
    expect(tools.filter(([, tool]) => /cancel|delete|reset|webhook/.test(tool.name))).toEqual([]);
  });

  test("cites every clause about a single tool", () => {
    const citedClauseIds = new Set(tools.flatMap(([, tool]) => tool.clauses));
    const asserted = Object.entries(contract.clauses).filter(([, { level }]) => level === "stated" || level === "derived");
    const about = asserted.map(([id]) => id).filter((id) => /^MCP-(TOOL|SCOPE)-/.test(id));
    const general = ["READ-PURE", "NAMES", "OURS", "NOCANCEL", "NODELETE", "NOWEBHOOK", "REFUSED", "FORM"];
    expect(about.filter((id) => !citedClauseIds.has(id as ClauseId) && !general.some((end) => id.endsWith(end)))).toEqual([]);
  });

  test("has the three prompts with their arguments, all required", () => {
    const named = Object.entries(contract.prompts).map(([name, prompt]) => [
      name,
      prompt.arguments.map((argument) => argument.name),
    ]);
    expect(Object.fromEntries(named)).toEqual({
      service_agent_loop: [],
      triage_new_findings: ["org", "repo", "branch"],
      investigate_finding: ["org", "repo", "branch", "ref"],
    });
    for (const prompt of Object.values(contract.prompts))
      expect(prompt.arguments.every((argument) => argument.required)).toBe(true);
  });

  test("has settings with valid defaults, and tools that accept their names", () => {
    for (const [name, setting] of Object.entries(contract.settings))
      expect([name, compileSchema(setting)(setting.default)]).toEqual([name, true]);
    expect(contract.tools.clear_setting.arguments.properties.setting).toMatchObject({ enum: Object.keys(contract.settings) });
  });
});

describe("the cross-check of tools", () => {
  const missingClauseId = "NO-SUCH-CLAUSE" as ClauseId;
  const uncited = "cites NO-SUCH-CLAUSE, but clauses.json has no such clause";

  test.each<[what: string, spoil: (copy: Contract) => void, finding: string]>([
    [
      "a tool's clause",
      ({ tools: { forecast } }) => Object.assign(forecast, { clauses: [missingClauseId] }),
      `tools.json tools.forecast ${uncited}`,
    ],
    [
      "a prompt's clause",
      ({ prompts }) => Object.assign(prompts.investigate_finding, { clause: missingClauseId }),
      `tools.json prompts.investigate_finding ${uncited}`,
    ],
    [
      "a route",
      ({ tools: { knowledge } }) => Object.assign(knowledge, { route: "GET /api/nowhere" as RouteName }),
      "tools.json tools.knowledge names GET /api/nowhere, but openapi.json has no such operation",
    ],
    [
      "a scope that the route does not have",
      ({ tools: { submit_fix } }) => Object.assign(submit_fix, { scopes: ["view_jobs" as Scope] }),
      "tools.json tools.submit_fix has the scopes [view_jobs], but its route needs [submit_fix_jobs]",
    ],
    [
      "an argument of the path left optional",
      ({ tools: { submit_fix } }) => Object.assign(submit_fix.arguments, { required: [] }),
      "tools.json tools.submit_fix does not require ref, but its route does",
    ],
    [
      "an argument of the query left optional",
      ({ tools: { forecast } }) => Object.assign(forecast.arguments, { required: [] }),
      "tools.json tools.forecast does not require workflow, but its route does",
    ],
    [
      "an argument of the body left optional",
      ({ tools: { reopen_observation } }) => Object.assign(reopen_observation.arguments, { required: ["ref"] }),
      "tools.json tools.reopen_observation does not require reopen_reason, but its route does",
    ],
    [
      "an argument required and not declared",
      ({ tools: { list_guides } }) => Object.assign(list_guides.arguments, { required: ["guide"] }),
      "tools.json tools.list_guides requires guide, but does not declare it",
    ],
    [
      "a name of two tools",
      ({ tools: { job_status } }) => Object.assign(job_status, { name: "list_jobs" }),
      "tools.json has two tools named list_jobs",
    ],
    [
      "a tool in a description",
      ({ tools: { read_guide } }) => Object.assign(read_guide, { description: "{tool.nothing}" }),
      "tools.json tools.read_guide contains the unknown placeholder {tool.nothing}",
    ],
    [
      "an argument in a prompt",
      ({ prompts }) => prompts.service_agent_loop.text.push("{org}"),
      "tools.json prompts.service_agent_loop contains the unknown placeholder {org}",
    ],
    [
      "a tool in a guide",
      ({ guides }) => guides.limits!.text.push("{tool.cancel_job}"),
      "tools.json guides.limits contains the unknown placeholder {tool.cancel_job}",
    ],
  ])("finds %s", (_, spoilDocument, finding) => {
    const copy = structuredClone(contract);
    spoilDocument(copy);
    expect(checkReferences(copy)).toEqual([finding]);
  });
});

describe("references", () => {
  const documents = { "": { a: { type: "string", "x-ours": 1 } }, "other.json": { "p/q": { $ref: "#/r" }, r: { enum: [1] } } };

  test.each([
    ["a reference here", { $ref: "#/a" }, { type: "string" }],
    ["a reference with words of its own", { $ref: "#/a", minLength: 1, type: "integer" }, { type: "integer", minLength: 1 }],
    [
      "a reference into another document, and on inside that",
      { items: [{ $ref: "other.json#/p~1q" }] },
      { items: [{ enum: [1] }] },
    ],
    ["no reference", { enum: [null, 1, "x"] }, { enum: [null, 1, "x"] }],
  ])("%s is replaced by its target", (_, schema, whole) => expect(inlineReferences(schema, documents)).toEqual(whole));

  test("a broken reference is an error", () =>
    expect(() => inlineReferences({ $ref: "#/b" }, documents)).toThrow("#/b, which does not exist"));
});

test("placeholders are filled once, and others stay", () => {
  expect(fillText("{a} {tool.b} {c} {toString}", { a: "{tool.b}", "tool.b": "x" })).toBe("{tool.b} x {c} {toString}");
});
