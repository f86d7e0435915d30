import { bodyJson, type WireResponse } from "../../engine/http/exchange.js";
import type { CaseOutcome, Failure, Property, SystemUnderTest } from "../../engine/property/property.js";
import type { AnswerText, Step } from "../../engine/scenario/format.js";
import { isRecord } from "../../engine/scenario/interpolate.js";
import { codesOfType, ERROR_TYPES, errorCodes, OTHER_ERROR_TYPES } from "../statements/errors.js";
import { failed } from "./blame.js";

/** Clauses that an error answer can break by itself. */
const ERROR_CLAUSES = [
  "ERR-ENVELOPE-ONE",
  "ERR-TYPE-PAIRS",
  ...new Set([...Object.values(codesOfType), ...Object.values(errorCodes)].flatMap(({ clause = [] }) => clause)),
];

/** How an error answer contradicts the catalogue: what was given, and what then must be so. */
export interface Mismatch {
  clause: string;
  why: string;
  given: AnswerText;
  expect: AnswerText;
}

/** Holds one answer of REST against the catalogue of errors; undefined when it is none or fits. */
export function errorMismatch(response: WireResponse): Mismatch | undefined {
  const { status } = response;
  if (status < 400) return undefined;
  const error = envelopeIn(response);
  if (!error)
    return {
      clause: "ERR-ENVELOPE-ONE",
      why: `a ${status} without the error envelope`,
      given: { status },
      expect: { error: {} },
    };
  const { type, code } = error;
  const types = ERROR_TYPES[status] ?? (status < 500 ? OTHER_ERROR_TYPES : undefined);
  if (types && !types.includes(type))
    return {
      clause: "ERR-TYPE-PAIRS",
      why: `a ${status} of type ${type}`,
      given: { status },
      expect: { error: { type: { in: types } } },
    };
  const own = codesOfType[type];
  if (own && !own.codes.includes(code)) {
    const expect = { status: own.status, error: { code: { in: own.codes } } };
    return pair(own.clause, `a ${type} with code ${code}`, { type }, expect);
  }
  return codeMismatch(status, type, code);
}

/** The same property, which also fails where an answer that one of its cases meets is no error of the catalogue. */
export function withErrorLaw<Case>(property: Property<Case>): Property<Case> {
  return {
    ...property,
    proves: [...new Set([...property.proves, ...ERROR_CLAUSES])],
    async run(sut, drawn) {
      let broken: Failure | undefined;
      const watched = watch(sut, (failure) => {
        broken ??= failure;
      });
      const found: CaseOutcome = await property.run(watched, drawn);
      return found.verdict === "failed" ? found : (broken ?? found);
    },
  };
}

function watch(sut: SystemUnderTest, report: (failure: Failure) => void): SystemUnderTest {
  const look = (step: Step, response: WireResponse | undefined, before: readonly Step[]) => {
    const wrong = response && isRest(step) ? errorMismatch(response) : undefined;
    if (!wrong) return;
    const { save: _s, saveCredential: _k, until: _u, allPages: _a, ...request } = step;
    report(failed([wrong.clause], wrong.why, [...before, { ...request, given: wrong.given, expect: wrong.expect }]));
  };
  return {
    ...sut,
    async send(step) {
      const before = [...sut.steps];
      const sent = await sut.send(step);
      if (sent.ok) look(step, sent.response, before);
      return sent;
    },
    async sendAtOnce(steps) {
      const before = [...sut.steps];
      const exchanges = await sut.sendAtOnce(steps);
      for (const [index, step] of steps.entries()) look(step, exchanges[index]?.response, before);
      return exchanges;
    },
  };
}

function isRest({ rest = "", at }: Step): boolean {
  return / \/api\//.test(rest) && !rest.startsWith("HEAD ") && (at === undefined || at === "api");
}

function codeMismatch(status: number, type: string, code: string): Mismatch | undefined {
  const known = Object.hasOwn(errorCodes, code) ? errorCodes[code] : undefined;
  if (!known?.clause || (known.type === type && (known.status ?? status) === status)) return undefined;
  const { clause, type: right, status: rightStatus } = known;
  const expect: AnswerText = { error: { type: right }, ...(rightStatus !== undefined && { status: rightStatus }) };
  return pair(clause, `code ${code} with ${status} ${type}`, { code }, expect);
}

function pair(clause: string, why: string, error: { type: string } | { code: string }, expect: AnswerText): Mismatch {
  return { clause, why, given: { json: { error: { fields: error } } }, expect };
}

function envelopeIn(response: WireResponse): { type: string; code: string } | undefined {
  const body = bodyJson(response);
  const error = body.ok && isRecord(body.value) ? body.value.error : undefined;
  if (!isRecord(error)) return undefined;
  const whole = ["type", "code", "message", "request_id"].every((name) => typeof error[name] === "string" && error[name] !== "");
  return whole ? { type: String(error.type), code: String(error.code) } : undefined;
}
