import type { WireResponse } from "../../../engine/http/exchange.js";
import { bodyJson, bodyText } from "../../../engine/http/exchange.js";
import type { Failure, SystemUnderTest } from "../../../engine/property/property.js";
import type { AnswerText, Step } from "../../../engine/scenario/format.js";
import { isRecord } from "../../../engine/scenario/interpolate.js";
import { isRefusal, matchAnswer, answers as rules } from "../../answer-rules.js";
import { failed, whereOf } from "../blame.js";
import { MARK } from "./owned.js";
import type { Trespass } from "./requests.js";

/** Who asks for what; what the owner has done before. */
interface Asking {
  request: Trespass;
  caller: Pick<Step, "as" | "session">;
  needed: readonly Step[];
}

/** What only the owner's answers may hold, by the variables and words that were saved. */
const MARKS = [MARK, "{live}", "{job}", "{fix}"];

/**
 * Asks for a thing of another workspace, and for one that nobody has: both must come out alike, for who may not see it cannot tell. `not found`
 * is right in any case. Says nothing where the caller may have something by the same name, or where the server takes what nobody has.
 */
export async function trespass(
  sut: SystemUnderTest,
  { request, caller, needed }: Asking,
): Promise<Failure | "nothing to say" | undefined> {
  if (await isNamesake(sut, request, caller)) return "nothing to say";
  const control = await sut.send({ ...request.unknown, ...caller });
  const before = [...needed];
  const asked = { ...request.step, ...caller };
  const sent = await sut.send(asked);
  if (!control.ok || !sent.ok || control.response.status >= 500) return "nothing to say";
  const expect = request.step.mcp ? toolAnswer(control.response) : routeAnswer(control.response, sent.response);
  const told = markIn(sut, asked, sent.response);
  if (told !== undefined)
    return failed(request.clauses, `${nameOf(asked)} shows ${roleOf(caller)} what is of another workspace`, [
      ...before,
      { ...asked, expect: { body: { not: { contains: told } } } },
    ]);
  if (expect === undefined || fits(expect, sent.response)) return undefined;
  const why = `${nameOf(asked)} comes out otherwise for ${roleOf(caller)} than if it were not there`;
  return failed(request.clauses, why, [...before, { ...asked, expect }]);
}

/** Reads a list to its end; nothing of another workspace may stand in it. */
export async function showsNothing(
  sut: SystemUnderTest,
  step: Step,
  needed: readonly Step[],
): Promise<Failure | "nothing to say" | undefined> {
  const sent = await sut.send(step);
  if (!sent.ok || isRefused(step, sent.response)) return "nothing to say";
  const told = markIn(sut, step, sent.response, [...MARKS, "{binding.spare.repo}"]);
  if (told === undefined) return undefined;
  const why = `${nameOf(step)} lists for ${step.as} what is of another workspace`;
  return failed(["KEY-WORKSPACE-LIST"], why, [...needed, { ...step, expect: { body: { not: { matches: wordOf(told) } } } }]);
}

/** Whether the caller has an observation by the same ref: each workspace may count its own. */
async function isNamesake(sut: SystemUnderTest, { subject }: Trespass, { as }: Pick<Step, "as" | "session">): Promise<boolean> {
  if (!subject.includes("ref")) return false;
  const sent = await sut.send({ rest: "GET /api/observations", query: { limit: 200 }, allPages: true, ...(as && { as }) });
  if (!sent.ok || sent.response.status !== 200) return false;
  const text = bodyText(sent.response);
  return ["ref", "closed", "ticketed"].some((name) => text.includes(`"${sut.lookup(name)}"`));
}

/** A tool need only refuse what it refuses of nobody's. */
function toolAnswer(control: WireResponse): AnswerText | undefined {
  return fits({ refused: true }, control) ? { refused: true } : undefined;
}

/** The status and code of what nobody has; a list of nothing stays one. */
function routeAnswer(control: WireResponse, answer: WireResponse): AnswerText | undefined {
  const { status } = control;
  if (status < 300) {
    const rows = rowsIn(control);
    return rows === undefined ? undefined : { status, json: { data: { length: rows } } };
  }
  if (answer.status === 404) return { status: 404 };
  const code = codeOf(control);
  return { status, ...(code !== undefined && { error: { code } }) };
}

function fits(expect: AnswerText, answer: WireResponse): boolean {
  if (expect.refused) return matchAnswer(expect, answer).mismatches.length === 0;
  const sameCode = expect.error?.code === undefined || codeOf(answer) === expect.error.code;
  const sameRows = expect.json === undefined || rowsIn(answer) === (expect.json as { data: { length: number } }).data.length;
  return answer.status === expect.status && sameCode && sameRows;
}

function isRefused({ mcp }: Step, answer: WireResponse): boolean {
  return mcp ? isRefusal(answer) : answer.status >= 300;
}

function rowsIn(answer: WireResponse): number | undefined {
  const body = bodyJson(answer);
  return body.ok && isRecord(body.value) && Array.isArray(body.value.data) ? body.value.data.length : undefined;
}

function codeOf(answer: WireResponse): string | undefined {
  const body = bodyJson(answer);
  return body.ok ? rules.errorCode(body.value) : undefined;
}

/** The first mark that an answer holds and its request does not. */
function markIn(sut: SystemUnderTest, asked: Step, answer: WireResponse, marks: readonly string[] = MARKS): string | undefined {
  const text = bodyText(answer);
  const said = JSON.stringify(asked);
  return marks.find((mark) => {
    const value = mark.replace(/\{([^{}]+)\}/g, (_, name: string) => String(sut.lookup(name)));
    return !said.includes(mark) && new RegExp(wordOf(literal(value))).test(text);
  });
}

/** A mark as a word of its own: an id may be a part of another. */
function wordOf(text: string): string {
  return `(^|[^A-Za-z0-9_-])${text}([^A-Za-z0-9_-]|$)`;
}

function literal(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

function nameOf(step: Step): string {
  return step.mcp ? `the tool ${step.mcp.tool}` : whereOf(step);
}

function roleOf({ as, session }: Pick<Step, "as" | "session">): string {
  return `the ${session === undefined ? "key" : "session"} ${session ?? as}`;
}
