import { isDeepStrictEqual } from "node:util";
import { formatMismatches } from "../../../engine/execute/check.js";
import { matchStatus } from "../../../engine/execute/expect/response.js";
import type { WireResponse } from "../../../engine/http/exchange.js";
import type { ResponseText, Step } from "../../../engine/scenario/format.js";
import { interpolateExpected, isRecord, type Lookup } from "../../../engine/scenario/interpolate.js";
import { isRefusal, matchResponseTo } from "../../response-rules.js";
import { ERROR_TYPES, OTHER_ERROR_TYPES } from "../../statements/errors.js";
import { type Branch, createRequirement, type Requirement } from "./branch.js";
import type { ModelRequest } from "./request.js";
import { joinStates, type States } from "./states.js";

/** The result of comparing a response with the allowed outcomes. */
export type Judgement = { ok: true; states: States } | { ok: false; clauses: string[]; why: string; allows: AllowedResponse };

/** The allowed responses as part of a step: the expectation, and the responses of other outcomes, which are inconclusive. */
export type AllowedResponse = Pick<Step, "expect" | "inconclusiveIf">;

/** Compares a response with every possible outcome. A response that matches none contradicts the contract. */
export function judge(
  possibleBranches: readonly Branch[],
  request: Pick<ModelRequest, "by">,
  response: WireResponse,
  look: Lookup,
): Judgement {
  const branches =
    request.by === "rest"
      ? possibleBranches.map((branch) => ({
          ...branch,
          requirements: [...branch.requirements, ...listErrorTypeRequirements(response)],
        }))
      : possibleBranches;
  const match = (rule: Requirement) => matchResponseTo(interpolateExpected(readSurfaceText(rule, request), look), response);
  const scored = branches.map((branch) => ({
    branch,
    broken: branch.requirements.filter((rule) => match(rule).mismatches.length > 0),
  }));
  const states = joinStates(scored.filter(({ broken }) => broken.length === 0).map(({ branch }) => branch.next));
  if (states) return { ok: true, states };
  const relevant = scored.filter(({ branch }) => !branch.unrelated);
  const sameStatus = relevant.filter(({ branch }) =>
    branch.requirements.every((rule) => hasSameStatus(readSurfaceText(rule, request), response)),
  );
  const candidates = [sameStatus, relevant, scored].find((some) => some.length > 0) ?? [];
  const min = Math.min(...candidates.map(({ broken }) => broken.length));
  const nearest = candidates.filter((candidate) => candidate.broken.length === min).flatMap((candidate) => candidate.broken);
  const requirements = response.status < 300 ? removeEnvelope(nearest) : nearest;
  const why = requirements.map((rule) => formatMismatches(match(rule).mismatches))[0] ?? "the contract allows no response here";
  return {
    ok: false,
    clauses: [...new Set(requirements.flatMap(({ clauses }) => clauses))],
    why,
    allows: listAllowed(branches, request, response),
  };
}

/**
 * Returns the broken requirements of an accepted request: for a missing refusal, only that it is missing, without the parts of
 * its envelope.
 */
function removeEnvelope(requirements: readonly Requirement[]): readonly Requirement[] {
  const otherRequirements = requirements.filter(({ rest }) => rest.error === undefined);
  return otherRequirements.length > 0 ? otherRequirements : requirements;
}

/** Returns whether the status of a response, or the refusal of a tool, matches an expectation. Ignores its other parts. */
function hasSameStatus({ status, refused, content }: ResponseText, response: WireResponse): boolean {
  if (status !== undefined && matchStatus(status, response.status).mismatches.length > 0) return false;
  if (refused && !isRefusal(response)) return false;
  return content === undefined || !isRefusal(response);
}

/** Returns the responses that the branches allow, for the last step of a scenario. Responses of another status are inconclusive there. */
function listAllowed(branches: readonly Branch[], request: Pick<ModelRequest, "by">, response: WireResponse): AllowedResponse {
  const texts = branches.map((branch) => combineParts(branch.requirements.map((rule) => readSurfaceText(rule, request))));
  const same = texts.filter((text) => hasSameStatus(text, response));
  if (same.length === 0) return { expect: acceptAnyStatus(texts) };
  const otherResponseTexts = texts.filter((text) => !same.includes(text)).map(createStatusExpectation);
  return { expect: acceptAny(same), ...(otherResponseTexts.length > 0 && { inconclusiveIf: otherResponseTexts }) };
}

function createStatusExpectation({ status, refused, content }: ResponseText): ResponseText {
  return {
    ...(status !== undefined && { status }),
    ...(refused && { refused }),
    ...(content !== undefined && { content: { type: "string" } }),
  };
}

function acceptAnyStatus(texts: readonly ResponseText[]): ResponseText {
  const statuses = texts.flatMap(({ status }) => (status === undefined ? [] : [status].flat()));
  if (statuses.length > 0) return { status: statuses.length === 1 ? statuses[0] : [...new Set(statuses)] };
  return createStatusExpectation(texts[0] ?? {});
}

/** Combines expectations of one status into one. */
function acceptAny(texts: readonly ResponseText[]): ResponseText {
  const [first = {}, ...rest] = texts;
  if (rest.length === 0) return first;
  const bodies = texts.map(({ json }) => json ?? {});
  const contents = texts.flatMap((text) => (text.content === undefined ? [] : [text.content]));
  return {
    ...acceptAnyStatus(texts),
    ...(bodies.some((body) => Object.keys(body as object).length > 0) && { json: { in: bodies } }),
    ...(contents.length > 0 && { content: { in: contents } }),
  };
}

/** Combines all expectations of a branch; a later status replaces an earlier one. */
function combineParts(parts: readonly ResponseText[]): ResponseText {
  const responseText: ResponseText = Object.assign({}, ...parts);
  for (const word of ["json", "body", "content"] as const) {
    const values: unknown[] = parts.flatMap((part) => (part[word] === undefined ? [] : [part[word]]));
    if (values.length > 0) responseText[word] = values.reduce(combineValues);
  }
  return responseText;
}

/** Combines two values: objects field by field, a literal before a matcher. */
function combineValues(a: unknown, b: unknown): unknown {
  if (isDeepStrictEqual(a, b) || !isRecord(a)) return a;
  if (!isRecord(b)) return b;
  const shared = Object.keys(b).filter((name) => name in a);
  // The same matcher word twice: both must hold.
  const clash = shared.some((name) => !isRecord(a[name]) && !isRecord(b[name]) && !isDeepStrictEqual(a[name], b[name]));
  if (clash) return { not: { in: [{ not: a }, { not: b }] } };
  return { ...a, ...b, ...Object.fromEntries(shared.map((name) => [name, combineValues(a[name], b[name])])) };
}

function readSurfaceText(rule: Requirement, { by }: Pick<ModelRequest, "by">): ResponseText {
  return by === "rest" ? rule.rest : rule.tool;
}

/** Returns the requirement of every refusal. ERR-TYPE-PAIRS, ERR-TYPE-FALLBACK. */
function listErrorTypeRequirements({ status }: WireResponse): Requirement[] {
  if (status < 400) return [];
  const types = ERROR_TYPES[status] ?? (status < 500 ? OTHER_ERROR_TYPES : ["server_error"]);
  return [createRequirement("ERR-TYPE-PAIRS", { json: { error: { fields: { type: { in: types } } } } })];
}
