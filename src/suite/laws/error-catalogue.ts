import { parseBodyJson, type WireResponse } from "../../engine/http/exchange.js";
import type { CaseOutcome, Failure, Property, SystemUnderTest } from "../../engine/property/property.js";
import type { ResponseText, Step } from "../../engine/scenario/format.js";
import { isRecord } from "../../engine/scenario/interpolate.js";
import { codesOfType, ERROR_TYPES, errorCodes, OTHER_ERROR_TYPES } from "../statements/errors.js";
import { createFailure } from "./outcome.js";

/** Clauses that one error response alone can break. */
const ERROR_CLAUSES = [
  "ERR-ENVELOPE-ONE",
  "ERR-TYPE-PAIRS",
  ...new Set([...Object.values(codesOfType), ...Object.values(errorCodes)].flatMap(({ clause = [] }) => clause)),
];

/** A contradiction between an error response and the catalogue: the given part, and the part that it requires. */
export interface Mismatch {
  clause: string;
  why: string;
  given: ResponseText;
  expect: ResponseText;
}

/** Compares a REST response with the error catalogue; returns undefined for a success or a match. */
export function findErrorMismatch(response: WireResponse): Mismatch | undefined {
  const { status } = response;
  if (status < 400) return undefined;
  const error = readEnvelope(response);
  if (!error)
    return {
      clause: "ERR-ENVELOPE-ONE",
      why: `status ${status} without the error envelope`,
      given: { status },
      expect: { error: {} },
    };
  const { type, code } = error;
  const types = ERROR_TYPES[status] ?? (status < 500 ? OTHER_ERROR_TYPES : undefined);
  if (types && !types.includes(type))
    return {
      clause: "ERR-TYPE-PAIRS",
      why: `status ${status} with error type ${type}`,
      given: { status },
      expect: { error: { type: { in: types } } },
    };
  const own = codesOfType[type];
  if (own && !own.codes.includes(code)) {
    const expect = { status: own.status, error: { code: { in: own.codes } } };
    return createMismatch(own.clause, `error type ${type} with code ${code}`, { type }, expect);
  }
  return findCodeMismatch(status, type, code);
}

/** Returns the property with an added check: it also fails when a response of a case contradicts the error catalogue. */
export function addErrorCheck<Case>(property: Property<Case>): Property<Case> {
  return {
    ...property,
    proves: [...new Set([...property.proves, ...ERROR_CLAUSES])],
    async run(sut, drawn) {
      let mismatch: Failure | undefined;
      const watchedSut = watch(sut, (failure) => {
        mismatch ??= failure;
      });
      const caseOutcome: CaseOutcome = await property.run(watchedSut, drawn);
      return caseOutcome.verdict === "failed" ? caseOutcome : (mismatch ?? caseOutcome);
    },
  };
}

function watch(sut: SystemUnderTest, report: (failure: Failure) => void): SystemUnderTest {
  const check = (step: Step, response: WireResponse | undefined, before: readonly Step[]) => {
    const wrong = response && isRest(step) ? findErrorMismatch(response) : undefined;
    if (!wrong) return;
    const { save: _s, saveCredential: _k, until: _u, allPages: _a, ...request } = step;
    report(createFailure([wrong.clause], wrong.why, [...before, { ...request, given: wrong.given, expect: wrong.expect }]));
  };
  return {
    ...sut,
    async send(step) {
      const before = [...sut.steps];
      const sent = await sut.send(step);
      if (sent.ok) check(step, sent.response, before);
      return sent;
    },
    async sendAtOnce(steps) {
      const before = [...sut.steps];
      const exchanges = await sut.sendAtOnce(steps);
      for (const [index, step] of steps.entries()) check(step, exchanges[index]?.response, before);
      return exchanges;
    },
  };
}

function isRest({ rest = "", at }: Step): boolean {
  return / \/api\//.test(rest) && !rest.startsWith("HEAD ") && (at === undefined || at === "api");
}

function findCodeMismatch(status: number, type: string, code: string): Mismatch | undefined {
  const errorCode = Object.hasOwn(errorCodes, code) ? errorCodes[code] : undefined;
  if (!errorCode?.clause || (errorCode.type === type && (errorCode.status ?? status) === status)) return undefined;
  const { clause, type: right, status: rightStatus } = errorCode;
  const expect: ResponseText = { error: { type: right }, ...(rightStatus !== undefined && { status: rightStatus }) };
  return createMismatch(clause, `code ${code} with status ${status} and error type ${type}`, { code }, expect);
}

function createMismatch(clause: string, why: string, error: { type: string } | { code: string }, expect: ResponseText): Mismatch {
  return { clause, why, given: { json: { error: { fields: error } } }, expect };
}

function readEnvelope(response: WireResponse): { type: string; code: string } | undefined {
  const body = parseBodyJson(response);
  const error = body.ok && isRecord(body.value) ? body.value.error : undefined;
  if (!isRecord(error)) return undefined;
  const whole = ["type", "code", "message", "request_id"].every((name) => typeof error[name] === "string" && error[name] !== "");
  return whole ? { type: String(error.type), code: String(error.code) } : undefined;
}
