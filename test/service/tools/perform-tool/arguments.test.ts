import { describe, expect, test } from "vitest";
import { contract } from "../../../../src/contract/load.js";
import type { ToolPurpose } from "../../../../src/contract/tool-types.js";
import { demoWorld } from "../../world.js";
import { callTool, getError, web } from "../call.js";

const purposes = Object.keys(contract.tools) as ToolPurpose[];
const getLines = (purpose: ToolPurpose, given: Record<string, unknown>) =>
  callTool(demoWorld(), purpose, given).text?.split("\n");

describe("an undeclared argument", () => {
  test.each(purposes)("of %s is named first, on its own line, and the call changes nothing", (purpose) => {
    const world = demoWorld();
    const { rates: _, serials: __, ...before } = structuredClone(world);
    const response = callTool(world, purpose, { surprise: 1 });
    expect(response).toMatchObject({ status: 422, rule: { gate: "schema", code: "invalid_payload" }, changes: [] });
    expect(response.text!.split("\n").slice(1, 3)).toEqual([
      "surprise",
      "  Extra inputs are not permitted [type=extra_forbidden, input_value=1, input_type=number]",
    ]);
    const { rates: ___, serials: ____, ...after } = structuredClone(world);
    expect(after).toEqual(before);
  });

  test.each([
    ["a misspelt one", "list_observations", { priorty: "P0" }, "priorty"],
    ["one beside a wrong value", "list_observations", { kind: "nonsense", priorty: "P0" }, "priorty"],
    ["one beside a missing one", "dismiss_observation", { note: "x" }, "note"],
    ["one called like a method of every object", "list_observations", { toString: 1 }, "toString"],
    ["one called like the prototype", "list_observations", JSON.parse('{"__proto__": 1}'), "__proto__"],
    ["one without a name", "list_observations", { "": 1 }, ""],
    ["one with a line break", "list_observations", { "a\nkind": 1 }, '"a\\nkind"'],
    ["one that REST has but the tool has not", "list_observations", { domain: "ux" }, "domain"],
  ] as [string, ToolPurpose, Record<string, unknown>, string][])("%s is named", (_, purpose, given, key) => {
    const lines = getLines(purpose, given)!;
    expect(lines[1]).toBe(key);
    expect(lines[2]).toContain("[type=extra_forbidden");
  });

  test("a thousand of them are counted, and the first hundred are listed", () => {
    const lines = getLines("list_guides", Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`key_${i}`, i])))!;
    expect(lines[0]).toBe("1000 validation errors for list_guides");
    expect(lines.length).toBe(201);
  });

  test("a long value is cut", () => {
    expect(getLines("list_guides", { long: "x".repeat(1_000_000) })![2]!.length).toBeLessThan(200);
  });
});

describe("other argument errors have the same format", () => {
  test.each([
    ["a missing argument", "explain_observation", {}, ["ref", "  Field required [type=missing]"]],
    [
      "a wrong type",
      "list_observations",
      { search: 5 },
      ["search", "  Input should be a valid string [type=string_type, input_value=5, input_type=number]"],
    ],
    [
      "a wrong type of list",
      "list_observations",
      { limit: [1] },
      ["limit", "  Input should be a valid integer [type=integer_type, input_value=[1], input_type=array]"],
    ],
    [
      "null",
      "list_observations",
      { kind: null },
      ["kind", "  Input should be a valid string [type=string_type, input_value=null, input_type=null]"],
    ],
    [
      "a value outside the allowed ones",
      "list_jobs",
      { status: "done" },
      [
        "status",
        `  Input should be 'pending', 'running', 'completed', 'failed', 'cancelled' [type=literal_error, input_value="done", input_type=string]`,
      ],
    ],
    [
      "a text that is too short",
      "dismiss_observation",
      { ref: "SERVICE-1", dismissal_category: "other", dismissal_note: "too short" },
      [
        "dismissal_note",
        `  String should have at least 10 characters [type=string_too_short, input_value="too short", input_type=string]`,
      ],
    ],
    [
      "a reference of another form",
      "submit_fix",
      { ref: "1" },
      [
        "ref",
        `  String should match pattern '^SERVICE-[0-9]+$' [type=string_pattern_mismatch, input_value="1", input_type=string]`,
      ],
    ],
    [
      "a page that is too long",
      "list_observations",
      { limit: 201 },
      ["limit", "  Input should be less than or equal to 200 [type=less_than_equal, input_value=201, input_type=number]"],
    ],
    [
      "a category that only the service sets",
      "dismiss_observation",
      { ref: "SERVICE-1", dismissal_category: "exhausted_fix_attempts", dismissal_note: "0123456789" },
      ["dismissal_category", expect.stringContaining("[type=literal_error")],
    ],
    [
      "a setting of another type",
      "set_setting",
      { setting: "audit_timeout_s", value: "soon" },
      ["value", `  Input should be a valid integer [type=integer_type, input_value="soon", input_type=string]`],
    ],
    [
      "a setting out of range",
      "set_setting",
      { setting: "audit_timeout_s", value: 1 },
      ["value", "  Input should be greater than or equal to 60 [type=greater_than_equal, input_value=1, input_type=number]"],
    ],
    [
      "an unknown setting",
      "clear_setting",
      { setting: "__proto__" },
      ["setting", expect.stringContaining("[type=literal_error")],
    ],
    [
      "an absolute doc path",
      "record_doc_read",
      { ...web, doc_path: "/etc/hosts" },
      ["doc_path", expect.stringContaining("[type=string_pattern_mismatch")],
    ],
  ] as [string, ToolPurpose, Record<string, unknown>, string[]][])("%s", (_, purpose, given, lines) => {
    expect(getLines(purpose, given)).toEqual([`1 validation error for ${contract.tools[purpose].name}`, ...lines]);
  });

  test("as text and in the service's envelope", () => {
    const response = callTool(demoWorld(), "submit_fix", {});
    expect(getError(response)).toMatchObject({
      type: "validation_error",
      code: "invalid_payload",
      request_id: expect.stringMatching(/^req_/),
      errors: [{ loc: ["arguments", "ref"], msg: "Field required", type: "missing" }],
    });
  });
});

describe("optional arguments", () => {
  test.each(purposes.filter((purpose) => contract.tools[purpose].arguments.required.length === 0))(
    "%s takes none at all",
    (purpose) => {
      expect(callTool(demoWorld(), purpose).status).toBe(200);
    },
  );

  test("a job's params may be left out", () => {
    expect(callTool(demoWorld(), "submit_job", { ...web, workflow: "audit", force: true }).status).toBe(201);
  });

  test("lengths are counted in code points", () => {
    const note = { ref: "SERVICE-1", dismissal_category: "other", dismissal_note: "🦉".repeat(500) };
    expect(callTool(demoWorld(), "dismiss_observation", note).status).toBe(200);
    expect(getLines("dismiss_observation", { ...note, dismissal_note: `${note.dismissal_note}x` })![2]).toContain(
      "string_too_long",
    );
  });
});
