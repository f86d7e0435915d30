import { isDeepStrictEqual } from "node:util";
import { inWords } from "../../engine/execute/check.js";
import { matchStatus } from "../../engine/execute/expect/answer.js";
import type { WireResponse } from "../../engine/http/exchange.js";
import type { AnswerText, Step } from "../../engine/scenario/format.js";
import { interpolate, isRecord, type Lookup } from "../../engine/scenario/interpolate.js";
import { isRefusal, matchAnswer } from "../answer-rules.js";
import { ERROR_TYPES, OTHER_ERROR_TYPES } from "../statements/errors.js";
import { type Branch, must, type Requirement } from "./branch.js";
import type { ModelRequest } from "./request.js";
import { joinStates, type States } from "./states.js";

/** What came of holding an answer against what the contract allows. */
export type Judgement = { ok: true; states: States } | { ok: false; clauses: string[]; why: string; allows: AllowedAnswer };

/** What a step says that must be answered in one of some ways: the judgement, and the answers that are of another way and say nothing. */
export type AllowedAnswer = Pick<Step, "expect" | "inconclusiveIf">;

/** Holds an answer against every way in which its request may come out; an answer that fits none contradicts the contract. */
export function judge(
  possible: readonly Branch[],
  request: Pick<ModelRequest, "by">,
  answer: WireResponse,
  look: Lookup,
): Judgement {
  const branches =
    request.by === "rest" ? possible.map((branch) => ({ ...branch, must: [...branch.must, ...pairing(answer)] })) : possible;
  const fits = (rule: Requirement) => matchAnswer(interpolate(textOn(rule, request), look), answer);
  const scored = branches.map((branch) => ({
    branch,
    broken: branch.must.filter((rule) => fits(rule).mismatches.length > 0),
  }));
  const states = joinStates(scored.filter(({ broken }) => broken.length === 0).map(({ branch }) => branch.next));
  if (states) return { ok: true, states };
  const meant = scored.filter(({ branch }) => !branch.aside);
  const near = meant.filter(({ branch }) => branch.must.every((rule) => sameKind(textOn(rule, request), answer)));
  const blamed = [near, meant, scored].find((some) => some.length > 0) ?? [];
  const least = Math.min(...blamed.map(({ broken }) => broken.length));
  const broken = blamed.filter((one) => one.broken.length === least).flatMap((one) => one.broken);
  const why = broken.map((rule) => inWords(fits(rule).mismatches))[0] ?? "nothing is allowed here";
  return {
    ok: false,
    clauses: [...new Set(broken.flatMap(({ clauses }) => clauses))],
    why,
    allows: allowed(branches, request, answer),
  };
}

/** Whether an answer's status, or a tool's refusing, is as this text asks; what else the text asks is not looked at. */
function sameKind({ status, refused, content }: AnswerText, answer: WireResponse): boolean {
  if (status !== undefined && matchStatus(status, answer.status).mismatches.length > 0) return false;
  if (refused && !isRefusal(answer)) return false;
  return content === undefined || !isRefusal(answer);
}

/** The answers that the branches allow, for the last step of a scenario. Those of another kind than the one that came say nothing there. */
function allowed(branches: readonly Branch[], request: Pick<ModelRequest, "by">, answer: WireResponse): AllowedAnswer {
  const texts = branches.map((branch) => merged(branch.must.map((rule) => textOn(rule, request))));
  const same = texts.filter((text) => sameKind(text, answer));
  if (same.length === 0) return { expect: anyKindOf(texts) };
  const others = texts.filter((text) => !same.includes(text)).map(kindOf);
  return { expect: anyOf(same), ...(others.length > 0 && { inconclusiveIf: others }) };
}

function kindOf({ status, refused, content }: AnswerText): AnswerText {
  return {
    ...(status !== undefined && { status }),
    ...(refused && { refused }),
    ...(content !== undefined && { content: { type: "string" } }),
  };
}

function anyKindOf(texts: readonly AnswerText[]): AnswerText {
  const statuses = texts.flatMap(({ status }) => (status === undefined ? [] : [status].flat()));
  if (statuses.length > 0) return { status: statuses.length === 1 ? statuses[0] : [...new Set(statuses)] };
  return kindOf(texts[0] ?? {});
}

/** Answers of one kind, as one text. */
function anyOf(texts: readonly AnswerText[]): AnswerText {
  const [first = {}, ...rest] = texts;
  if (rest.length === 0) return first;
  const bodies = texts.map(({ json }) => json ?? {});
  const contents = texts.flatMap((text) => (text.content === undefined ? [] : [text.content]));
  return {
    ...anyKindOf(texts),
    ...(bodies.some((body) => Object.keys(body as object).length > 0) && { json: { in: bodies } }),
    ...(contents.length > 0 && { content: { in: contents } }),
  };
}

/** All that the parts ask, as one text; a later status stands in for an earlier one. */
function merged(parts: readonly AnswerText[]): AnswerText {
  const whole: AnswerText = Object.assign({}, ...parts);
  for (const word of ["json", "body", "content"] as const) {
    const asked: unknown[] = parts.flatMap((part) => (part[word] === undefined ? [] : [part[word]]));
    if (asked.length > 0) whole[word] = asked.reduce(bothOf);
  }
  return whole;
}

/** A value that meets both: objects field by field, a literal before a matcher. */
function bothOf(a: unknown, b: unknown): unknown {
  if (isDeepStrictEqual(a, b) || !isRecord(a)) return a;
  if (!isRecord(b)) return b;
  const shared = Object.keys(b).filter((name) => name in a);
  // The same word of a matcher twice: neither may fail.
  const clash = shared.some((name) => !isRecord(a[name]) && !isRecord(b[name]) && !isDeepStrictEqual(a[name], b[name]));
  if (clash) return { not: { in: [{ not: a }, { not: b }] } };
  return { ...a, ...b, ...Object.fromEntries(shared.map((name) => [name, bothOf(a[name], b[name])])) };
}

function textOn(rule: Requirement, { by }: Pick<ModelRequest, "by">): AnswerText {
  return by === "rest" ? rule.rest : rule.tool;
}

/** ERR-TYPE-PAIRS, ERR-TYPE-FALLBACK: what any refusal shows, whatever it refuses. */
function pairing({ status }: WireResponse): Requirement[] {
  if (status < 400) return [];
  const types = ERROR_TYPES[status] ?? (status < 500 ? OTHER_ERROR_TYPES : ["server_error"]);
  return [must("ERR-TYPE-PAIRS", { json: { error: { fields: { type: { in: types } } } } })];
}
