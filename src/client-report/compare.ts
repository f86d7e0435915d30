import type { ClauseId } from "../contract/types.js";
import { comparedClauses } from "./calls.js";
import { type ClauseVerdict, type ClientFinding, type ClientReport, computeVerdict, type FindingExample } from "./report.js";
import { maxExamples } from "./tally.js";
import { hasVariations as isVaried, listChangedParts, type TrialCall } from "./trial-call.js";

/** One run of a client's program. */
export interface Trial {
  report: ClientReport;
  exitCode: number;
  /** Its calls in order, those of all worlds. */
  calls: readonly TrialCall[];
}

/** The varied answer after which the client behaved differently, and the plain answer to the same call. */
interface Cause {
  call: TrialCall;
  plain: TrialCall | undefined;
  /** Whether the client sent nothing to that world afterwards. */
  isLast: boolean;
}

/** Which variation tests which clause. A failure on another variation is attributed to no clause. */
const clauseOfVariation: Readonly<Record<string, ClauseId>> = { "extra-fields": "VERSION-TOLERATE", refusals: "ERR-CODE-BRANCH" };
const submit = "POST /api/repos/{owner}/{repo}/{branch}/jobs";

/**
 * Compares a run with plain answers and a run with varied answers. A client that relies on the contract alone behaves alike in both; its
 * number of calls and pages can differ. Returns the joined report of both runs.
 */
export function compareTrials(plainTrial: Trial, variedTrial: Trial): ClientReport {
  const difference = findFirstDifference(plainTrial, variedTrial);
  const findings = [
    ...(difference ? [difference] : []),
    ...joinFindings(plainTrial.report.findings, variedTrial.report.findings),
  ];
  const clauses = plainTrial.report.clauses.map(({ id, verdict: first }, i) => ({
    id,
    verdict: comparedClauses.includes(id)
      ? compareVerdict(id, plainTrial, variedTrial, difference)
      : pickWorse(first, variedTrial.report.clauses[i]?.verdict ?? first),
  }));
  return {
    verdict: computeVerdict({ findings, clauses }),
    requests: plainTrial.report.requests + variedTrial.report.requests,
    findings,
    clauses,
    coverage: plainTrial.report.coverage,
  };
}

function compareVerdict(id: ClauseId, plainTrial: Trial, { calls }: Trial, difference: ClientFinding | null): ClauseVerdict {
  if (difference?.clauses.includes(id)) return difference.severity === "forbidden" ? "failed" : "warned";
  // a program that fails on plain answers, or for another reason, is not evidence about the clause
  if (difference || plainTrial.exitCode !== 0) return "not-observed";
  const isCovered =
    id === "JOB-SUBMIT-ONLY-201"
      ? calls.some(({ operation, status }) => operation === submit && status === 200)
      : calls.some(({ variations }) => variations.some((name) => clauseOfVariation[name] === id));
  return isCovered ? "passed" : "not-observed";
}

function findFirstDifference(plainTrial: Trial, variedTrial: Trial): ClientFinding | null {
  if (plainTrial.exitCode !== 0) return null;
  const cause = findCause(plainTrial.calls, variedTrial.calls);
  const [only] = cause?.call.variations ?? [];
  const isKnown = cause?.isLast && cause.call.variations.length === 1;
  const clause = isKnown ? clauseOfVariation[only ?? ""] : undefined;
  const common = { ...variationRule, clauses: clause === undefined ? [] : [clause] };
  if (variedTrial.exitCode !== 0) {
    const ended = `the program ended with ${variedTrial.exitCode} when answers varied, and with 0 when they did not`;
    return { ...common, severity: "forbidden", count: 1, examples: listExamples(cause, variedTrial.calls, ended) };
  }
  const missing = (["routes", "tools"] as const).flatMap((kind) =>
    plainTrial.report.coverage[kind].covered.filter((name) => !variedTrial.report.coverage[kind].covered.includes(name)),
  );
  if (missing.length === 0) return null;
  const left = `the program did not call ${missing.slice(0, maxExamples).join(", ")} when answers varied`;
  return { ...common, severity: "discouraged", count: missing.length, examples: listExamples(cause, variedTrial.calls, left) };
}

