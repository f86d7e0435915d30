import { describe, expect, test } from "vitest";
import type { WireResponse } from "../../../../src/engine/http/exchange.js";
import { findDifferingField, nestAt, readToolRows } from "../../../../src/suite/laws/surfaces/tool-rows.js";

function wireResponse(result: object): WireResponse {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, result });
  return { status: 200, headers: { "content-type": "application/json" }, body: new TextEncoder().encode(body) };
}

const getText = (text: string) => wireResponse({ content: [{ type: "text", text }] });
const structured = (structuredContent: unknown) => wireResponse({ content: [], structuredContent });

describe("the rows of a tool result", () => {
  test("are the objects with the key, but not objects inside of them", () => {
    const data = [{ ref: "SERVICE-1", like: [{ ref: "SERVICE-2" }] }, { title: "No row" }];
    const rows = readToolRows(structured({ output: { data } }), "ref");
    expect(rows?.objects).toEqual([{ path: ["structuredContent", "output", "data", 0], value: data[0] }]);
    expect([rows?.shows("SERVICE-1"), rows?.shows("SERVICE-2")]).toEqual([true, false]);
  });

  test("are whole words of a text where no object has the key", () => {
    const rows = readToolRows(getText("- ref: SERVICE-12\n- id: run:7.1, 99"), "ref");
    expect(["SERVICE-12", "SERVICE-1", "run:7.1", "99", "9"].map((id) => rows?.shows(id))).toEqual([
      true,
      false,
      true,
      true,
      false,
    ]);
  });

  test("continue where the result has a cursor", () => {
    expect(readToolRows(structured({ data: [], has_more: true, next_cursor: "x" }), "ref")?.hasMore).toBe(true);
    expect(readToolRows(structured({ data: [], has_more: false, next_cursor: null }), "ref")?.hasMore).toBe(false);
  });

  test("are none of a refusal", () => {
    expect(readToolRows(wireResponse({ content: [{ type: "text", text: "SERVICE-1" }], isError: true }), "ref")).toBeUndefined();
  });
});

describe("two surfaces", () => {
  const data = { fields: ["id", "cost", "duration_mid", "at", "reason"] };

  test.each([
    ["an id of digits as a number", { id: "12" }, { id: 12 }, "id"],
    ["an amount in whole dollars", { cost: 2.25 }, { cost: 2 }, "cost"],
    ["the last digits of a large number", { cost: 9_007_199_254_740_991 }, { cost: 9_007_199_254_740_990 }, "cost"],
    ["a cent", { cost: 2.2512 }, { cost: 2.27 }, "cost"],
    ["the third of three decimals", { cost: 2.251 }, { cost: 2.259 }, "cost"],
    ["two seconds", { duration_mid: 90.5 }, { duration_mid: 92 }, "duration_mid"],
    ["a value for null", { reason: null }, { reason: "fixed" }, "reason"],
    ["null for a value", { reason: "fixed" }, { reason: null }, "reason"],
  ])("differ by %s", (_, rest, tool, field) => {
    expect(findDifferingField(data, rest, tool)).toBe(field);
  });

  test.each([
    ["an amount in cents", { cost: 2.2512 }, { cost: 2.25 }],
    ["a duration in whole seconds", { duration_mid: 90.5 }, { duration_mid: 91 }],
    ["a half second that is rounded to the even second", { duration_mid: 62.5 }, { duration_mid: 62 }],
    ["half a cent that is rounded to the even cent", { cost: 0.125 }, { cost: 0.12 }],
    ["half a cent that is rounded up", { cost: 1.005 }, { cost: 1.01 }],
    ["a truncated amount", { cost: 0.1299 }, { cost: 0.12 }],
    ["a truncated duration", { duration_mid: 1.99 }, { duration_mid: 1 }],
    ["cents in REST and an exact amount in the tool", { cost: 1.23 }, { cost: 1.2345 }],
    ["whole seconds in REST and an exact duration in the tool", { duration_mid: 62 }, { duration_mid: 62.5 }],
    ["amounts that are rounded in two ways", { cost: 2.25 }, { cost: 2.26 }],
    ["one moment in two forms", { at: "2026-01-02T03:04:05Z" }, { at: "2026-01-02T04:04:05.000+01:00" }],
    ["null and null", { reason: null }, { reason: null, more: 1 }],
    ["a field that the tool does not show", { id: "12", cost: 1 }, { id: "12" }],
  ])("agree with %s", (_, rest, tool) => {
    expect(findDifferingField(data, rest, tool)).toBeUndefined();
  });
});

test("an expectation finds an item of a list by its value", () => {
  expect(nestAt(["output", "data", 3], { ref: "{row}" })).toEqual({ output: { data: { contains: { ref: "{row}" } } } });
});
