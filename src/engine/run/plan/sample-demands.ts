import fc from "fast-check";
import type { Run } from "../../execute/run.js";
import { isSessionRequest } from "../../http/mcp.js";
import { isShared } from "../../pacing/concurrent-tasks.js";
import { type Coverage, openCoverage } from "../../property/coverage.js";
import type { Property } from "../../property/property.js";
import { openSystemUnderTest } from "../../property/system-under-test.js";
import { compileScenario } from "../../scenario/compile.js";
import { sumDemands } from "../../scenario/demand.js";
import type { Step } from "../../scenario/format.js";
import type { CompileRules } from "../../scenario/requests.js";
import type { Demand } from "../../scenario/scenario.js";
import { meetsNeed } from "../../target/needs.js";
import type { Target } from "../../target/target.js";

/** The requests of one case. The steps show which rate limits they count against; the counts include pages, retries, and MCP sessions that are not kept. */
interface CaseRequests {
  steps: readonly Step[];
  rest: number;
  tool: number;
}

/** Cases of each property in the sample. */
const SAMPLE_CASES = 3;

/** A property, and its number of cases in a run. */
export interface PropertyRuns {
  property: Property;
  runs: number;
}

/** Estimates the requests of all cases of each property. Generates a few cases for the target, and runs them in the sandbox at no cost. */
export async function sampleDemands(
  sandbox: Run,
  target: Target,
  properties: readonly PropertyRuns[],
  seed: number,
): Promise<Map<string, Demand[]>> {
  const sampledDemandses = new Map<string, Demand[]>();
  for (const property of properties) {
    const { id, coveragePoints } = property.property;
    const offers = (need: string) => meetsNeed(need, target);
    const runCases = async (coverage: Coverage, numRuns: number) => {
      const values = fc.sample(property.property.cases({ coverage, offers }), { numRuns, seed });
      const cases = values.map((value, n) =>
        runCase(sandbox, target, property.property, { value, coverage, unique: `${sandbox.id}-${id}-${n}` }),
      );
      return (await Promise.all(cases)).flatMap((sentCaseRequests) => createDemands(sentCaseRequests, sandbox.suite));
    };
    sampledDemandses.set(
      id,
      coveragePoints
        ? await sampleCoverageSearch(property.runs, coveragePoints, runCases)
        : (await runCases(openCoverage(), SAMPLE_CASES)).map(multiplyBy(property.runs / SAMPLE_CASES)),
    );
  }
  return sampledDemandses;
}

/** Estimates the requests of a property whose first cases look for uncovered values. Later cases are ordinary. */
async function sampleCoverageSearch(
  runs: number,
  kind: string,
  runCases: (coverage: Coverage, runs: number) => Promise<Demand[]>,
): Promise<Demand[]> {
  const coverage = openCoverage();
  const searching = await runCases(coverage, 1);
  const unreached = coverage.unreached(kind);
  const reachedCount = Object.keys(coverage.toJSON()[kind] ?? {}).length - unreached.length;
  for (const name of unreached) coverage.reach(kind, name);
  const searchRuns = Math.min(runs, 1 + Math.ceil(unreached.length / Math.max(1, reachedCount)));
  const otherDemands = searchRuns < runs ? await runCases(coverage, 1) : [];
  return [...searching.map(multiplyBy(searchRuns)), ...otherDemands.map(multiplyBy(runs - searchRuns))];
}

function multiplyBy(factor: number): (demand: Demand) => Demand {
  return (demand) => ({
    ...demand,
    count: demand.count * factor,
    paid: demand.paid * factor,
    paidIfTaken: demand.paidIfTaken * factor,
  });
}

async function runCase(
  sandbox: Run,
  examinedTarget: Target,
  property: Property,
  { value, unique, coverage }: { value: unknown; unique: string; coverage: Coverage },
): Promise<CaseRequests> {
  const counts = { rest: 0, tool: 0 };
  const result = await openSystemUnderTest(addCounts(sandbox, examinedTarget, counts), {
    name: property.id,
    unique,
    coverage,
  });
  if (!result.ok) return { steps: [], ...counts };
  const { sut, close } = result;
  const atOnce: Step[] = [];
  const sendAtOnce: typeof sut.sendAtOnce = (steps) => {
    atOnce.push(...steps);
    return sut.sendAtOnce(steps);
  };
  try {
    await property.run({ ...sut, sendAtOnce }, value);
    return { steps: [...sut.steps, ...atOnce], ...counts };
  } finally {
    await close();
  }
}

/** Returns a run that counts its requests, without those that the examined server would not get. */
function addCounts(run: Run, examinedTarget: Target, counts: { rest: number; tool: number }): Run {
  const { wire, target } = run;
  const send: typeof wire.send = (request, signal) => {
    const isTool = request.url === target.urls.mcp;
    if (!isTool || !isShared(examinedTarget) || !isSessionRequest(request)) counts[isTool ? "tool" : "rest"] += 1;
    return wire.send(request, signal);
  };
  return { ...run, wire: { ...wire, send } };
}

function createDemands({ steps, ...counts }: CaseRequests, rules: CompileRules): Demand[] {
  const { demands } = compileScenario({ scenario: "sample", title: "Sample", proves: [], steps: [...steps] }, rules);
  return (["rest", "tool"] as const).flatMap((kind) => {
    const ownDemands = demands.filter(({ tool }) => tool === (kind === "tool"));
    const factor = counts[kind] / sumDemands(ownDemands, "count");
    return ownDemands.map((demand) => ({ ...demand, count: demand.count * factor }));
  });
}
