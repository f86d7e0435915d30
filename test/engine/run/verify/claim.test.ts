import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { judgeBundle } from "../../../../src/engine/run/judge-bundle.js";
import { selectScenarios } from "../../../../src/engine/run/selection.js";
import { verify } from "../../../../src/engine/run/verify.js";
import type { Suite } from "../../../../src/engine/suite.js";
import { createEdition, writeEdition } from "../../../../src/engine/verdict/editions.js";
import { startMock } from "../../../../src/mock/server.js";
import { suite } from "../../../../src/suite/suite.js";

const directory = mkdtempSync(join(tmpdir(), "claim-"));
afterAll(() => rmSync(directory, { recursive: true }));

const only = ["*/4-forecasts/*"];

/** The suite with other editions, and without scenarios that were read before. */
function withEditions(editions: string): Suite {
  const otherSuite: Suite = { ...suite, editions, ...(suite.ahead && { ahead: { ...suite.ahead, rules: () => otherSuite } }) };
  return otherSuite;
}

/** The suite as if it had been released before some of its scenarios were written. */
function releaseSuite(version: string): { suite: Suite; later: string } {
  const selectionResult = selectScenarios(suite, { only });
  if (!selectionResult.ok) throw new Error(selectionResult.mistakes.join("\n"));
  const [later, ...others] = selectionResult.scenarios;
  const editions = join(directory, "editions");
  const frozen = writeEdition(editions, createEdition(version, suite.clauses, others, []));
  expect(frozen).toMatchObject({ ok: true });
  return { suite: withEditions(editions), later: later?.name ?? "" };
}

test("a run that claims an edition names later clauses, and its bundle is judged by that edition", async () => {
  const { suite: claimed, later } = releaseSuite("1.0.0");
  const mock = await startMock({ seed: 1, clock: "frozen" });
  const out = join(directory, "report");
  const { report, exitCode } = await verify(claimed, { url: mock.api_url, only, claim: "1.0.0", out }).finally(() =>
    mock.close(),
  );
  expect([exitCode, report?.claim]).toMatchObject([0, { names: ["edition 1.0.0"], edition: "1.0.0", total: 418 }]);
  expect(report?.scenarios.filter((line) => line.newer).map(({ scenario }) => scenario)).toEqual([later]);
  const repeatedRunResult = await judgeBundle(claimed, { bundle: out });
  expect([repeatedRunResult.exitCode, repeatedRunResult.report?.claim?.edition]).toEqual([0, "1.0.0"]);
});

test("an unknown edition is refused before the server is examined", async () => {
  const { exitCode, messages } = await verify(withEditions(join(directory, "none")), {
    url: "http://127.0.0.1:1",
    only,
    claim: "1.0.0",
  });
  expect([exitCode, messages]).toEqual([2, ['--claim: the suite has no edition "1.0.0". Known editions: none']]);
});

test.each([
  ["JOB-CANCL-PENDING", /^--claim: the suite has no edition and no clause "JOB-CANCL-PENDING"; nearest: JOB-CANCEL-PENDING/],
  ["GEN-COVERAGE", /^--claim: the clause "GEN-COVERAGE" cannot be claimed/],
  ["section:12", /^--claim: the contract has no section "12" .* Use 1 to 9\.$/],
  ["section:Limts", /^--claim: the contract has no section "Limts" .*; nearest: Limits/],
  ["profile:saef", /^--claim: "saef" is not a profile\. Use read-only, safe, full; nearest: safe\.$/],
  ["baseline:none.json", /^--claim: none\.json: does not exist\./],
  ["JOB-RETRY-NEW", /^--claim: it names no clause that this run can judge\.$/],
])("the claim %s is refused with one sentence", async (claim, sentence) => {
  const { exitCode, messages } = await verify(suite, { url: "http://127.0.0.1:1", key: "a-key-for-nobody", only, claim });
  expect([exitCode, messages]).toEqual([2, [expect.stringMatching(sentence)]]);
});

test("a baseline of other clauses is refused, and a claim that the profile leaves out", async () => {
  const file = join(directory, "baseline.json");
  const baseline = { target: "t", profile: "full", started_at: "2030-01-01T00:00:00Z", passed: ["JOB-RETRY-NEW"] };
  const { version, clauses_digest } = suite.identify([]);
  const refusal = async (suiteOfBaseline: object) => {
    writeFileSync(file, JSON.stringify({ suite: suiteOfBaseline, ...baseline }));
    const options = { url: "http://127.0.0.1:1", key: "a-key-for-nobody", claim: `baseline:${file}`, profile: "safe" } as const;
    return (await verify(suite, options)).messages;
  };
  expect(await refusal({ version: "0.0.1", clauses_digest: "0" })).toEqual([
    expect.stringMatching(
      /baseline\.json is a baseline of another edition: its clauses are those of version 0\.0\.1, and differ/,
    ),
  ]);
  expect(await refusal({ version, clauses_digest })).toEqual([
    expect.stringMatching(
      /^--claim: the profile safe leaves out 1 of 1 claimed clauses \(JOB-RETRY-NEW\)\. Use a wider --profile/,
    ),
  ]);
});
