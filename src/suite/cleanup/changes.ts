import type { Change, SideEffect, StartedWork, Undo, UndoRequest } from "../../engine/cleanup/rules.js";
import type { Target } from "../../engine/target/target.js";
import { isInFlight, jobsEnded } from "../statements/jobs.js";
import { PAGE_LIMIT } from "../statements/lists.js";
import type { Act, Action } from "./acts.js";
import { rowsOf } from "./rows.js";

/** An action on something that is there or not there, so that what it was before need not be known. */
export type PlainAction = Action & { act: Exclude<Act, { on: "observation" }> };

/** What an action leaves to be taken back. `isOpen` says whether something of a subject is to be taken back already. */
export function changeOf(
  { act, id, clearing, within }: PlainAction,
  target: Target,
  isOpen: (subject: string) => boolean,
): Change | undefined {
  const subject = id === undefined ? undefined : `${act.on} ${id}`;
  const known = subject !== undefined && isOpen(subject);
  const leaves = (what: string, undo: Undo, work?: StartedWork): Change => {
    const sideEffect: SideEffect = { kind: act.on, what, id: id ?? "", undo: id === undefined ? UNNAMED : undo };
    return { subject, sideEffects: [{ ...sideEffect, ...(id !== undefined && work && { work }) }] };
  };
  const undone: Change = { subject, sideEffects: [] };
  switch (act.on) {
    case "job":
      return act.act === "end" ? undone : leaves("job started", { way: "requests", requests: [cancelling(id)] });
    case "repository": {
      if (act.act === "remove") return undone;
      if (known) return undefined; // what was registered is removed, however often it is registered or reset
      if (act.act === "reset") return leaves("repository reset", { way: "none", why: "what a reset wipes is gone" });
      const removing = { rest: `DELETE /api/repos/${inPath(id)}` };
      return leaves("repository registered", { way: "requests", requests: [removing], removes: "repository" }, runsOf(id));
    }
    case "key":
      return leaves("key created", revoking(target, id));
    case "ticket":
      return leaves("ticket published", { way: "none", why: "the tracker keeps it" });
    case "setting": {
      if (act.act === "clear") return undone;
      if (within !== undefined && isOpen(`repository ${within}`)) return undefined; // it is removed with the repository
      if (clearing) return leaves("setting changed", { way: "tool", ...clearing });
      // what nothing clears is put back by being set again
      return known ? undone : leaves("setting changed", { way: "none", why: "what it was before is not shown" });
    }
    default:
      return act satisfies never;
  }
}

/** A job that an answer shows to have ended, or an event ended. */
export function jobEnded(id: string): Change {
  return { subject: `job ${id}`, sideEffects: [] };
}

/** A key that an event revoked. */
export function keyRevoked(id: string): Change {
  return { subject: `key ${id}`, sideEffects: [] };
}

/** Whether an action takes back, so that without an answer it does not count. */
export function isUndoing({ act: { act } }: Action): boolean {
  return act === "end" || act === "remove" || act === "clear";
}

const UNNAMED: Undo = { way: "none", why: "no answer told its name" };
/** The event of a target file that revokes a key. */
export const REVOKE = "revoke-key";

function cancelling(id = ""): UndoRequest {
  const rest = `/api/jobs/${inPath(id)}`;
  return {
    rest: `POST ${rest}/cancel`,
    alreadyUndone: { rest: `GET ${rest}`, shows: ({ status }) => jobsEnded.some((one) => one === status) },
  };
}

/** The jobs of a repository: the discovery that a registration starts, and what nobody knows the id of. */
function runsOf(id = ""): StartedWork {
  return {
    list: `GET /api/repos/${inPath(id)}/jobs?limit=${PAGE_LIMIT}`,
    stop: (body) => rowsOf(body).flatMap((job) => (isInFlight(String(job.status)) ? [cancelling(String(job.id))] : [])),
  };
}

/** KEY-REVOKE-ROUTE: how a key is revoked is not shown, so only the target can say. */
function revoking({ drive }: Target, id = ""): Undo {
  if (Object.hasOwn(drive, REVOKE)) return { way: "drive", event: REVOKE, values: { key_id: id } };
  return { way: "none", why: `the contract shows no way to revoke a key, and the target file has no drive.${REVOKE}` };
}

/** An id in a path, each of its segments encoded. */
function inPath(id = ""): string {
  return id.split("/").map(encodeURIComponent).join("/");
}
