import type { CaseOutcome, SystemUnderTest } from "../../../engine/property/property.js";
import { interpolate, listVariables } from "../../../engine/scenario/interpolate.js";
import { isRefusal } from "../../response-rules.js";
import { type Frame, findEffectClause, findFrame } from "../../statements/frames.js";
import { SPARE_SLUG } from "../../statements/setup-steps.js";
import { createInconclusive } from "../outcome.js";
import { type Between, findUnexplained, type RequestEffect } from "./allowed-changes.js";
import { createChangeFailure } from "./change-failure.js";
import type { FrameRequest } from "./frame-requests.js";
import { findIdleFrame } from "./idle-requests.js";
import { type Difference, listDifferences, readView, type View } from "./view.js";

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
      const [first] = findUnexplained(listDifferences(before, after), readBetween(walk, { performed: [], before, after }));
      return (
        first &&
        createChangeFailure(sut, {
          requests,
          difference: first,
          before,
          start: 0,
          ids: [],
          clause: WORKSPACE_CLAUSE,
          as: elsewhere,
        })
      );
    },
  };
  return walk;
}

/** Returns every clause that a further effect of a request can contradict. */
export function listClauses({ operation, surface, refusedBy }: FrameRequest): string[] {
  return [refusedBy ?? findEffectClause(operation, surface)];
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
    if (!sent.ok) return createInconclusive(sent.why);
    const isAccepted = step.mcp ? !isRefusal(sent.response) : sent.response.status < 300;
    if (isAccepted) walk.accepted.add(step.as);
    const idFields = listVariables(step).map((name) => String(sut.lookup(name)));
    const idle = findIdleFrame(operation, idFields, before);
    // another workspace may accept it for its own resource with the same id
    const mayChange = isAccepted && request.refusedBy !== WORKSPACE_CLAUSE;
    performed.push({ ids: idFields, ...(mayChange && readFrame(operation, idle)) });
    if (isAccepted && findFrame(operation)?.named?.job?.includes("status")) for (const id of idFields) walk.cancelled.add(id);
    clause ??= findClause(request, idle, isAccepted);
  }
  const after = await readView(sut);
  walk.view = after;
  walk.subjects += requests.length;
  const left = findUnexplained(listDifferences(before, after), readBetween(walk, { performed, before, after }));
  for (const difference of left.toSorted((a, b) => Number(b.kind === "repository") - Number(a.kind === "repository"))) {
    const idFields = performed.flatMap((requestEffect) => requestEffect.ids);
    const failure = await createChangeFailure(sut, { requests, difference, before, start, ids: idFields, clause: clause ?? "" });
    if (failure) return failure;
  }
  return undefined;
}

function findClause({ operation, surface, refusedBy }: FrameRequest, idle: Frame | undefined, isAccepted: boolean): string {
  if (refusedBy !== undefined) return refusedBy;
  if (surface === "rest" && idle) return idle.clause;
  return operation === "POST /api/repos" && !isAccepted ? REFUSED_REGISTRATION : findEffectClause(operation, surface);
}

/** A key has no effect in other workspaces. */
const WORKSPACE_CLAUSE = "KEY-WORKSPACE";
const REFUSED_REGISTRATION = "REPO-REGISTER-REFUSED-UNLISTED";

/** Reads the view again, after requests that the law does not judge. */
export async function renewView(walk: Walk): Promise<void> {
  walk.view = await readView(walk.sut);
}

function readFrame(operation: FrameRequest["operation"], idle: Frame | undefined): Pick<RequestEffect, "frame"> {
  const frame = idle ?? findFrame(operation);
  return frame ? { frame } : {};
}

function readBetween({ sut, cancelled }: Walk, between: Pick<Between, "performed" | "before" | "after">): Between {
  const found = sut.steps.flatMap(({ drive, save = {} }) => (drive === "find" ? Object.keys(save) : []));
  const own = new Set(found.map((name) => String(sut.lookup(name))));
  const slug = interpolate(SPARE_SLUG, sut.lookup);
  const isInRepository = ({ kind, id }: Difference) =>
    kind === "observation" ? own.has(id) : between.before.job?.get(id)?.repo_name === slug;
  return { ...between, cancelled, isInRepository };
}
