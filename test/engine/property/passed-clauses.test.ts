import { expect, test } from "vitest";
import {
  addPassed,
  countPassedClauses,
  createPassedChecks,
  type PassedClauses,
} from "../../../src/engine/property/passed-clauses.js";

test("passed clauses become passed checks, and are restored from the checks of a report", () => {
  const passedClauses: PassedClauses = new Map();
  addPassed(passedClauses, [
    { clause: "ALPHA", surface: "rest", covers: { letter: "a" } },
    { clause: "ALPHA", surface: "rest", covers: { letter: "b" } },
    { clause: "ALPHA", surface: "mcp", covers: {} },
    { clause: "BETA", surface: "rest", covers: {} },
  ]);
  addPassed(passedClauses, [{ clause: "ALPHA", surface: "rest", covers: { letter: "a" } }]);
  const checks = createPassedChecks(passedClauses, "property:letters");
  expect(checks.map(({ id, verdict, clauses, subjects, covers }) => ({ id, verdict, clauses, subjects, covers }))).toEqual([
    {
      id: "property:letters/ALPHA",
      verdict: "passed",
      clauses: ["ALPHA"],
      subjects: 4,
      covers: { rest: { letter: ["a", "b"] }, mcp: {} },
    },
    { id: "property:letters/BETA", verdict: "passed", clauses: ["BETA"], subjects: 1, covers: { rest: {} } },
  ]);
  expect(countPassedClauses(checks)).toEqual(passedClauses);
});
