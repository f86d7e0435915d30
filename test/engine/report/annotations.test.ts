import { expect, test } from "vitest";
import { annotations } from "../../../src/engine/report/annotations.js";
import { OUTLINE, sample, waiver } from "./sample.js";

const lines = (text: string) => text.trimEnd().split("\n");

test("prints findings as errors with file and line, unjudged scenarios as warnings, and the verdict as a notice", () => {
  const [error, warning, notice, ...more] = lines(annotations(sample(), OUTLINE));
  expect(error).toMatch(
    /^::error file=scenarios\/1-letters\/two\.yaml,line=7,title=BETA::two\/step%0Aexpected status: 201%0Aactual /,
  );
  expect(warning).toBe("::warning title=inconclusive::the server was busy%0Athree");
  expect(notice).toMatch(
    /^::notice title=failed%3A staging%2C profile safe::1 of 3 clauses is broken\.%0A3 scenarios, 3 checks, 6 requests/,
  );
  expect(more).toEqual([]);
});

test("never turns a response into a workflow command", () => {
  expect(lines(annotations(sample(), OUTLINE)).filter((line) => line.startsWith("::error"))).toHaveLength(1);
  expect(annotations(sample(), OUTLINE)).toContain("100%25%0A::error%3A%3Ax".replaceAll("%3A", ":"));
});

test("reports a stale waiver as an error", () => {
  expect(annotations(sample({ waivers: [waiver("ALPHA")] }), OUTLINE)).toContain(
    "::error title=stale waiver::ALPHA passes: remove its waiver (T-1)\n",
  );
});
