import fc from "fast-check";
import type { Run } from "../../execute/run.js";
import { isOfSession } from "../../http/mcp.js";
import { isShared } from "../../pacing/side-by-side.js";
import { openCoverage } from "../../property/coverage.js";
import type { Property } from "../../property/property.js";
import { openSystemUnderTest } from "../../property/system-under-test.js";
import { compileScenario } from "../../scenario/compile.js";
import { total } from "../../scenario/demand.js";
import type { Step } from "../../scenario/format.js";
import type { CompileRules } from "../../scenario/requests.js";
import type { Demand } from "../../scenario/scenario.js";
import { isMet } from "../../target/offers.js";
import type { Target } from "../../target/target.js";

/** Cases of a property that are run to learn what it sends. */
export const CASES = 3;

/** What one case sends: its steps say to which rates, and the wire how much, with pages and repeated tries, and with MCP sessions where they are not kept. */
interface CaseRequests {
  steps: readonly Step[];
  rest: number;
  tool: number;
}

/** What `CASES` cases of each property send. They are drawn as for the target and run in a sandbox, which costs nothing. */
export async function sampleDemands(
  sandbox: Run,
  target: Target,
  properties: readonly Property[],
  seed: number,
): Promise<Map<string, Demand[]>> {
  const sampled = new Map<string, Demand[]>();
  for (const property of properties) {
    const offers = (need: string) => isMet(need, target);
    const values = fc.sample(property.cases({ coverage: openCoverage(), offers }), { numRuns: CASES, seed });
    const cases = await Promise.all(
      values.map((value, n) => runCase(sandbox, target, property, value, `${sandbox.id}-${property.id}-${n}`)),
    );
    sampled.set(
      property.id,
      cases.flatMap((one) => asDemands(one, sandbox.suite)),
    );
  }
  return sampled;
}

async function runCase(
  sandbox: Run,
  examined: Target,
  property: Property,
  value: unknown,
  unique: string,
): Promise<CaseRequests> {
  const counts = { rest: 0, tool: 0 };
  const opened = await openSystemUnderTest(withCounts(sandbox, examined, counts), {
    name: property.id,
    unique,
    coverage: openCoverage(),
  });
  if (!opened.ok) return { steps: [], ...counts };
  const { sut, close } = opened;
  const atOnce: Step[] = [];
  const together: typeof sut.together = (steps) => {
    atOnce.push(...steps);
    return sut.together(steps);
  };
  try {
    await property.run({ ...sut, together }, value);
    return { steps: [...sut.steps, ...atOnce], ...counts };
  } finally {
    await close();
  }
}

/** The run with its requests counted, as far as they would be sent to the server that is examined. */
function withCounts(run: Run, examined: Target, counts: { rest: number; tool: number }): Run {
  const { wire, target } = run;
  const send: typeof wire.send = (request, signal) => {
    const isTool = request.url === target.urls.mcp;
    if (!isTool || !isShared(examined) || !isOfSession(request)) counts[isTool ? "tool" : "rest"] += 1;
    return wire.send(request, signal);
  };
  return { ...run, wire: { ...wire, send } };
}

function asDemands({ steps, ...counts }: CaseRequests, rules: CompileRules): Demand[] {
  const { demands } = compileScenario({ scenario: "sample", title: "Sample", proves: [], steps: [...steps] }, rules);
  return (["rest", "tool"] as const).flatMap((kind) => {
    const own = demands.filter(({ tool }) => tool === (kind === "tool"));
    const factor = counts[kind] / total(own, "count");
    return own.map((demand) => ({ ...demand, count: demand.count * factor }));
  });
}
