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
}

/** Counts completed scenarios and properties. */
export interface ProgressCounter {
  onWait: NonNullable<Run["onWait"]>;
  onScenario(name: string): void;
  onCase(property: string, done: number, of: number): void;
  onProperty(): void;
}

/** Opens a progress counter. `before` is the number of scenarios that an earlier run has completed; `requests` returns how many requests were sent. */
export function countProgress(
  { scenarios, properties, before = 0 }: { scenarios: number; properties: number; before?: number },
  requests: () => number,
  onProgress: (progress: Progress) => void = () => {},
): ProgressCounter {
  const total = scenarios + properties;
  let now = "";
  let done = before;
  const report = (scenario: string, waiting?: Progress["waiting"]) => {
    now = scenario;
    onProgress({ done, scenario, total, requests: requests(), ...(waiting && { waiting }) });
  };
  return {
    onWait: (what, seconds) => report(now, { what, seconds }),
    onScenario(name) {
      done += 1;
      report(name);
    },
    onCase: (property, done, of) => report(`property:${property} ${done}/${of}`),
    onProperty: () => {
      done += 1;
    },
  };
}

/** Returns the progress as one line. */
export function progressLine({ done, total, requests, scenario, waiting }: Progress): string {
  const wait = waiting && `waiting ${Math.ceil(waiting.seconds)} s for ${waiting.what}`;
  // a scenario is reported when it is complete, a property with each case
  const now = scenario.startsWith("property:") ? [scenario, wait] : [wait ?? scenario];
  return `${done}/${total}, ${requests} requests  ${now.filter((part) => part !== undefined).join(", ")}`;
}
