import type { Change, SideEffect, StartedWork, Undo, UndoRequest } from "../../engine/cleanup/rules.js";
import { isRecord, percentEncode } from "../../engine/scenario/interpolate.js";
import type { Target } from "../../engine/target/target.js";
import { responses } from "../response-rules.js";
import { finalStatuses, isInFlight } from "../statements/jobs.js";
import { PAGE_LIMIT } from "../statements/lists.js";
import type { OperationChange, RequestChange } from "./operation-changes.js";

/** A change that can be undone without knowing the earlier state. */
export type StatelessChange = RequestChange & { act: Exclude<OperationChange, { on: "observation" }> };

/** Returns the side effect of an action. `isOpen` returns whether the runner must already undo a side effect on a subject. */
export function createSideEffectChange(
  { act, id, clearing, within }: StatelessChange,
  target: Target,
  isOpen: (subject: string) => boolean,
): Change | undefined {
  const subject = id === undefined ? undefined : `${act.on} ${id}`;
  const isKnown = subject !== undefined && isOpen(subject);
  const leavesSideEffect = (what: string, undo: Undo, work?: StartedWork): Change => {
    const sideEffect: SideEffect = { kind: act.on, what, id: id ?? "", undo: id === undefined ? UNNAMED_UNDO : undo };
    return { subject, sideEffects: [{ ...sideEffect, ...(id !== undefined && work && { work }) }] };
  };
  const change: Change = { subject, sideEffects: [] };
  switch (act.on) {
    case "job":
      return act.act === "end" ? change : leavesSideEffect("job started", { way: "requests", requests: [cancelRequest(id)] });
    case "repository": {
      // two workspaces may register the same repository, so the credentials identify the workspace
      if (act.act === "remove") return { ...change, perCaller: true };
      if (act.act === "reset")
        return isKnown ? undefined : leavesSideEffect("repository reset", { way: "none", why: "a reset cannot be undone" }); // the deletion undoes it
      const removing = { rest: `DELETE /api/repos/${encodePathPart(id)}` };
      const undo: Undo = { way: "requests", requests: [removing], removes: "repository" };
      return { ...leavesSideEffect("repository registered", undo, createRuns(id)), perCaller: true };
    }
    case "key":
      return leavesSideEffect("key created", createRevocation(target, id));
    case "ticket":
      return leavesSideEffect("ticket published", { way: "none", why: "the ticket stays in the tracker" });
    case "setting": {
      if (act.act === "clear") return change;
      if (within !== undefined && isOpen(`repository ${within}`)) return undefined; // the deletion of the repository also deletes it
      if (clearing) return leavesSideEffect("setting changed", { way: "tool", ...clearing });
      // without a clearing tool, a second change restores the first value
      return isKnown
        ? change
        : leavesSideEffect("setting changed", { way: "none", why: "the server does not show the earlier value" });
    }
    default:
      return act satisfies never;
  }
}

/** Returns the change for a job that has ended. */
export function createJobEnd(id: string): Change {
  return { subject: `job ${id}`, sideEffects: [] };
}

/** Returns the change for a key that an event revoked. */
export function createKeyEnd(id: string): Change {
  return { subject: `key ${id}`, sideEffects: [] };
}

/** Returns whether an action undoes something. Such an action counts only when it got a response. */
export function isUndo({ act: { act } }: RequestChange): boolean {
  return act === "end" || act === "remove" || act === "clear";
}

const UNNAMED_UNDO: Undo = { way: "none", why: "no response shows its id" };
/** The event of a target file that revokes a key. */
export const REVOKE_UNDO = "revoke-key";

function cancelRequest(id = ""): UndoRequest {
  const rest = `/api/jobs/${encodePathPart(id)}`;
  return {
    rest: `POST ${rest}/cancel`,
    alreadyUndone: { rest: `GET ${rest}`, shows: ({ status }) => finalStatuses.some((finalStatus) => finalStatus === status) },
  };
}

/** Returns the jobs of a repository. A registration starts a discovery whose id the response does not show. */
function createRuns(id = ""): StartedWork {
  return {
    list: `GET /api/repos/${encodePathPart(id)}/jobs?limit=${PAGE_LIMIT}`,
    stop: (body) => readRows(body).flatMap((job) => (isInFlight(String(job.status)) ? [cancelRequest(String(job.id))] : [])),
  };
}

/** KEY-REVOKE-ROUTE: the contract shows no way to revoke a key, so the target file must have an event for it. */
function createRevocation({ drive }: Target, id = ""): Undo {
  if (Object.hasOwn(drive, REVOKE_UNDO)) return { way: "drive", event: REVOKE_UNDO, values: { key_id: id } };
  return { way: "none", why: `the contract shows no way to revoke a key, and the target file has no drive.${REVOKE_UNDO}` };
}

/** Returns an id in the form of a path: for a repository owner, repo and branch, with slashes inside them encoded. */
function encodePathPart(id = ""): string {
  const [owner = "", repo, ...branch] = id.split("/");
  return [owner, ...(repo === undefined ? [] : [repo, branch.join("/")])].map(percentEncode).join("/");
}

/** Returns the rows of a page. */
export function readRows(body: Record<string, unknown>): Record<string, unknown>[] {
  const rows = body[responses.page.rows];
  return Array.isArray(rows) ? rows.filter(isRecord) : [];
}
