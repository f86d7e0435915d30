import type { Scenario } from "../scenario/format.js";
import type { Check } from "./check.js";
import { playOnce } from "./play.js";
import type { Run } from "./run.js";

/** Plays a counterexample once: its last check, if that fails as it did when the counterexample was found. */
export async function convict(run: Run, scenario: Scenario, unique: string): Promise<Check | undefined> {
  const last = (await playOnce(run, scenario, unique)).checks.at(-1);
  return last?.verdict === "failed" ? last : undefined;
}
