import { serviceTransitions } from "./jobs.js";
import { triageActions } from "./observations.js";
import { findOperationStatement, isRoute, type Operation } from "./operations.js";
import type { WriteRoute } from "./routes.js";
import type { WriteToolWithoutRoute } from "./tools.js";

/** The kinds of resources that the service stores. */
export type ResourceKind = "repository" | "job" | "observation" | "key" | "setting";

/** An operation that changes something. */
type WriteOperation = WriteRoute | WriteToolWithoutRoute;

/**
 * What an accepted request may change. Everything else that a caller can see must stay equal, except for what time changes. A refused request and a
 * read change nothing.
 */
export interface Frame {
  /** The clause that states the effect, and that every further effect contradicts. */
  clause: string;
  /** The kinds of resources that the request names, and their fields that it may change. `any`: the contract does not show the fields. */
  named?: Readonly<Partial<Record<ResourceKind, readonly string[] | "any">>>;
  /** Fields of the named resources that it may set to null, but not to a value. */
  clears?: readonly string[];
  /** The kinds of resources that it adds. */
  adds?: readonly ResourceKind[];
  /** The kinds of named resources that it removes. */
  removes?: readonly ResourceKind[];
  /** The kinds of resources in the named repository that it may change or remove: the contract does not show its effect on them. */
  ofRepository?: readonly ResourceKind[];
}

/** Closes or reopens the named observation. Whether it stays acknowledged is open. */
const changesStatus = { named: { observation: ["status", "close_reason"] }, clears: ["acknowledged_at"] } as const;
const setsSetting = { named: { setting: "any" } } as const;
const repositoryFrame = { named: { repository: "any" }, ofRepository: ["job", "observation"] } as const;

/** The frame of every operation that changes something (sections 3 and 4). */
const frames: Readonly<Record<WriteOperation, Frame>> = {
  "POST /api/repos/{owner}/{repo}/{branch}/jobs": { adds: ["job"], clause: "JOB-STATE-INITIAL" },
  "POST /api/jobs/{job_id}/cancel": { named: { job: ["status"] }, clause: "JOB-CANCEL-PENDING" },
  "POST /api/jobs/{job_id}/retry": { named: { job: [] }, adds: ["job"], clause: "JOB-RETRY-NEW" },
  // REPO-REGISTER-DISCOVERS: a registration starts a discovery
  "POST /api/repos": { adds: ["repository", "job"], clause: "REPO-REGISTER-ROUTE" },
  "DELETE /api/repos/{owner}/{repo}/{branch}": { ...repositoryFrame, removes: ["repository"], clause: "REPO-DELETE-ROUTE" },
  "POST /api/repos/{owner}/{repo}/{branch}/reset": { ...repositoryFrame, clause: "REPO-RESET-ROUTE" },
  "POST /api/observations/{ref}/fix": { named: { observation: [] }, adds: ["job"], clause: "OBS-FIX-MAKES-JOB" },
  "POST /api/observations/{ref}/dismiss": { ...changesStatus, clause: triageActions.dismiss.clause },
  "POST /api/observations/{ref}/reopen": { ...changesStatus, clause: triageActions.reopen.clause },
  "POST /api/observations/{ref}/complete": { ...changesStatus, clause: triageActions.complete.clause },
  "POST /api/observations/{ref}/acknowledge": {
    named: { observation: ["acknowledged_at"] },
    clause: triageActions.acknowledge.clause,
  },
  "POST /api/observations/{ref}/publish-ticket": { named: { observation: [] }, clause: "OBS-TICKET-ROUTE" },
  "POST /api/keys": { adds: ["key"], clause: "KEY-CREATE-ADMIN" },
  "PATCH /api/keys/{key_id}": { named: { key: "any" }, clause: "KEY-PATCH-LOWER" },
  request_fix: { named: { observation: [], job: [] }, clause: "MCP-TOOL-REQFIX" },
  update_repository_metadata: { named: { repository: "any" }, clause: "MCP-TOOL-METADATA" },
  set_guidance: { ...setsSetting, clause: "MCP-TOOL-GUIDANCE" },
  clear_guidance: { ...setsSetting, clause: "MCP-TOOL-GUIDANCE" },
  set_workspace_context: { ...setsSetting, clause: "MCP-TOOL-CONTEXT" },
  clear_workspace_context: { ...setsSetting, clause: "MCP-TOOL-CONTEXT" },
  set_setting: { ...setsSetting, clause: "MCP-TOOL-SETTING" },
  clear_setting: { ...setsSetting, clause: "MCP-TOOL-SETTING" },
  set_learn_mode: { ...setsSetting, clause: "MCP-TOOL-LEARN" },
  record_doc_read: { named: { repository: [] }, clause: "MCP-TOOL-DOCREAD" },
};

/** Returns the frame of an operation; undefined for one that only reads. */
export function findFrame(operation: Operation): Frame | undefined {
  return (frames as Readonly<Partial<Record<Operation, Frame>>>)[operation];
}

/** Returns the clause that a further effect of an accepted request contradicts, on one surface. */
export function findEffectClause(operation: Operation, surface: "rest" | "mcp"): string {
  const { toolClause, servedClause } = findOperationStatement(operation);
  const frame = findFrame(operation);
  if (surface === "mcp") return frame ? (toolClause ?? frame.clause) : "MCP-TOOL-READ-PURE";
  return frame?.clause ?? (isRoute(operation) ? servedClause : undefined) ?? "DOCS-GATE-PLAN";
}

/**
 * The kinds of resources that each operation changes; operations that only read are absent. The run deletes and resets only repositories that it
 * registered, so no other check sees their observations.
 */
export const changedKinds: Readonly<Partial<Record<Operation, readonly ResourceKind[]>>> = Object.fromEntries(
  Object.entries<Frame>(frames).map(([operation, { named = {}, adds = [], ofRepository = [] }]) => [
    operation,
    [...(Object.keys(named) as ResourceKind[]), ...adds, ...ofRepository.filter((kind) => kind !== "observation")],
  ]),
);

/** Returns the `changes` field of a property of an operation; an empty object where the changes are unknown. */
export function createChangesField(operation: Operation): { changes?: readonly ResourceKind[] } {
  const ownResourceKinds = changedKinds[operation];
  return ownResourceKinds ? { changes: ownResourceKinds } : {};
}

/** Returns whether the service moves a job from one status to another without a client (section 3). */
export function isJobStatusByTime(from: unknown, to: unknown): boolean {
  return serviceTransitions.some((line) => line.from === from && (line.to === to || isJobStatusByTime(line.to, to)));
}

/** Returns whether the service closes observations for a reason without a client: a merged fix and an expiry (section 3). */
export function isCloseReasonByTime(reason: unknown): boolean {
  return reason === "fixed" || reason === "expired";
}
