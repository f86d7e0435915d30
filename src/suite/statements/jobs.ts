/** Where a job can stand (JOB-FIELD-STATUS). */
export const jobStatuses = ["pending", "running", "completed", "failed", "cancelled"] as const;

/** One of them. */
export type JobStatus = (typeof jobStatuses)[number];

/** The statuses of a job that runs or will. */
export const jobsInFlight = ["pending", "running"] as const satisfies readonly JobStatus[];

/** The statuses in which a job stays. JOB-STATE-FINAL. */
export const jobsEnded = ["completed", "failed", "cancelled"] as const satisfies readonly JobStatus[];

/** What happens to a job; `cancel` and `retry` are asked for, the others the service does by itself. */
export type JobTrigger = "submit" | "dispatch" | "succeed" | "fail" | "cancel" | "retry";

/** One line of the job table of section 3. */
export interface JobTransition {
  /** Null: there is no job yet. */
  from: JobStatus | null;
  on: JobTrigger;
  to: JobStatus;
  /** The status of a new job that comes of it beside the one it happens to. */
  makes?: JobStatus;
  clause: string;
}

/** The lines of the job table that nobody asks for: what the service does with a job by itself. */
export const jobMoves = [
  { from: "pending", on: "dispatch", to: "running", clause: "JOB-STATE-DISPATCH" },
  { from: "running", on: "succeed", to: "completed", clause: "JOB-STATE-SUCCESS" },
  { from: "running", on: "fail", to: "failed", clause: "JOB-STATE-FAILURE" },
] as const satisfies readonly JobTransition[];

/** The line of the job table by which a job begins, submitted or as a retry. */
export const jobStart = {
  from: null,
  on: "submit",
  to: "pending",
  clause: "JOB-STATE-INITIAL",
} as const satisfies JobTransition;

/** The job table of section 3. */
export const jobTransitions = [
  jobStart,
  ...jobMoves,
  { from: "pending", on: "cancel", to: "cancelled", clause: "JOB-CANCEL-PENDING" },
  { from: "running", on: "cancel", to: "cancelled", clause: "JOB-CANCEL-RUNNING" },
  { from: "failed", on: "retry", to: "failed", makes: jobStart.to, clause: "JOB-RETRY-NEW" },
  { from: "cancelled", on: "retry", to: "cancelled", makes: jobStart.to, clause: "JOB-RETRY-NEW" },
] as const satisfies readonly JobTransition[];

/** The clauses by which a request that has no line in the table leaves the job as it is. */
export const jobOutOfPlace = { cancel: "JOB-CANCEL-FINISHED", retry: "JOB-RETRY-INELIGIBLE" } as const;

/** What a retry answers when one came before: with that one while it is in flight, else with another new job. */
export const jobRetriedBefore = {
  inFlight: { status: 200, clause: "JOB-RETRY-INFLIGHT" },
  ended: { status: 201, clause: "JOB-RETRY-AGAIN" },
} as const;

/** The line of the table for a job of a status; undefined where it has none. */
export function jobTransition(from: JobStatus | null, on: JobTrigger): JobTransition | undefined {
  return jobTransitions.find((line) => line.from === from && line.on === on);
}

/** Whether a job of this status runs or will. */
export function isInFlight(status: string): boolean {
  return jobsInFlight.some((one) => one === status);
}
