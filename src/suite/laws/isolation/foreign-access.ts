import type { WireResponse } from "../../../engine/http/exchange.js";
import { parseBodyJson, readBodyText } from "../../../engine/http/exchange.js";
import type { Failure, SystemUnderTest } from "../../../engine/property/property.js";
import type { ResponseText, Step } from "../../../engine/scenario/format.js";
import { isRecord } from "../../../engine/scenario/interpolate.js";
import { isRefusal, matchResponseTo, readResponseErrorCode } from "../../response-rules.js";
import { describeRequest } from "../lists/reading-failures.js";
import { createFailure } from "../outcome.js";
import type { ForeignRequest } from "./foreign-requests.js";
import { OWNER_MARK } from "./owner-data.js";

/** A request, its caller, and the steps that create the owner's data. */
interface ForeignCase {
  request: ForeignRequest;
  caller: Pick<Step, "as" | "session">;
  needed: readonly Step[];
}

/** Text and ids that only the owner's responses may contain. */
const OWNER_MARKS = [OWNER_MARK, "{live}", "{job}", "{fix}"];

/**
 * Requests a resource of another workspace and one that does not exist, and compares the responses: they must be equal. A 404
 * is always valid. Returns "inconclusive" when the caller may have a resource with the same id, or after a server failure.
 */
export async function checkForeignRequest(
  sut: SystemUnderTest,
  { request, caller, needed }: ForeignCase,
): Promise<Failure | "inconclusive" | undefined> {
  if (await hasOwnRepositoryOfSameName(sut, request, caller)) return "inconclusive";
  const control = await sut.send({ ...request.unknown, ...caller });
  const before = [...needed];
  const sentStep = { ...request.step, ...caller };
  const sent = await sut.send(sentStep);
  if (!control.ok || !sent.ok || [control, sent].some(({ response }) => response.status >= 500)) return "inconclusive";
  const expect = request.step.mcp ? expectToolResponse(control.response) : expectRouteResponse(control.response, sent.response);
  const mark = findMark(sut, sentStep, sent.response);
  if (mark !== undefined)
    return createFailure(request.clauses, `${nameStep(sentStep)} shows data of another workspace to ${findRole(caller)}`, [
      ...before,
      { ...sentStep, expect: { body: { not: { contains: mark } } } },
    ]);
  if (expect === undefined || fits(expect, sent.response)) return undefined;
  if (request.isOpen && (await mayBeOpen(sut, { ...request.unknown, ...caller }, sent.response))) return undefined;
  const why = `${nameStep(sentStep)} answers ${findRole(caller)} differently than for an id that does not exist`;
  return createFailure(request.clauses, why, [...before, { ...sentStep, expect }]);
}

/** Reads a list to its end. It must not contain data of another workspace. */
export async function checkForeignList(
  sut: SystemUnderTest,
  step: Step,
  steps: readonly Step[],
): Promise<Failure | "inconclusive" | undefined> {
  const sent = await sut.send(step);
  if (!sent.ok || isRefused(step, sent.response)) return "inconclusive";
  const mark = findMark(sut, step, sent.response, sut.fresh ? [...OWNER_MARKS, "{binding.spare.repo}"] : OWNER_MARKS);
  if (mark === undefined) return undefined;
  const why = `${nameStep(step)} lists data of another workspace for ${step.as}`;
  return createFailure(["KEY-WORKSPACE-LIST"], why, [
    ...steps,
    { ...step, expect: { body: { not: { matches: readWord(mark) } } } },
  ]);
}

/** Returns whether the caller has an observation with the same ref: each workspace may number its own. */
async function hasOwnRepositoryOfSameName(
  sut: SystemUnderTest,
  { subject }: ForeignRequest,
  { as }: Pick<Step, "as" | "session">,
): Promise<boolean> {
  if (!subject.includes("ref")) return false;
  const sent = await sut.send({ rest: "GET /api/observations", query: { limit: 200 }, allPages: true, ...(as && { as }) });
  if (!sent.ok || sent.response.status !== 200) return false;
  const text = readBodyText(sent.response);
  return ["ref", "closed", "ticketed"].some((name) => text.includes(`"${sut.lookup(name)}"`));
}

/** A tool must refuse when it refuses an id that does not exist. */
function expectToolResponse(control: WireResponse): ResponseText | undefined {
  return fits({ refused: true }, control) ? { refused: true } : undefined;
}

/** Returns the status and code of the response for an id that does not exist, or the number of rows of a list. */
function expectRouteResponse(control: WireResponse, response: WireResponse): ResponseText | undefined {
  const { status } = control;
  if (response.status === 404) return undefined;
  if (status < 300) {
    const rows = countRows(control);
    return rows === undefined ? undefined : { status, json: { data: { length: rows } } };
  }
  const code = readResponseErrorCode(control);
  return { status, ...(code !== undefined && { error: { code } }) };
}

function fits(expect: ResponseText, response: WireResponse): boolean {
  if (expect.refused) return matchResponseTo(expect, response).mismatches.length === 0;
  const sameCode = expect.error?.code === undefined || readResponseErrorCode(response) === expect.error.code;
  const sameRows = expect.json === undefined || countRows(response) === (expect.json as { data: { length: number } }).data.length;
  return response.status === expect.status && sameCode && sameRows;
}

function isRefused({ mcp }: Step, response: WireResponse): boolean {
  return mcp ? isRefusal(response) : response.status >= 300;
}

/** The number of repeated requests with an unknown slug, until the response equals that for the slug of another workspace. */
const REPETITION_RUNS = 20;

/**
 * Returns whether this is a valid response to an unknown slug: an empty list, or the response to one of several repetitions. It
 * may choose another response each time (ADDR-SLUG-UNKNOWN).
 */
async function mayBeOpen(sut: SystemUnderTest, unknown: Step, response: WireResponse): Promise<boolean> {
  if (countRows(response) === 0) return true;
  for (let turn = 0; turn < REPETITION_RUNS; turn++) {
    const sent = await sut.send(unknown);
    if (sent.ok && isRefusal(sent.response) === isRefusal(response) && countRows(sent.response) === countRows(response))
      return true;
  }
  return false;
}

function countRows(response: WireResponse): number | undefined {
  const body = parseBodyJson(response);
  return body.ok && isRecord(body.value) && Array.isArray(body.value.data) ? body.value.data.length : undefined;
}

/** Returns the first mark that a response contains and its request does not. */
function findMark(
  sut: SystemUnderTest,
  sentStep: Step,
  response: WireResponse,
  marks: readonly string[] = OWNER_MARKS,
): string | undefined {
  const text = readBodyText(response);
  const requestText = JSON.stringify(sentStep);
  return marks.find((mark) => {
    const value = mark.replace(/\{([^{}]+)\}/g, (_, name: string) => String(sut.lookup(name)));
    return !requestText.includes(mark) && new RegExp(readWord(escapeLiteral(value))).test(text);
  });
}

/** Returns a pattern for a mark as a whole word, because an id may be part of another. */
function readWord(text: string): string {
  return `(^|[^A-Za-z0-9_-])${text}([^A-Za-z0-9_-]|$)`;
}

function escapeLiteral(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

function nameStep(step: Step): string {
  return step.mcp ? `the tool ${step.mcp.tool}` : describeRequest(step);
}

function findRole({ as, session }: Pick<Step, "as" | "session">): string {
  return `the ${session === undefined ? "key" : "session"} ${session ?? as}`;
}
