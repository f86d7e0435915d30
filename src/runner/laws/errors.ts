import type { Failure, Found, Property, Scene } from "../property/property.js";
import type { AnswerText, Step } from "../scenario/format.js";
import { isRecord } from "../scenario/interpolate.js";
import { ERROR_TYPES, OTHER_ERROR_TYPES } from "../stated/error-types.js";
import { bodyJson, type WireResponse } from "../wire/exchange.js";
import { failed } from "./blame.js";

/** Codes that the text ties to a type and, where it does, to a status. */
const CODES: Readonly<Record<string, { type: string; status?: number; clause: string }>> = {
  invalid_payload: { type: "validation_error", status: 422, clause: "ERR-VALIDATION-CODE" },
  bad_request: { type: "invalid_request_error", clause: "ERR-CODE-INVALID" },
  invalid_cursor: { type: "invalid_request_error", status: 400, clause: "ERR-CODE-INVALID" },
  no_ticket_integration: { type: "invalid_request_error", status: 422, clause: "ERR-CODE-INVALID" },
  observation_not_fixable: { type: "invalid_request_error", clause: "ERR-CODE-INVALID" },
  observation_fix_targets_workflow_file: { type: "invalid_request_error", clause: "ERR-CODE-INVALID" },
  payload_too_large: { type: "invalid_request_error", status: 413, clause: "ERR-CODE-TOO-LARGE" },
  repo_no_longer_public: { type: "invalid_request_error", status: 400, clause: "ERR-CODE-INVALID" },
  repo_cap_exceeded: { type: "invalid_request_error", status: 400, clause: "ERR-CODE-INVALID" },
  feature_not_enabled: { type: "permission_error", status: 403, clause: "ERR-CODE-PERMISSION" },
  plan_repo_cap_exceeded: { type: "permission_error", status: 403, clause: "ERR-CODE-PERMISSION" },
  plan_repo_size_exceeded: { type: "permission_error", status: 403, clause: "ERR-CODE-PERMISSION" },
  plan_restricted: { type: "billing_error", status: 402, clause: "ERR-CODE-PLAN" },
};
const RATE_CODES = ["rate_limit_qps", "rate_limit_budget"];

/** Clauses that an error answer can break by itself. */
export const ERROR_CLAUSES = [
  "ERR-ENVELOPE-ONE",
  "ERR-TYPE-PAIRS",
  "ERR-VALIDATION-CODE",
  "ERR-CODE-RATE",
  ...new Set(Object.values(CODES).map(({ clause }) => clause)),
].filter((clause, index, all) => all.indexOf(clause) === index);

/** How an error answer contradicts the catalogue: what was given, and what then must be so. */
export interface Misfit {
  clause: string;
  why: string;
  given: AnswerText;
  expect: AnswerText;
}

/** Holds one answer of REST against the catalogue of errors; undefined when it is none or fits. */
export function misfit(response: WireResponse): Misfit | undefined {
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
  if (type === "validation_error" && code !== "invalid_payload")
    return pair("ERR-VALIDATION-CODE", `a validation_error with code ${code}`, { type }, { error: { code: "invalid_payload" } });
  if (status === 429 && !RATE_CODES.includes(code))
    return pair("ERR-CODE-RATE", `a 429 with code ${code}`, { type }, { status: 429, error: { code: { in: RATE_CODES } } });
  return misfitOfCode(status, type, code);
}

/** The same property, which also fails where an answer that one of its cases meets is no error of the catalogue. */
export function holdingErrors<Case>(property: Property<Case>): Property<Case> {
  return {
    ...property,
    proves: [...new Set([...property.proves, ...ERROR_CLAUSES])],
    async play(scene, drawn) {
      let broken: Failure | undefined;
      const watched = watch(scene, (failure) => {
        broken ??= failure;
      });
      const found: Found = await property.play(watched, drawn);
      return found.verdict === "failed" ? found : (broken ?? found);
    },
  };
}

function watch(scene: Scene, tell: (failure: Failure) => void): Scene {
  const look = (step: Step, response: WireResponse | undefined, before: readonly Step[]) => {
    const wrong = response && isRest(step) ? misfit(response) : undefined;
    if (!wrong) return;
    const { save: _s, saveKey: _k, until: _u, walk: _w, ...request } = step;
    tell(failed([wrong.clause], wrong.why, [...before, { ...request, given: wrong.given, expect: wrong.expect }]));
  };
  return {
    ...scene,
    async send(step) {
      const before = [...scene.played];
      const sent = await scene.send(step);
      if (sent.ok) look(step, sent.response, before);
      return sent;
    },
    async together(steps) {
      const before = [...scene.played];
      const exchanges = await scene.together(steps);
      for (const [index, step] of steps.entries()) look(step, exchanges[index]?.response, before);
      return exchanges;
    },
  };
}

function isRest({ rest = "", at }: Step): boolean {
  return / \/api\//.test(rest) && !rest.startsWith("HEAD ") && (at === undefined || at === "api");
}

function misfitOfCode(status: number, type: string, code: string): Misfit | undefined {
  const known = Object.hasOwn(CODES, code) ? CODES[code] : undefined;
  if (!known || (known.type === type && (known.status ?? status) === status)) return undefined;
  const { clause, type: right, status: rightStatus } = known;
  const expect: AnswerText = { error: { type: right }, ...(rightStatus !== undefined && { status: rightStatus }) };
  return pair(clause, `code ${code} with ${status} ${type}`, { code }, expect);
}

function pair(clause: string, why: string, error: { type: string } | { code: string }, expect: AnswerText): Misfit {
  return { clause, why, given: { json: { error: { fields: error } } }, expect };
}

function envelopeIn(response: WireResponse): { type: string; code: string } | undefined {
  const body = bodyJson(response);
  const error = body.ok && isRecord(body.value) ? body.value.error : undefined;
  if (!isRecord(error)) return undefined;
  const whole = ["type", "code", "message", "request_id"].every((name) => typeof error[name] === "string" && error[name] !== "");
  return whole ? { type: String(error.type), code: String(error.code) } : undefined;
}