const variationRule = {
  id: "leans-on-undocumented",
  message:
    "The program behaved differently when answers varied as the contract allows: further fields, another order of keys, another status for the same refusal, other pages. Tolerate unknown fields, branch on `error.code`, and take only 201 for a run that was started.",
};

/** Returns the call that is the cause. If it is unknown, returns the last varied calls. */
function listExamples(cause: Cause | null, calls: readonly TrialCall[], what: string): FindingExample[] {
  if (cause) return [createExample(cause.call, cause.plain, `${what}; both runs are alike up to this call`)];
  const candidates = calls.filter(isVaried).slice(-maxExamples);
  if (candidates.length === 0)
    return [{ world: null, entry: null, request: "the whole program", why: `${what}; no answer that it read was varied` }];
  return candidates.map((call) => createExample(call, undefined, `${what}; this is one of several calls that can be the cause`));
}

function createExample(call: TrialCall, plainTrialCall: TrialCall | undefined, what: string): FindingExample {
  const { world, entry, request, variations } = call;
  const fields = plainTrialCall ? listChangedParts(plainTrialCall, call) : [];
  const changed = fields.length > 0 ? `, which changed ${fields.join(", ")}` : "";
  const names = variations.join(", ");
  return {
    world,
    entry,
    request,
    why: `variation ${names}${changed}: ${what}`,
    variation: names,
    ...(fields.length > 0 && { fields }),
  };
}

/** Returns the varied answer after which a world's calls differ from the plain run; null if it is unknown. */
function findCause(plainTrialCalls: readonly TrialCall[], variedTrialCalls: readonly TrialCall[]): Cause | null {
  for (const world of new Set(plainTrialCalls.map((call) => call.world))) {
    const [before, after] = [plainTrialCalls, variedTrialCalls].map((calls) =>
      groupRuns(calls.filter((call) => call.world === world)),
    ) as [Runs, Runs];
    const at = before.findIndex(([first], i) => first?.operation !== after[i]?.[0]?.operation);
    const call = at < 1 ? undefined : after[at - 1]?.at(-1);
    if (call && isVaried(call)) return { call, plain: before[at - 1]?.at(-1), isLast: at >= after.length };
    if (at >= 0) return null;
  }
  const [call, other] = variedTrialCalls.filter(isVaried);
  if (!call || other) return null;
  return {
    call,
    plain: plainTrialCalls.find(({ request, world }) => request === call.request && world === call.world),
    isLast: call === variedTrialCalls.at(-1),
  };
}

type Runs = TrialCall[][];

/** Groups calls in a row of the same operation: polling, paging and retries differ between runs. */
function groupRuns(calls: readonly TrialCall[]): Runs {
  const runs: Runs = [];
  for (const call of calls) {
    const last = runs.at(-1);
    if (last?.[0]?.operation === call.operation) last.push(call);
    else runs.push([call]);
  }
  return runs;
}

function joinFindings(first: readonly ClientFinding[], second: readonly ClientFinding[]): ClientFinding[] {
  const both = first.map((finding) => {
    const otherClientFinding = second.find(({ id }) => id === finding.id);
    if (!otherClientFinding) return finding;
    const examples = [...finding.examples, ...otherClientFinding.examples].slice(0, maxExamples);
    return { ...finding, count: finding.count + otherClientFinding.count, examples };
  });
  return [...both, ...second.filter(({ id }) => !first.some((finding) => finding.id === id))];
}

const verdictOrder: readonly ClauseVerdict[] = ["not-observed", "passed", "warned", "failed"];

function pickWorse(clauseVerdict: ClauseVerdict, otherClauseVerdict: ClauseVerdict): ClauseVerdict {
  return verdictOrder.indexOf(clauseVerdict) > verdictOrder.indexOf(otherClauseVerdict) ? clauseVerdict : otherClauseVerdict;
}
