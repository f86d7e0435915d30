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
  onScenario(name: string, done: number): void;
  onCase(property: string, done: number, of: number): void;
  onProperty(): void;
}

/** Opens the count for so many scenarios and properties; `requests` says how many have been sent. */
export function countProgress(
  { scenarios, properties }: { scenarios: number; properties: number },
  requests: () => number,
  onProgress: (progress: Progress) => void = () => {},
): ProgressCounter {
  const total = scenarios + properties;
  let now = { done: 0, scenario: "" };
  let checked = 0;
  const report = (done: number, scenario: string, waiting?: Progress["waiting"]) => {
    now = { done, scenario };
    onProgress({ ...now, total, requests: requests(), ...(waiting && { waiting }) });
  };
  return {
    onWait: (what, seconds) => report(now.done, now.scenario, { what, seconds }),
    onScenario: (name, done) => report(done, name),
    onCase: (property, done, of) => report(scenarios + checked, `property:${property} ${done}/${of}`),
    onProperty: () => {
      checked += 1;
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
