import { describe, expect, test } from "vitest";
import { compileSchema, contract } from "../../../src/contract/load.js";
import { drives } from "../../../src/service/drives/index.js";

const { events, roles, openapi, enums } = contract;

describe("spec/schema/events.json", () => {
  test("has the events that the mock can cause", () => expect(Object.keys(events)).toEqual(Object.keys(drives)));

  test.each([
    { event: "suspend", good: {}, bad: { workspce: "acme" } },
    { event: "set-credit", good: { usd: 0.5 }, bad: { usd: -1 } },
    { event: "set-spend-ceiling", good: { usd: 0.01 }, bad: { usd: 0 } },
    { event: "pause-spend", good: { on: true }, bad: {} },
    { event: "fail-verification", good: { on: true, retry_after: null }, bad: { on: true, retry_after: 1.5 } },
    { event: "revoke-key", good: { key_id: "key_full" }, bad: {} },
    { event: "push-commit", good: { repo: "acme/web/main" }, bad: { repo: 7 } },
    { event: "find", good: { repo: "acme/web/main", observation: { kind: "finding" } }, bad: { observation: {} } },
  ])("$event takes $good and not $bad", ({ event, good, bad }) => {
    const fits = compileSchema(events[event]?.arguments ?? {});
    expect([fits(good), fits(bad)]).toEqual([true, false]);
  });

  test("requires the ref in the answer of find", () => {
    const fits = compileSchema(events.find?.answer ?? {});
    expect([fits({ result: { ref: "SERVICE-7" } }), fits({ ref: "SERVICE-7" })]).toEqual([true, false]);
  });

  test("describes an observation like the OpenAPI document", () => {
    const { observation } = (events.find!.arguments as Nested).properties;
    const { kind, priority, category, domain, locations } = observation!.properties;
    expect([kind?.enum, priority?.enum, category?.enum, domain?.enum]).toEqual([
      enums.ObservationKind,
      enums.Priority,
      enums.Category,
      enums.Domain,
    ]);
    const location = openapi.components?.schemas?.Location as Nested;
    expect(Object.keys(locations!.items!.properties)).toEqual(Object.keys(location.properties));
  });
});

test("spec/roles.json cites existing clauses", () => {
  const cited = Object.values(roles.keys).flatMap((role) => [role.refused_by ?? [], role.refused_delete ?? []].flat());
  expect(cited.length).toBeGreaterThan(0);
  expect(cited.filter((id) => !(id in contract.clauses))).toEqual([]);
});

interface Nested {
  properties: Record<string, Nested>;
  items?: Nested;
  enum?: string[];
}
