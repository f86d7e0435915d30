import type { Run } from "../execute/run.js";

/** How far a run is. */
export interface Progress {
  done: number;
  total: number;
  requests: number;
  /** The scenario that has just been executed, or the property that is being checked. */
  scenario: string;
  /** What is waited for at the moment, and how long in all. */
  waiting?: { what: string; seconds: number };
}

/** Keeps count of what is done, and passes it on. */
export interface ProgressCounter {
  onWait: NonNullable<Run["onWait"]>;
  onScenario(name: string): void;
  onCase(property: string, done: number, of: number): void;
  onProperty(): void;
}

/** Opens the count for so many scenarios and properties, of which an earlier run has executed some scenarios; `requests` says how many have been sent. */
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

/** One line on how far a run is. */
export function progressLine({ done, total, requests, scenario, waiting }: Progress): string {
  const wait = waiting && `waiting ${Math.ceil(waiting.seconds)} s for ${waiting.what}`;
  // a scenario is named when it has been executed, a property with every case
  const now = scenario.startsWith("property:") ? [scenario, wait] : [wait ?? scenario];
  return `${done}/${total}, ${requests} requests  ${now.filter((part) => part !== undefined).join(", ")}`;
}
