import { choose } from "./choose.js";
import { effectOf } from "./play/effects.js";
import { obstacle } from "./play/play.js";
import type { Scenario } from "./scenario/format.js";
import { longestWait, onTarget, profileOf } from "./start.js";
import type { Target } from "./target/target.js";
import type { RunResult, VerifyOptions } from "./verify.js";

/** One scenario of a plan: whether it would be played, and what it would cost. */
export interface Planned {
  scenario: string;
  title: string;
  file: string;
  /** Fewest requests: polls, pages and waits add to it. */
  requests: number;
  paid: number;
  obstacle?: string;
}

/** What `verify` would do with these options, without sending anything but the question for the target's description. */
export async function plan(options: VerifyOptions): Promise<{ planned: Planned[] } | RunResult> {
  const chosen = choose(options);
  if (!chosen.ok) return { exitCode: 2, messages: chosen.mistakes };
  return onTarget<{ planned: Planned[] }>(options, async (target) => ({
    planned: chosen.scenarios.map((scenario) => planOne(options, target, scenario)),
  }));
}

function planOne(options: VerifyOptions, target: Target, scenario: Scenario): Planned {
  const stops = obstacle({ target, profile: profileOf(options, target), maxWaitSeconds: longestWait(options) }, scenario);
  const requests = scenario.text.steps.map((step) => {
    const count = (step.burst?.n ?? step.race?.n ?? (step.drive || step.clock ? 0 : 1)) * (step.rows?.length ?? 1);
    return { count, paid: effectOf(step, scenario) === "paid" ? count : 0 };
  });
  const { name, text, file } = scenario;
  const sum = (of: "count" | "paid") => requests.reduce((total, request) => total + request[of], 0);
  return {
    scenario: name,
    title: text.title,
    file,
    requests: sum("count"),
    paid: sum("paid"),
    ...(stops && { obstacle: stops.why }),
  };
}
