import { formatJson } from "../../../common/escape/visible.js";
import { formatDimensions, summarizeDimensions } from "../../report/dimension-coverage.js";
import type { Report } from "../../report/report.js";
import { formatClaim } from "../../verdict/claim.js";
import type { ClauseVerdict } from "../../verdict/clauses.js";
import type { FileDigest } from "./files.js";

/** An in-toto Statement (v1) whose predicate is a test result (v0.1): https://github.com/in-toto/attestation/tree/main/spec. */
export interface Statement {
  _type: "https://in-toto.io/Statement/v1";
  subject: { name: string; digest: { sha256: string } }[];
  predicateType: "https://in-toto.io/attestation/test-result/v0.1";
  predicate: {
    result: Result;
    configuration: Record<string, unknown>[];
    passedTests: string[];
    warnedTests: string[];
    failedTests: string[];
  };
}

/** FAILED: there are findings. PASSED: every claimed clause passed. WARNED: a clause is waived, was not judged or lacks the means to be judged. */
type Result = "PASSED" | "WARNED" | "FAILED";

/** Returns the text of the statement for the files of a run. This text is written and signed. Equal files give equal texts. */
export function formatStatement(report: Report, files: readonly FileDigest[]): string {
  return `${formatJson(createStatement(report, files), 2)}\n`;
}

function createStatement(report: Report, files: readonly FileDigest[]): Statement {
  const tests = (result: Result) => report.clauses.filter((clause) => chooseResult(clause) === result).map(({ id }) => id);
  const warnedTests = tests("WARNED");
  return {
    _type: "https://in-toto.io/Statement/v1",
    subject: files.map(({ name, sha256 }) => ({ name, digest: { sha256 } })),
    predicateType: "https://in-toto.io/attestation/test-result/v0.1",
    predicate: {
      result:
        report.verdict === "failed" ? "FAILED" : report.verdict === "passed" && warnedTests.length === 0 ? "PASSED" : "WARNED",
      configuration: listConfiguration(report),
      passedTests: tests("PASSED"),
      warnedTests,
      failedTests: tests("FAILED"),
    },
  };
}

/** Returns the resource descriptors. Each has a digest, a URI or content, as the specification requires. */
function listConfiguration(report: Report): Record<string, unknown>[] {
  const { suite, target, url, profile, seed, selection, started_at, clauses, claim, outcome, mcp_revision, server_version } =
    report;
  const { version, clauses_digest, scenarios_digest } = suite;
  const dimensions = Object.fromEntries(
    clauses.flatMap((clause) => (clause.dimensions ? [[clause.id, formatDimensions(clause)]] : [])),
  );
  const run = { profile, seed, selection, started_at, ...(mcp_revision && { mcp_revision }) };
  return [
    { name: "scenarios", digest: { sha256: scenarios_digest }, annotations: { version } },
    { name: "clauses", digest: { sha256: clauses_digest }, annotations: { version } },
    { name: "target", uri: url, annotations: { name: target, ...(server_version !== undefined && { version: server_version }) } },
    { name: "run", ...copyContent(run), annotations: run },
    {
      name: "claim",
      ...copyContent(claim?.clauses ?? []),
      annotations: { claim: claim ? formatClaim(claim) : "everything", outcome: outcome.sentence },
    },
    { name: "dimension-coverage", ...copyContent(dimensions), annotations: { all: summarizeDimensions(report) } },
  ];
}

function copyContent(value: unknown): Record<string, unknown> {
  return { mediaType: "application/json", content: Buffer.from(JSON.stringify(value)).toString("base64") };
}

/** Returns the test result for the verdict of a clause; undefined if no run against this server can test the clause. */
function chooseResult({ verdict, missing }: ClauseVerdict): Result | undefined {
  switch (verdict) {
    case "passed":
      return "PASSED";
    case "failed":
    case "stale-waiver":
      return "FAILED";
    case "warned":
    case "waived":
    case "inconclusive":
    case "not-observed":
    case "harness-error":
      return "WARNED";
    case "not-applicable":
      return missing && "WARNED";
    case "informational":
      return undefined;
    default:
      return verdict satisfies never;
  }
}
