import { findTriageStatement, type TriageAction, triageActionNames } from "../statements/observations.js";
import type { Operation } from "../statements/operations.js";

/** The change that an operation makes, as far as the clean-up needs it. */
export type OperationChange =
  | { on: "job"; act: "start"; unlessStatus?: number }
  | { on: "job"; act: "end" }
  | { on: "repository"; act: "register" | "remove" | "reset" }
  | { on: "key"; act: "create" }
  | { on: "observation"; act: TriageAction }
  | { on: "ticket"; act: "publish" }
  | { on: "setting"; act: "set" | "clear" };

const triage = Object.fromEntries(
  triageActionNames.map((act) => [findTriageStatement(act).route, { on: "observation", act }]),
) as Partial<Record<Operation, OperationChange>>;

/** The changes of operations. Other operations have no change to undo. JOB-SUBMIT-ONLY-201: a 200 returns an existing job. */
export const operationChanges: Readonly<Partial<Record<Operation, OperationChange>>> = {
  "POST /api/repos": { on: "repository", act: "register" },
  "DELETE /api/repos/{owner}/{repo}/{branch}": { on: "repository", act: "remove" },
  "POST /api/repos/{owner}/{repo}/{branch}/reset": { on: "repository", act: "reset" },
  "POST /api/repos/{owner}/{repo}/{branch}/jobs": { on: "job", act: "start", unlessStatus: 200 },
  "POST /api/jobs/{job_id}/retry": { on: "job", act: "start", unlessStatus: 200 },
  "POST /api/jobs/{job_id}/cancel": { on: "job", act: "end" },
  "POST /api/observations/{ref}/fix": { on: "job", act: "start" },
  "POST /api/observations/{ref}/publish-ticket": { on: "ticket", act: "publish" },
  ...triage,
  "POST /api/keys": { on: "key", act: "create" },
  set_guidance: { on: "setting", act: "set" },
  clear_guidance: { on: "setting", act: "clear" },
  set_workspace_context: { on: "setting", act: "set" },
  clear_workspace_context: { on: "setting", act: "clear" },
  set_setting: { on: "setting", act: "set" },
  clear_setting: { on: "setting", act: "clear" },
  set_learn_mode: { on: "setting", act: "set" },
  update_repository_metadata: { on: "setting", act: "set" },
};

/** The change that one request made. */
export interface RequestChange {
  act: OperationChange;
  /** The id of the changed resource; undefined where no response shows it. */
  id: string | undefined;
  /** The tool call that clears the setting, where such a tool exists. */
  clearing?: { purpose: string; arguments: Record<string, unknown> };
  /** The repository that contains the setting. */
  within?: string;
}

/** Returns an id as text for a path; undefined for other values. */
export function readId(value: unknown): string | undefined {
  return typeof value === "string" || typeof value === "number" ? String(value) : undefined;
}
