import type { CaseOutcome, SystemUnderTest } from "../../../engine/property/property.js";
import { interpolate, variablesIn } from "../../../engine/scenario/interpolate.js";
import { isRefusal } from "../../response-rules.js";
import { effectClause, type Frame, frameOf } from "../../statements/frames.js";
import { SPARE_SLUG } from "../../statements/setup-steps.js";
import { inconclusive } from "../outcome.js";
import { type Between, type RequestEffect, unexplained } from "./allowed-changes.js";
import { changeFailure } from "./change-failure.js";
import type { FrameRequest } from "./frame-requests.js";
import { idleFrame } from "./idle-requests.js";
import { type Difference, differences, readView, type View } from "./view.js";

/** A case in progress. */
export interface Walk {
  sut: SystemUnderTest;
  /** What the caller saw last. */
  view: View;
  /** Jobs that a client has cancelled. */
  cancelled: Set<string>;
  /** Roles of other workspaces whose requests the server has accepted. */
  accepted: Set<string | undefined>;
  /** Number of requests whose effects were judged. */
  subjects: number;
  /** Compares the lists of another workspace with the start of the case. */
  elsewhereChange(requests: readonly FrameRequest[]): Promise<CaseOutcome | undefined>;
}

/** Reads the first views. */
export async function openWalk(sut: SystemUnderTest, elsewhere: string): Promise<Walk> {
  const before = elsewhere === "" ? {} : await readView(sut, elsewhere);
  const walk: Walk = {
    ...{ sut, view: await readView(sut), cancelled: new Set(), accepted: new Set(), subjects: 0 },
    async elsewhereChange(requests) {
      if (elsewhere === "" || walk.accepted.has(elsewhere)) return undefined;
      const after = await readView(sut, elsewhere);
      const [first] = unexplained(differences(before, after), betweenOf(walk, { performed: [], before, after }));
      return (
        first &&
        changeFailure(sut, { requests, difference: first, before, start: 0, ids: [], clause: OF_WORKSPACE, as: elsewhere })
      );
    },
  };
  return walk;
}

/** Returns every clause that a further effect of a request can contradict. */
export function clausesOf({ operation, surface, refusedBy }: FrameRequest): string[] {
  return [refusedBy ?? effectClause(operation, surface)];
}

/** Sends requests that share a clause, and compares everything that their sender sees before and after. */
export async function perform(walk: Walk, requests: readonly FrameRequest[]): Promise<CaseOutcome | undefined> {
  const { sut, view: before } = walk;
  const start = sut.steps.length;
  const performed: RequestEffect[] = [];
  let clause: string | undefined;
  for (const request of requests) {
    const { step, operation } = request;
    const sent = await sut.send(step);
    if (!sent.ok) return inconclusive(sent.why);
    const isAccepted = step.mcp ? !isRefusal(sent.response) : sent.response.status < 300;
    if (isAccepted) walk.accepted.add(step.as);
    const ids = variablesIn(step).map((name) => String(sut.lookup(name)));
    const idle = idleFrame(operation, ids, before);
    // another workspace may accept it for its own resource with the same id
    const mayChange = isAccepted && request.refusedBy !== OF_WORKSPACE;
    performed.push({ ids, ...(mayChange && frameGiven(operation, idle)) });
    if (isAccepted && frameOf(operation)?.named?.job?.includes("status")) for (const id of ids) walk.cancelled.add(id);
    clause ??= clauseOf(request, idle, isAccepted);
  }
  const after = await readView(sut);
  walk.view = after;
  walk.subjects += requests.length;
  const left = unexplained(differences(before, after), betweenOf(walk, { performed, before, after }));
  for (const difference of left.toSorted((a, b) => Number(b.kind === "repository") - Number(a.kind === "repository"))) {
    const ids = performed.flatMap((requestEffect) => requestEffect.ids);
    const failure = await changeFailure(sut, { requests, difference, before, start, ids, clause: clause ?? "" });
    if (failure) return failure;
  }
  return undefined;
}

function clauseOf({ operation, surface, refusedBy }: FrameRequest, idle: Frame | undefined, isAccepted: boolean): string {
  if (refusedBy !== undefined) return refusedBy;
  if (surface === "rest" && idle) return idle.clause;
  return operation === "POST /api/repos" && !isAccepted ? REFUSED_REGISTRATION : effectClause(operation, surface);
}

/** A key has no effect outside its workspace. */
const OF_WORKSPACE = "KEY-WORKSPACE";
const REFUSED_REGISTRATION = "REPO-REGISTER-REFUSED-UNLISTED";

/** Reads the view again, after requests that the law does not judge. */
export async function renewView(walk: Walk): Promise<void> {
  walk.view = await readView(walk.sut);
}

function frameGiven(operation: FrameRequest["operation"], idle: Frame | undefined): Pick<RequestEffect, "frame"> {
  const frame = idle ?? frameOf(operation);
  return frame ? { frame } : {};
}

function betweenOf({ sut, cancelled }: Walk, between: Pick<Between, "performed" | "before" | "after">): Between {
  const found = sut.steps.flatMap(({ drive, save = {} }) => (drive === "find" ? Object.keys(save) : []));
  const own = new Set(found.map((name) => String(sut.lookup(name))));
  const slug = interpolate(SPARE_SLUG, sut.lookup);
  const isInRepository = ({ kind, id }: Difference) =>
    kind === "observation" ? own.has(id) : between.before.job?.get(id)?.repo_name === slug;
  return { ...between, cancelled, isInRepository };
}
