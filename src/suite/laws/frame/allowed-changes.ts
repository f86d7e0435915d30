import type { Row } from "../../../engine/scenario/format.js";
import { isRecord } from "../../../engine/scenario/interpolate.js";
import { type Frame, isCloseReasonByTime, isJobStatusByTime } from "../../statements/frames.js";
import { finalStatuses, isInFlight } from "../../statements/jobs.js";
import type { Difference, View } from "./view.js";

/** The allowed effect of a sent request: the frame of its operation if the server accepted it, and the ids of the resources that it names. */
export interface RequestEffect {
  frame?: Frame;
  ids: readonly string[];
}

/** The requests between two views, the view after them, and the changes that earlier requests may still cause. */
export interface Between {
  performed: readonly RequestEffect[];
  before: View;
  after: View;
  /** Jobs that a client has cancelled. The server may end them later. */
  cancelled: ReadonlySet<string>;
  /** Returns whether a resource is in the repository that deletions and resets name. */
  isInRepository(difference: Difference): boolean;
}

/** Returns the differences that neither a frame nor time explains. */
export function findUnexplained(differences: readonly Difference[], between: Between): Difference[] {
  const runEnded = differences.some(
    ({ kind, field, is }) => kind === "job" && field === "status" && finalStatuses.some((finalStatus) => finalStatus === is),
  );
  return [
    ...differences.filter(
      (difference) => !isAddition(difference) && !isByFrame(difference, between) && !isTimeChange(difference, between, runEnded),
    ),
    ...findSurplus(differences.filter(isAddition), between),
  ];
}

function isAddition({ was: valueBefore }: Difference): boolean {
  return valueBefore === undefined;
}

/** Returns the added resources beyond those that the frames allow. Runs find observations, and a registration starts a discovery later. */
function findSurplus(differences: readonly Difference[], { performed }: Between): Difference[] {
  const counting = differences.filter(({ kind, is }) => kind !== "observation" && !(isRecord(is) && is.workflow === "discover"));
  return (["job", "repository"] as const).flatMap((kind) => {
    const allowed = performed.filter(({ frame }) => frame?.adds?.includes(kind)).length;
    return counting.filter((difference) => difference.kind === kind).slice(allowed);
  });
}

function isByFrame(difference: Difference, { performed, isInRepository }: Between): boolean {
  const { kind, id, field, is } = difference;
  return performed.some(({ frame, ids: idFields }) => {
    if (!frame || kind === "lane") return false;
    if (kind === "repository") return frame.removes?.includes(kind) === true; // the contract shows no id of a row
    if (frame.ofRepository?.includes(kind) && isInRepository(difference)) return true;
    if (!idFields.includes(id) || field === undefined) return false;
    const fields = frame.named?.[kind];
    return fields === "any" || fields?.includes(field) === true || (is === null && frame.clears?.includes(field) === true);
  });
}

/** Returns whether the service may make a change by itself: it runs jobs, and its runs find, update, close and reopen observations. */
function isTimeChange(
  { kind, id, field, was: valueBefore, is }: Difference,
  { cancelled, before, after }: Between,
  runEnded: boolean,
): boolean {
  if (kind === "job") {
    const isCancelled = is === "cancelled" && isInFlight(String(valueBefore));
    // open: whether closing an observation cancels its fix
    return (
      field === "status" &&
      (isJobStatusByTime(valueBefore, is) || (isCancelled && (cancelled.has(id) || before.job?.get(id)?.workflow === "fix")))
    );
  }
  // OBS-LANE-FIX-PRS: a new observation leaves the lane only when its fix pull request ends
  if (kind === "lane") return runEnded || after.observation?.get(id)?.status !== "new";
  if (kind !== "observation" || field === undefined || field === "acknowledged_at") return false;
  return (
    runEnded || (/^(status|close_reason)$/.test(field) && isClosedByTime(before.observation?.get(id), after.observation?.get(id)))
  );
}

function isClosedByTime(valueBefore: Row | undefined, is: Row | undefined): boolean {
  return valueBefore?.status === "new" && is?.status === "closed" && isCloseReasonByTime(is.close_reason);
}
