import { expect, test } from "vitest";
import { formatAnnotations } from "../../../src/engine/report/annotations.js";
import { check, line, OUTLINE, sample, waiver } from "./sample.js";

const lines = (text: string) => text.trimEnd().split("\n");

test("prints causes as errors with file and line, unjudged scenarios as warnings, and the verdict as a notice", () => {
  const [error, warning, notice, ...more] = lines(formatAnnotations(sample(), OUTLINE));
  expect(error).toMatch(
    /^::error file=scenarios\/1-letters\/two\.yaml,line=7,title=BETA::the server: .*%0A1 failed check of 1 clause%0Atwo\/step%0Aexpected status: 201%0Aactual /,
  );
  expect(warning).toBe("::warning title=inconclusive::the server was busy%0Athree");
  expect(notice).toMatch(
    /^::notice title=failed%3A staging%2C profile safe::1 of 3 clauses is broken\.%0A3 scenarios, 3 checks, 6 requests/,
  );
  expect(more).toEqual([]);
});

test("never turns a response into a workflow command", () => {
  expect(lines(formatAnnotations(sample(), OUTLINE)).filter((line) => line.startsWith("::error"))).toHaveLength(1);
  expect(formatAnnotations(sample(), OUTLINE)).toContain("100%25%0A::error%3A%3Ax".replaceAll("%3A", ":"));
});

test("reports a stale waiver as an error", () => {
  expect(formatAnnotations(sample({ waivers: [waiver("ALPHA")] }), OUTLINE)).toContain(
    "::error title=stale waiver::ALPHA passes: remove its waiver (T-1)\n",
  );
});

test("prints one error for each cause, the largest first, and at most ten", () => {
  const names = Array.from({ length: 14 }, (_, n) => `s${n}`);
  const checks = names.map((name, n) => {
    const number = Math.min(n, 12);
    const mismatches = [{ at: `/f${number}`, pointer: `/f${number}`, expected: "1", actual: "2" }];
    return check(name, "BETA", "failed", { operation: `GET /${number}`, mismatches });
  });
  const text = lines(
    formatAnnotations(sample({ scenarios: names.map((name) => line(name, "BETA", "failed")), checks }), OUTLINE),
  );
  const errors = text.filter((one) => one.startsWith("::error"));
  expect(errors).toHaveLength(10);
  expect(text.slice(0, 10)).toEqual(errors);
  expect(errors[0]).toContain("::GET /12: /f12 is 2, not 1%0A2 failed checks of 1 clause%0A");
  expect(text.find((one) => one.startsWith("::notice"))).toContain("%0A3 more errors in report.json%0A");
});
