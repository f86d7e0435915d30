import fc from "fast-check";
import type { CaseOutcome, Property, SystemUnderTest } from "../../engine/property/property.js";
import type { Step } from "../../engine/scenario/format.js";
import { isRefusal } from "../answers.js";
import { toolRate } from "../statements/buckets.js";
import { failed, inconclusive } from "./blame.js";

/** Two read tools that are called in turn until the rate refuses one. */
interface Case {
  first: number;
  second: number;
}

const CLAUSES = [toolRate.clause];
/** What "about" so many a minute may mean: a fifth less, a fifth more; and twice the upper one for a window that turns. */
const LEAST = Math.round(0.8 * toolRate.rpm) + 1;
const MOST = 2 * Math.round(1.2 * toolRate.rpm) + 2;

const TOOLS: readonly Step[] = [
  { mcp: { tool: "list_observations", arguments: { status: "new" } } },
  { mcp: { tool: "list_observations", arguments: { kind: "advisory" } } },
  { mcp: { tool: "forecast", arguments: { workflow: "audit" } } },
  { mcp: { tool: "list_jobs", arguments: {} } },
  { mcp: { tool: "list_repositories", arguments: {} } },
  { mcp: { tool: "list_guides", arguments: {} } },
];

/** MCP-RATE-KEY: the tools of a key share about 60 calls a minute, whichever they are; a minute later they pass again. */
export const toolRateHolds: Property<Case> = {
  id: "tool-rate-holds",
  title: "About sixty tool calls a minute pass for a key, whichever tools they are of",
  proves: CLAUSES,
  needs: ["worlds", "clock", "surface.mcp", "key.viewer"],
  effects: ["read", "write"], // it takes from a limit what others may need
  runs: 4,
  cases: ({ offers }) => {
    const known = TOOLS.flatMap(({ mcp }, index) =>
      mcp?.tool === "list_observations" || (offers(`binding.tools.${mcp?.tool}`) && argumentsBound(mcp?.tool, offers))
        ? [index]
        : [],
    );
    return fc.record({ first: fc.constantFrom(...known), second: fc.constantFrom(...known) });
  },
  run: callInTurn,
};

function argumentsBound(tool: string | undefined, offers: SystemUnderTest["offers"]): boolean {
  return tool !== "forecast" || offers("binding.tool_args.forecast.workflow");
}

async function callInTurn(sut: SystemUnderTest, { first, second }: Case): Promise<CaseOutcome> {
  const [one, other] = [TOOLS[first], TOOLS[second]].map((step): Step => ({ ...step, as: "viewer", asIs: true })) as [Step, Step];
  let passed = 0;
  for (; passed < MOST; passed++) {
    const sent = await sut.send(passed % 2 === 0 ? one : other);
    if (!sent.ok) return inconclusive(sent.why);
    if (isRefusal(sent.response)) break;
  }
  if (passed < LEAST - 1) return blame(one, `a tool call is refused after ${passed} calls`, { gte: LEAST, lte: MOST });
  if (passed === MOST) return blameShare(one, other);
  const waited = await sut.wait(65);
  if (!waited.ok) return inconclusive(waited.why);
  const again = await sut.send(other);
  if (!again.ok) return inconclusive(again.why);
  if (!isRefusal(again.response)) return { verdict: "passed", subjects: passed };
  return failed(CLAUSES, "a tool call is refused a minute after the last one", [
    burstOf(one),
    { clock: { by: "65s" } },
    { ...other, expect: { says: { type: "string" } } },
  ]);
}

function blame(step: Step, why: string, firstRefused: unknown): CaseOutcome {
  return failed(CLAUSES, why, [{ ...burstOf(step), expect: { firstRefused } }]);
}

/** Two tools in turn are no burst: after one has used the rate up, the other must be refused. */
function blameShare(one: Step, other: Step): CaseOutcome {
  return failed(CLAUSES, `${MOST} calls of two tools in turn pass in a minute`, [
    burstOf(one),
    { ...other, expect: { refused: true } },
  ]);
}

function burstOf({ mcp, as }: Step): Step {
  return { burst: { ...(mcp && { mcp }), ...(as && { as }), n: MOST } };
}
