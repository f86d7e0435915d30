import { refuse } from "../call.js";
import { findJob } from "../jobs/operations.js";
import { findObservation } from "../observations/reads.js";
import { findRepo } from "../repositories/repos.js";
import type { Job, Observation, Repo, World } from "../world/world.js";
import type { ToolCall } from "./tool-call.js";

/** Returns the repository that a tool call names by owner, repo and branch. */
export function findToolRepo(world: World, call: ToolCall): Repo | undefined {
  return findRepo(world, readNames(call));
}

/** Returns the observation that a tool call names by ref. ADDR-REF-MCP. */
export function findToolObservation(world: World, call: ToolCall): Observation | undefined {
  return findObservation(world, readNames(call));
}

/** Returns the job that a tool call names by job_id. */
export function findToolJob(world: World, call: ToolCall): Job | undefined {
  return findJob(world, readNames(call));
}

/** The refusal for a tool call that names no job of the workspace. */
export const noSuchJob = refuse("not_found", { message: "There is no such job." });

function readNames({ caller, given }: ToolCall) {
  return { caller, params: given as Record<string, string> };
}
