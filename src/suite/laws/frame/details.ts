import { parseBodyJson } from "../../../engine/http/exchange.js";
import type { CaseOutcome, SystemUnderTest } from "../../../engine/property/property.js";
import type { Row, Step } from "../../../engine/scenario/format.js";
import { isRecord, listVariables } from "../../../engine/scenario/interpolate.js";
import { escapeLiteral } from "../../fuzz/faults/literal.js";
import { findEffectClause, findFrame, isCloseReasonByTime, isJobStatusByTime } from "../../statements/frames.js";
import { assertResponse } from "../steps.js";
import { describeRequest, isSetup } from "./change-failure.js";
import type { FrameRequest } from "./frame-requests.js";
import { isIdleBy } from "./idle-requests.js";
import { isSame, shownFields, type View } from "./view.js";

/** The detail of a resource before a write that names only this resource. */
export interface Detail {
  request: FrameRequest;
  kind: "observation" | "job";
  id: string;
  step: Step;
  row: Row;
  /** The steps before. */
  setup: readonly Step[];
}

/** Reads the details of the resources that the writes name. */
export async function readDetails(sut: SystemUnderTest, requests: readonly FrameRequest[]): Promise<Detail[]> {
  const setup = sut.steps.filter(isSetup);
  const details: Detail[] = [];
  for (const request of requests.filter(isWrite))
    for (const name of listVariables(request.step)) {
      const kind = findKind(name);
      if (!kind) continue;
      const step: Step = { rest: `GET /api/${kind}s/{${name}}` };
      const row = await readRow(sut, step);
      if (row) details.push({ request, kind, id: String(sut.lookup(name)), step, row, setup });
    }
  return details;
}

/** A deletion or a reset may change every resource of its repository. For other requests the tables show no effect. */
function isWrite({ operation, refusedBy, step }: FrameRequest): boolean {
  const frame = findFrame(operation);
  return frame !== undefined && refusedBy === undefined && !frame.ofRepository && !isIdleBy(operation, listVariables(step));
}

function findKind(name: string): Detail["kind"] | undefined {
  if (/^ref(_|$)|^closed(_|$)/.test(name)) return "observation";
  return /^(job|live)$|^fix(_|$)/.test(name) ? "job" : undefined;
}

async function readRow(sut: SystemUnderTest, step: Step): Promise<Row | undefined> {
  const sent = await sut.send(step);
  const body = sent.ok && sent.response.status === 200 ? parseBodyJson(sent.response) : undefined;
  return body?.ok && isRecord(body.value) ? body.value : undefined;
}

/** Reads the details again. Returns a failure if one has changed to a value that the lists do not show. */
export async function findDetailFailure(
  sut: SystemUnderTest,
  details: readonly Detail[],
  view: View,
): Promise<CaseOutcome | undefined> {
  for (const detail of details) {
    const listed = view[detail.kind]?.get(detail.id);
    const now = listed && (await readRow(sut, detail.step));
    if (!now || isByTime(detail.kind, listed, now)) continue;
    const allowed = listAllowedFields(detail);
    const judged = shownFields[detail.kind].filter((name) => !allowed.includes(name));
    const field = judged.find((name) => {
      const is = now[name] ?? null;
      return !isSame(name, detail.row[name] ?? null, is) && !isSame(name, listed[name], is);
    });
    const failure = field === undefined ? undefined : await findFieldFailure(sut, detail, field);
    if (failure) return failure;
  }
  return undefined;
}

/** Returns the fields that the write may change. A list may show such a change later than the detail. */
function listAllowedFields({ request: { operation }, kind }: Detail): readonly string[] {
  const { named = {}, clears = [] } = findFrame(operation) ?? {};
  const fields = named[kind] ?? [];
  return [...(fields === "any" ? shownFields[kind] : fields), ...clears];
}

/** Returns whether the service may have changed the status by itself between the list and the detail. */
function isByTime(kind: Detail["kind"], listed: Row, now: Row): boolean {
  return kind === "job" ? isJobStatusByTime(listed.status, now.status) : isCloseReasonByTime(now.close_reason);
}

async function findFieldFailure(sut: SystemUnderTest, detail: Detail, field: string): Promise<CaseOutcome | undefined> {
  const { request, kind, step, row, setup } = detail;
  const valueBefore = field === "acknowledged_at" || row[field] == null ? undefined : escapeLiteral(row[field]);
  const given = { status: 200, ...(valueBefore !== undefined && { json: { fields: { [field]: valueBefore } } }) };
  const now = await readRow(sut, step);
  const expect = { status: 200, json: { fields: { [field]: { not: escapeLiteral(now?.[field] ?? null) } } } };
  const needed = [...setup, { ...step, given }, request.step];
  const clauses = [findEffectClause(request.operation, request.surface)];
  const why = `${describeRequest(request, request.step)} changed ${field} in the detail of the named ${kind}, but not in the lists`;
  return assertResponse(sut, { step: { ...step, expect }, clauses, why }, { needed });
}
