import type { Run } from "../execute/run.js";
import { findSkipReason } from "../execute/skip-reason.js";
import { estimateSeconds } from "../pacing/scenario-order.js";
import type { Scenario } from "../scenario/scenario.js";
import type { Suite } from "../suite.js";
import type { VerifyOptions } from "./options.js";
import { estimateDuration } from "./plan/duration.js";
import type { ScenarioTimes } from "./progress.js";

/** Part of the time that scenarios may use. The rest is for cleaning up and for answers that take longer than expected. */
const USED_SHARE = 0.9;

/** The expected times of a run, and the scenarios for which its deadline leaves no time. */
export interface TimePlan {
  /** Resolves when the times are known. Never rejects. */
  ready: Promise<void>;
  /** Tells whether the deadline leaves no time for a scenario, as planned or because less time is left than it takes. */
  hasNoTimeFor(scenario: Scenario): boolean;
  times: ScenarioTimes;
}

/** Plans the times of a run. `remaining`: the scenarios that it runs; `responseSeconds`: how long the server takes to answer. */
export function openTimePlan(
  suite: Suite,
  { shard, onEstimate }: Pick<VerifyOptions, "shard" | "onEstimate">,
  remainingScenarios: readonly Scenario[],
  run: Run,
  responseSeconds: number,
): TimePlan {
  const executable = remainingScenarios.filter((scenario) => !findSkipReason(run, scenario));
  let lateScenarios: ReadonlySet<Scenario> = new Set();
  let planned: { names: ReadonlySet<string>; ends: readonly number[] } | undefined;
  const complete = new Set<string>();
  let completePlanned = 0;
  const plan = async () => {
    const { expected, ends: all } = await estimateDuration(
      { suite, target: run.target, profile: run.profile },
      shard,
      executable,
      {
        ...(run.deadlineSeconds !== undefined && { responseSeconds }), // only what must end in time needs them
      },
    );
    if (run.deadlineSeconds !== undefined) lateScenarios = findLateScenarios((run.deadline - run.now()) / 1000, all, executable);
    const toRun = executable.filter((scenario) => !lateScenarios.has(scenario));
    const ends = toRun.map(({ name }) => all.get(name) ?? 0).sort((one, other) => one - other);
    planned = { names: new Set(toRun.map(({ name }) => name)), ends };
    completePlanned = toRun.filter(({ name }) => complete.has(name)).length;
    const leftOut = lateScenarios.size > 0 && { scenarios: lateScenarios.size, clauses: listOnlyJudgedBy(lateScenarios, toRun) };
    onEstimate?.({ minutes: expected, ...(leftOut && { leftOut }) });
  };
  return {
    ready: plan(),
    hasNoTimeFor: (scenario) =>
      lateScenarios.has(scenario) || run.now() + estimateSeconds(scenario, run.target, responseSeconds) * 1000 > run.deadline,
    times: {
      complete(name) {
        complete.add(name);
        if (planned?.names.has(name)) completePlanned += 1;
      },
      secondsLeft: () => planned && (planned.ends.at(-1) ?? 0) - (planned.ends[completePlanned - 1] ?? 0),
    },
  };
}

/** Returns the scenarios that are expected to end too late for a deadline. `ends`: their expected ends, in seconds from now. */
export function findLateScenarios(
  deadlineSeconds: number,
  ends: ReadonlyMap<string, number>,
  scenarios: readonly Scenario[],
): ReadonlySet<Scenario> {
  return new Set(scenarios.filter(({ name }) => (ends.get(name) ?? 0) > deadlineSeconds * USED_SHARE));
}

/** Returns the clauses that only scenarios which are left out judge. */
function listOnlyJudgedBy(lateScenarios: ReadonlySet<Scenario>, toRun: readonly Scenario[]): string[] {
  const judged = new Set(toRun.flatMap(({ claims }) => claims));
  return [...new Set([...lateScenarios].flatMap(({ claims }) => claims))].filter((id) => !judged.has(id));
}
