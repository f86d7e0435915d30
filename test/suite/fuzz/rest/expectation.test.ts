import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { contract } from "../../../../src/contract/load.js";
import type { ClauseId, RouteName } from "../../../../src/contract/types.js";
import { type Fault, nameFault } from "../../../../src/suite/fuzz/faults/fault.js";
import { listFaults } from "../../../../src/suite/fuzz/faults/fault-cases.js";
import { createOperation, listOperations } from "../../../../src/suite/fuzz/faults/operation.js";
import { repeatToLength } from "../../../../src/suite/fuzz/faults/text-values.js";
import { createExpectation } from "../../../../src/suite/fuzz/rest/expectation.js";

const dismiss: RouteName = "POST /api/observations/{ref}/dismiss";
const reopen: RouteName = "POST /api/observations/{ref}/reopen";
const list: RouteName = "GET /api/observations";

function note(kind: "edge" | "short" | "long", length: number, character: string): Fault {
  const field = { in: "body" as const, name: "dismissal_note", value: repeatToLength(length, character) };
  return kind === "edge" ? { kind, ...field } : { kind: "wrong", how: kind, ...field };
}

test("the order of the checks for a reset without flags at an unknown place is open", () => {
  const unknown = { kind: "unknown", name: "branch", value: "no-such-name" } as const;
  const statuses = (["POST /api/repos/{owner}/{repo}/{branch}/reset", "DELETE /api/repos/{owner}/{repo}/{branch}"] as const).map(
    (route) => createExpectation(createOperation(route), unknown),
  );
  expect(statuses).toMatchObject([{ expect: { status: [404, 422] } }, { expect: { status: 404 } }]);
});

describe("the expectation for a fault", () => {
  test.each<[string, RouteName, Fault, string]>([
    ["9 letters", dismiss, note("short", 9, "x"), "be refused"],
    ["4 faces, which are less than ten by any count", dismiss, note("short", 4, "😀"), "be refused"],
    ["9 faces, which are 18 units", dismiss, note("short", 9, "😀"), "conform"],
    ["10 letters", dismiss, note("edge", 10, "x"), "be accepted"],
    ["10 faces", dismiss, note("edge", 10, "😀"), "be accepted"],
    ["500 letters", dismiss, note("edge", 500, "é"), "be accepted"],
    ["250 faces", dismiss, note("edge", 250, "😀"), "be accepted"],
    ["500 faces, which are 1000 units", dismiss, note("edge", 500, "😀"), "conform"],
    ["501 letters", dismiss, note("long", 501, "x"), "be refused"],
    ["501 faces", dismiss, note("long", 501, "😀"), "be refused"],
    ["a text with a NUL", dismiss, { kind: "text", in: "body", name: "dismissal_note", value: "\u0000xxxxxxxxx" }, "conform"],
    [
      "10 code points, nine to the eye",
      dismiss,
      { kind: "text", in: "body", name: "dismissal_note", value: "e\u0301xxxxxxxx" },
      "conform",
    ],
    ["a text in Arabic", dismiss, { kind: "text", in: "body", name: "dismissal_note", value: "مرحبا بالعالم" }, "be accepted"],
    ["a text that begins with a blank", reopen, { kind: "text", in: "body", name: "reopen_reason", value: " " }, "conform"],
    ["an empty reason", reopen, { kind: "wrong", how: "short", in: "body", name: "reopen_reason", value: "" }, "be refused"],
    ["an undeclared field", dismiss, { kind: "extra", in: "body", name: "a", value: 1 }, "conform"],
    ["a limit of 0", list, { kind: "wrong", how: "low", in: "query", name: "limit", value: 0 }, "conform"],
    ["a limit of 200", list, { kind: "edge", in: "query", name: "limit", value: 200 }, "be accepted"],
    ["a limit of 201", list, { kind: "wrong", how: "high", in: "query", name: "limit", value: 201 }, "be refused"],
    [
      "a limit of 201 where no page is shown",
      "GET /api/repos/{owner}/{repo}/{branch}/fix-prs",
      { kind: "wrong", how: "high", in: "query", name: "limit", value: 201 },
      "conform",
    ],
    ["a parameter twice", list, { kind: "twice", name: "kind", values: ["a", "b"] }, "conform"],
    ["a made-up cursor", list, { kind: "text", in: "query", name: "cursor", value: "x" }, "be refused"],
    ["another content type", dismiss, { kind: "header", name: "content-type", how: "another", value: "text/plain" }, "conform"],
    ["no JSON", dismiss, { kind: "content", how: "no JSON" }, "be refused"],
    ["invalid UTF-8", dismiss, { kind: "content", how: "invalid UTF-8" }, "conform"],
    ["a NUL in the path", dismiss, { kind: "segment", name: "ref", how: "a NUL", value: "%00" }, "conform"],
    ["a stranger in the path", dismiss, { kind: "unknown", name: "ref", value: "SERVICE-999999999" }, "be refused"],
    ["a method that its path does not have", dismiss, { kind: "method", value: "PUT" }, "conform"],
    ["no key", dismiss, { kind: "credential", how: "none", value: null }, "be refused"],
    [
      "missing params, which may be left out or not",
      "POST /api/repos/{owner}/{repo}/{branch}/jobs",
      { kind: "missing", in: "body", name: "params" },
      "conform",
    ],
    [
      "a flag of another type",
      "POST /api/repos/{owner}/{repo}/{branch}/reset",
      { kind: "wrong", how: "type", in: "body", name: "wipe", value: "word" },
      "conform",
    ],
    [
      "a raised ceiling",
      "PATCH /api/keys/{key_id}",
      { kind: "wrong", how: "raised", in: "body", name: "requests_per_minute", value: 101 },
      "be refused",
    ],
  ])("%s", (_, route, fault, must) => expect(createExpectation(createOperation(route), fault).must).toBe(must));

  test("has only stated or derived clauses of the REST API", () => {
    const blamed = listOperations().flatMap((operation) =>
      listFaults(operation)
        .flatMap((fault) => fc.sample(fault, { numRuns: 10, seed: 3 }))
        .flatMap((fault) => {
          const expectation = createExpectation(operation, fault);
          return expectation.must === "conform"
            ? []
            : expectation.clauses.map((id) => [id, `${operation.route} ${nameFault(fault)}`] as const);
        }),
    );
    expect(blamed.length).toBeGreaterThan(500);
    for (const [id, where] of blamed) {
      expect(contract.clauses[id as ClauseId]?.level, `${id} of ${where}`).toMatch(/^(stated|derived)$/);
      expect(contract.clauses[id as ClauseId]?.surface, `${id} of ${where}`).toContain("rest");
    }
  });
});
