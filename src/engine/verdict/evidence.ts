import type { Check } from "../execute/check.js";
import type { Claim } from "./claim.js";
import type { ScenarioEntry } from "./scenario-entry.js";
import type { Waiver } from "./waivers.js";

/** All facts on which the verdict of a run, or of its merged shards, depends. */
export interface Evidence {
  /** Name of the target. */
  target: string;
  /** Address of the API host. */
  url: string;
  started_at: string;
  selection: RunSelection;
  /** The clauses that the verdict is about. Absent: all that the target offers the means to judge. */
  claim?: Claim;
  /** Every scenario that was selected. */
  scenarios: readonly ScenarioEntry[];
  /** Every check that was made or attempted. */
  checks: readonly Check[];
  waivers: readonly Waiver[];
}

/** The selected part of the suite. `missing_shards`: shards whose reports were not merged. */
export interface RunSelection {
  only: readonly string[];
  surface?: "rest" | "mcp" | "docs";
  shard?: { index: number; of: number };
  missing_shards?: number[];
}
