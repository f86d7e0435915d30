import type { Check } from "../execute/check.js";
import type { ScenarioEntry } from "./scenario-entry.js";
import type { Waiver } from "./waivers.js";

/** All of a run that its judgement depends on, be it one run or the shards of one. */
export interface Evidence {
  /** Name of the target. */
  target: string;
  /** Address of the API host. */
  url: string;
  started_at: string;
  selection: RunSelection;
  /** The edition of the suite that the run is judged by, and the clauses that came after it. Without it: the suite as it is. */
  claim?: { edition: string; newer_clauses: readonly string[] };
  /** Every scenario that was selected. */
  scenarios: readonly ScenarioEntry[];
  /** Every check that was made or attempted. */
  checks: readonly Check[];
  waivers: readonly Waiver[];
}

/** The part of the suite that a run was asked for; `missing_shards` are those whose reports were not there to be merged. */
export interface RunSelection {
  only: readonly string[];
  surface?: "rest" | "mcp" | "docs";
  shard?: { index: number; of: number };
  missing_shards?: number[];
}
