import type { CloseReason, Job, Key, Observation, Repo, Workspace } from "./world.js";

/** A job as the API shows it. Times are ISO 8601. */
export type ShownJob = Pick<
  Job,
  "id" | "workflow" | "status" | "repo_name" | "error" | "failure_classification" | "fix_pr_url"
> & {
  created_at: string;
  updated_at: string;
  started_at: string | null;
  finished_at: string | null;
};

/** An observation as the API shows it. Times are ISO 8601. */
export type ShownObservation = Omit<
  Observation,
  "number" | "workspace" | "repo" | "attempt" | "close_reason" | "locations" | keyof ObservationTimes
> &
  ObservationTimes & {
    repo_name: string;
    /** Only on closed observations. */
    close_reason?: CloseReason;
    locations?: Observation["locations"];
  };

type ObservationTimes = {
  acknowledged_at: string | null;
  created_at: string;
  updated_at: string;
  resolved_at: string | null;
};

/** A repository as the API shows it. Times are ISO 8601. */
export type ShownRepo = Pick<
  Repo,
  "owner" | "repo" | "branch" | "access_mode" | "head_commit" | "ticket_integration" | "metadata"
> & {
  /** The slug, repo@branch. */
  repo_name: string;
  created_at: string;
  updated_at: string;
};

/** A key as the API shows it, without its token. Times are ISO 8601. */
export type ShownKey = Pick<Key, "name" | "scopes" | "requests_per_minute" | "dollars_per_hour" | "allowed_cidrs"> & {
  key_id: string;
  created_at: string;
  expires_at: string | null;
};

/** A workspace as events show it. */
export type ShownWorkspace = Pick<Workspace, "id" | "plan" | "state" | "credit_usd" | "hourly_ceiling_usd" | "spend_paused">;
