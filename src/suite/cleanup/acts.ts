import { type TriageAct, triageActNames, triageText } from "../statements/observations.js";
import type { Operation } from "../statements/operations.js";

/** What an operation does to the server, as far as it matters to whoever must put it back. */
export type Act =
  | { on: "job"; act: "start"; unlessStatus?: number }
  | { on: "job"; act: "end" }
  | { on: "repository"; act: "register" | "remove" | "reset" }
  | { on: "key"; act: "create" }
  | { on: "observation"; act: TriageAct }
  | { on: "ticket"; act: "publish" }
  | { on: "setting"; act: "set" | "clear" };

const triage = Object.fromEntries(triageActNames.map((act) => [triageText(act).route, { on: "observation", act }])) as Partial<
  Record<Operation, Act>
>;

/** What operations do; those that are not here change nothing that stays. JOB-SUBMIT-ONLY-201: a job that is answered with 200 was there before. */
export const acts: Readonly<Partial<Record<Operation, Act>>> = {
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

/** What one request did. */
export interface Action {
  act: Act;
  /** Of what; undefined where no answer told. */
  id: string | undefined;
  /** The call that clears the setting, where there is a tool for it. */
  clearing?: { purpose: string; arguments: Record<string, unknown> };
  /** The repository that the setting is one of, and goes with. */
  within?: string;
}

/** An id as it can stand in a path. */
export function idIn(value: unknown): string | undefined {
  return typeof value === "string" || typeof value === "number" ? String(value) : undefined;
}
