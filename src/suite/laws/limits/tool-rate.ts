import fc from "fast-check";
import type { CaseOutcome, Property, SystemUnderTest } from "../../../engine/property/property.js";
import type { Step } from "../../../engine/scenario/format.js";
import { findToolBindings } from "../../request-rules.js";
import { isRefusal } from "../../response-rules.js";
import { toolRate } from "../../statements/buckets.js";
import { createInconclusive } from "../outcome.js";
import { completeEvidence, groupCovers, listPoints } from "./judged-points.js";
import { computeBounds, type RateLimit } from "./rate-limit.js";
import { REST_SECONDS, type RequestAtLimit, type RetryPlan, tryLimit } from "./rate-trial.js";

/** Indexes of the tools to call in turn, and the course. */
interface Case {
  tools: number[];
  course: RetryPlan;
}

/** No tool here matches a route with a path bucket, because its calls may count against that bucket too. */
const TOOL_STEPS: readonly Step[] = [
  { mcp: { tool: "list_observations", arguments: { status: "new" } } },
  { mcp: { tool: "list_observations", arguments: { kind: "advisory" } } },
  { mcp: { tool: "forecast", arguments: { workflow: "audit" } } },
  { mcp: { tool: "list_jobs", arguments: {} } },
  { mcp: { tool: "list_guides", arguments: {} } },
];

/** MCP-RATE-KEY: all tool calls of a key share about 60 a minute; other keys have their own. */
export const toolCallRate: Property<Case> = {
  id: "tool-rate",
  title: "A key has about 60 tool calls a minute for all tools together",
  proves: [toolRate.clause, "RETRY-AFTER-429", "RETRY-AFTER-HELPS"],
  needs: ["worlds", "clock", "surface.mcp", "key.viewer"],
  effects: ["read", "write"], // it uses up a limit that other clients may need
  covers: groupCovers([[0], [0, 1]].flatMap((tools) => listPoints(createToolLimit(tools), completeEvidence([]), {}))),
  runs: 2,
  max: 2,
  cases: ({ offers }) => {
    const known = TOOL_STEPS.flatMap(({ mcp = {} }, index) =>
      findToolBindings(mcp).every((name) => offers(`binding.${name}`)) ? [index] : [],
    );
    return fc.record({
      tools: fc.shuffledSubarray(known, { minLength: 1, maxLength: 3 }),
      course: fc.record({ gapSeconds: fc.integer({ min: 2, max: 10 }), rests: fc.boolean() }),
    });
  },
  run: runCase,
};

async function runCase(sut: SystemUnderTest, { tools, course }: Case): Promise<CaseOutcome> {
  const served = await countServedTools(sut);
  const restResult = await sut.wait(REST_SECONDS);
  const limit = createToolLimit(tools.filter((index) => served.includes(index)));
  if (limit.requests.length === 0 || !restResult.ok) return createInconclusive("the server accepts none of the drawn tool calls");
  const result = await tryLimit(sut, limit, { course, before: [], neighbours: listNeighbours(served) });
  if ("verdict" in result) return result;
  if (!result.ok) return createInconclusive(result.why);
  return { verdict: "passed", subjects: result.subjects, judged: listPoints(limit, result, {}) };
}

function createToolLimit(tools: readonly number[]): RateLimit {
  const requests = tools.flatMap((index) => TOOL_STEPS[index] ?? []).map((step) => ({ ...step, as: "viewer" }));
  return {
    name: "the rate of tool calls",
    kind: "tool rate",
    ...computeBounds(toolRate.rpm),
    uncounted: 2,
    clauses: [toolRate.clause],
    requests,
  };
}

/** Returns the indexes of the tools that the server accepts from the key. Another refusal of a tool looks like one for the rate. */
async function countServedTools(sut: SystemUnderTest): Promise<number[]> {
  const served: number[] = [];
  for (const [index, step] of TOOL_STEPS.entries()) {
    if (!findToolBindings(step.mcp ?? {}).every((name) => sut.offers(`binding.${name}`))) continue;
    const sent = await sut.send({ ...step, as: "viewer" });
    if (sent.ok && !isRefusal(sent.response)) served.push(index);
  }
  return served;
}

/** Every tool refuses the key, by HTTP or by a tool error, and accepts another key. */
function listNeighbours(served: readonly number[]): RequestAtLimit[] {
  const steps = served.flatMap((index) => TOOL_STEPS[index] ?? []);
  return [
    ...steps.map((step) => ({ step: { ...step, as: "viewer" }, clause: toolRate.clause, refused: true })),
    { step: { ...(steps[0] as Step), as: "full" }, clause: toolRate.clause, refused: false },
  ];
}
