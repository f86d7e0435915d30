import type { OwnToolPurpose, ToolPurpose } from "../../contract/tool-types.js";
import type { World } from "../world/world.js";
import { requestFix } from "./fixes.js";
import { listGuides, readGuide } from "./guides.js";
import { explainObservation, listOrSearch } from "./observations.js";
import {
  getOverview,
  getPattern,
  getRecentIssues,
  getRules,
  listMigrations,
  recordDocRead,
  updateMetadata,
} from "./repositories.js";
import { clearContext, clearGuidance, clearSetting, setContext, setGuidance, setLearnMode, setSetting } from "./settings.js";
import type { ToolCall, ToolOutcome } from "./tool-call.js";

/** Performs one tool for a call that passed every check. */
export type ToolOperation = (world: World, call: ToolCall) => ToolOutcome;

/**
 * The functions of the tools that have no route, or do more than their route. Every other tool performs its route (`route-call.ts`). A tool
 * with neither a route nor a function here does not compile.
 */
export const toolOperations: Record<OwnToolPurpose, ToolOperation> & Partial<Record<ToolPurpose, ToolOperation>> = {
  list_observations: listOrSearch,
  explain_observation: explainObservation,
  repository_overview: getOverview,
  rules_for_file: getRules,
  canonical_pattern: getPattern,
  recent_issues: getRecentIssues,
  pending_migrations: listMigrations,
  list_guides: listGuides,
  read_guide: readGuide,
  request_fix: requestFix,
  update_repository_metadata: updateMetadata,
  set_guidance: setGuidance,
  clear_guidance: clearGuidance,
  set_workspace_context: setContext,
  clear_workspace_context: clearContext,
  set_setting: setSetting,
  clear_setting: clearSetting,
  set_learn_mode: setLearnMode,
  record_doc_read: recordDocRead,
};
