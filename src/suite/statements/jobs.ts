/** The statuses of a job (JOB-FIELD-STATUS). */
export const jobStatuses = ["pending", "running", "completed", "failed", "cancelled"] as const;

/** A status of a job. */
export type JobStatus = (typeof jobStatuses)[number];

/** The statuses of a job that has not ended. */
export const inFlightStatuses = ["pending", "running"] as const satisfies readonly JobStatus[];

/** The final statuses of a job. JOB-STATE-FINAL. */
export const finalStatuses = ["completed", "failed", "cancelled"] as const satisfies readonly JobStatus[];

/** The cause of a transition of a job. Clients send `submit`, `cancel` and `retry`; the service causes the others. */
export type JobTrigger = "submit" | "dispatch" | "succeed" | "fail" | "cancel" | "retry";

/** One row of the job table of section 3. */
export interface JobTransition {
  /** Null: the job does not exist yet. */
  from: JobStatus | null;
  on: JobTrigger;
  to: JobStatus;
  /** The status of the new job that the transition creates beside the old one. */
  newJob?: JobStatus;
  clause: string;
}

/** The transitions that the service makes by itself. */
export const serviceTransitions = [
  { from: "pending", on: "dispatch", to: "running", clause: "JOB-STATE-DISPATCH" },
  { from: "running", on: "succeed", to: "completed", clause: "JOB-STATE-SUCCESS" },
  { from: "running", on: "fail", to: "failed", clause: "JOB-STATE-FAILURE" },
] as const satisfies readonly JobTransition[];

/** The transition that creates a job, by a submission or a retry. */
export const submitTransition = {
  from: null,
  on: "submit",
  to: "pending",
  clause: "JOB-STATE-INITIAL",
} as const satisfies JobTransition;

/** The job table of section 3. */
export const jobTransitions = [
  submitTransition,
  ...serviceTransitions,
  { from: "pending", on: "cancel", to: "cancelled", clause: "JOB-CANCEL-PENDING" },
  { from: "running", on: "cancel", to: "cancelled", clause: "JOB-CANCEL-RUNNING" },
  { from: "failed", on: "retry", to: "failed", newJob: submitTransition.to, clause: "JOB-RETRY-NEW" },
  { from: "cancelled", on: "retry", to: "cancelled", newJob: submitTransition.to, clause: "JOB-RETRY-NEW" },
] as const satisfies readonly JobTransition[];

/** The clauses that leave a job unchanged when the table has no transition for the request. */
export const wrongStatusClauses = { cancel: "JOB-CANCEL-FINISHED", retry: "JOB-RETRY-INELIGIBLE" } as const;

/** The response to a repeated retry: the earlier retry while it is in flight, otherwise another new job. */
export const repeatedRetry = {
  inFlight: { status: 200, clause: "JOB-RETRY-INFLIGHT" },
  ended: { status: 201, clause: "JOB-RETRY-AGAIN" },
} as const;

/** Returns the row of the table for a status and a cause; undefined where there is none. */
export function findJobTransition(from: JobStatus | null, on: JobTrigger): JobTransition | undefined {
  return jobTransitions.find((line) => line.from === from && line.on === on);
}

/** Returns whether a job of this status has not ended. */
export function isInFlight(status: string): boolean {
  return inFlightStatuses.some((inFlightStatus) => inFlightStatus === status);
}
