import { formatDuration } from "../../common/phrases.js";
import type { Run } from "../execute/run.js";

/** The progress of a run. */
export interface Progress {
  done: number;
  total: number;
  requests: number;
  /** The last completed scenario, or the current property. */
  scenario: string;
  /** The reason for the current wait, and its length. */
  waiting?: { what: string; seconds: number };
  /** Expected seconds until the run ends. Absent while they are unknown. */
  secondsLeft?: number;
}

/** Counts completed scenarios and properties. */
export interface ProgressCounter {
  onWait: NonNullable<Run["onWait"]>;
  onScenario(name: string): void;
  onCase(property: string, done: number, of: number): void;
  onProperty(property: string): void;
}

/** The work that a progress counter counts. */
interface Work {
  scenarios: number;
  properties: number;
  /** Scenarios that an earlier run has completed. */
  before?: number;
}

/** The expected times of the scenarios of a run. */
export interface ScenarioTimes {
  /** Records that a scenario is complete. */
  complete(name: string): void;
  /** Returns the expected seconds from the end of the complete scenarios to the end of all; undefined while they are unknown. */
  secondsLeft(): number | undefined;
}

/** The sources of a progress: the number of requests, and the expected time. */
interface ProgressSources {
  requests(): number;
  times: ScenarioTimes;
  /** When the run must end, in milliseconds since 1970. */
  deadline: number;
}

/** Opens a progress counter. */
export function countProgress(
  { scenarios, properties, before = 0 }: Work,
  { requests, times, deadline }: ProgressSources,
  onProgress: (progress: Progress) => void = () => {},
): ProgressCounter {
  const total = scenarios + properties;
  const startedAt = Date.now();
  const cases = new Map<string, number>();
  let [now, done, lastAt] = ["", before, startedAt];
  const secondsLeft = () => {
    const ofScenarios = times.secondsLeft();
    const share = [...cases.values()].reduce((sum, one) => sum + one, 0) / Math.max(1, properties);
    if (ofScenarios === undefined || (properties > 0 && share < MIN_SHARE)) return undefined;
    const ofProperties = properties === 0 ? 0 : computeSecondsSince(startedAt) * (1 / share - 1);
    return Math.min(
      Math.max(0, ofScenarios - computeSecondsSince(lastAt), ofProperties),
      Math.max(0, -computeSecondsSince(deadline)),
    );
  };
  const report = (scenario: string, waiting?: Progress["waiting"]) => {
    now = scenario;
    const left = secondsLeft();
    const expected = left !== undefined && { secondsLeft: left };
    onProgress({ done, scenario, total, requests: requests(), ...(waiting && { waiting }), ...expected });
  };
  return {
    onWait: (what, seconds) => report(now, { what, seconds }),
    onScenario(name) {
      done += 1;
      times.complete(name);
      lastAt = Date.now();
      report(name);
    },
    onCase(property, doneCases, of) {
      cases.set(property, doneCases / of);
      report(`property:${property} ${doneCases}/${of}`);
    },
    onProperty(property) {
      done += 1;
      cases.set(property, 1); // also if it was skipped or failed before its last case
    },
  };
}

/** Part of all cases that must have run before the time of the others can be estimated. */
const MIN_SHARE = 0.05;

function computeSecondsSince(ms: number): number {
  return (Date.now() - ms) / 1000;
}

/** Returns the progress as one line. */
export function formatProgress({ done, total, requests, scenario, waiting, secondsLeft }: Progress): string {
  const wait = waiting && `waiting ${Math.ceil(waiting.seconds)} s for ${waiting.what}`;
  // a scenario is reported when it is complete, a property with each case
  const now = scenario.startsWith("property:") ? [scenario, wait] : [wait ?? scenario];
  const left = secondsLeft === undefined || secondsLeft < 1 ? "" : `, about ${formatDuration(secondsLeft)} left`;
  return `${done}/${total}, ${requests} requests${left}  ${now.filter((part) => part !== undefined).join(", ")}`;
}
