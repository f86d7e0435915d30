import fc from "fast-check";
import type { CaseOutcome, Property, SystemUnderTest } from "../../../engine/property/property.js";
import type { Step } from "../../../engine/scenario/format.js";
import { bindingsOfTool } from "../../request-rules.js";
import { toolRate } from "../../statements/buckets.js";
import { inconclusive } from "../blame.js";
import { type Course, holdRate, type Neighbour } from "./hold.js";
import { coversOf, everything, pointsOf } from "./judged.js";
import { about, type RateLimit } from "./rate.js";

/** Tools, each by its place, that are called in turn, and when. */
interface Case {
  tools: number[];
  course: Course;
}

/** None does what a route with a path bucket does, which its calls may draw upon as well. */
const TOOLS: readonly Step[] = [
  { mcp: { tool: "list_observations", arguments: { status: "new" } } },
  { mcp: { tool: "list_observations", arguments: { kind: "advisory" } } },
  { mcp: { tool: "forecast", arguments: { workflow: "audit" } } },
  { mcp: { tool: "list_jobs", arguments: {} } },
  { mcp: { tool: "list_guides", arguments: {} } },
];

/** MCP-RATE-KEY: the calls of a key share about 60 a minute, whichever tools they are of, and no other key's do. */
export const toolRateHolds: Property<Case> = {
  id: "tool-rate-holds",
  title: "About sixty tool calls a minute pass for a key, whichever tools they are of",
  proves: [toolRate.clause, "RETRY-AFTER-429", "RETRY-AFTER-HELPS"],
  needs: ["worlds", "clock", "surface.mcp", "key.viewer"],
  effects: ["read", "write"], // it takes from a limit what others may need
  covers: coversOf([[0], [0, 1]].flatMap((tools) => pointsOf(limitOver(tools), everything([]), {}))),
  runs: 2,
  most: 2,
  cases: ({ offers }) => {
    const known = TOOLS.flatMap(({ mcp = {} }, index) =>
      bindingsOfTool(mcp).every((name) => offers(`binding.${name}`)) ? [index] : [],
    );
    return fc.record({
      tools: fc.shuffledSubarray(known, { minLength: 1, maxLength: 3 }),
      course: fc.record({ gapSeconds: fc.integer({ min: 2, max: 10 }), rests: fc.boolean() }),
    });
  },
  run: callInTurn,
};

async function callInTurn(sut: SystemUnderTest, { tools, course }: Case): Promise<CaseOutcome> {
  const limit = limitOver(tools);
  const result = await holdRate(sut, limit, { course, before: [], neighbours: neighboursOf(sut) });
  if ("verdict" in result) return result;
  if (!result.ok) return inconclusive(result.why);
  return { verdict: "passed", subjects: result.subjects, judged: pointsOf(limit, result, {}) };
}

function limitOver(tools: readonly number[]): RateLimit {
  const requests = tools.flatMap((index) => TOOLS[index] ?? []).map((step) => ({ ...step, as: "viewer" }));
  return { name: "the rate of tool calls", kind: "tool rate", ...about(toolRate.rpm), clauses: [toolRate.clause], requests };
}

/** Every tool is refused to the key, which may be told by HTTP as well as by a tool, and none to another key. */
function neighboursOf(sut: SystemUnderTest): Neighbour[] {
  const known = TOOLS.filter(({ mcp = {} }) => bindingsOfTool(mcp).every((name) => sut.offers(`binding.${name}`)));
  return [
    ...known.map((step) => ({ step: { ...step, as: "viewer" }, clause: toolRate.clause, refused: true })),
    { step: { ...(known[0] as Step), as: "full" }, clause: toolRate.clause, refused: false },
  ];
}
