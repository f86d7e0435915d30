import fc from "fast-check";
import type { ClauseId } from "../../../contract/types.js";
import type { WireResponse } from "../../../engine/http/exchange.js";
import type { CaseOutcome, Property, SystemUnderTest } from "../../../engine/property/property.js";
import type { ResponseText, Step } from "../../../engine/scenario/format.js";
import { isFailure, matchResponseTo } from "../../response-rules.js";
import { FAULT_POINT_KIND } from "../faults/fault-cases.js";
import { drawCredentialFaults } from "../faults/header-faults.js";
import type { Violation } from "../rest/response-rules.js";
import { protocolFaults } from "./protocol-faults.js";
import { findProtocolViolation } from "./tool-response.js";

/** Names of faulty messages, or one Authorization header; null sends none. */
export type ProtocolCase = { messages: string[] } | { authorization: string | null };

const MAX_MESSAGES = 10;

const NO_KEY = "no key";
const BAD_KEY = "a malformed key";

/** Checks that the tool server answers every message without a server failure, and refuses requests without a valid key. */
export const protocolProperty: Property<ProtocolCase> = {
  id: "fuzz-tool-server",
  title: "The tool server answers malformed messages, headers and bytes without a server failure, and requires a valid key",
  proves: ["MCP-ENDPOINT-PATH", "AUTH-MISSING", "AUTH-MALFORMED"],
  needs: ["surface.mcp"],
  effects: ["read"],
  runs: 60,
  coverageGuided: true,
  coveragePoints: FAULT_POINT_KIND,
  cases({ coverage }) {
    const names = protocolFaults.map(({ what }) => what);
    coverage.expect(FAULT_POINT_KIND, [...names, NO_KEY, BAD_KEY]);
    const unmet = coverage.unreached(FAULT_POINT_KIND);
    const next = names.filter((name) => unmet.includes(name));
    const some =
      next.length > 0
        ? fc.shuffledSubarray(next, { minLength: 1, maxLength: Math.min(MAX_MESSAGES, next.length) })
        : fc.constantFrom(...names).map((name) => [name]);
    return fc.oneof(
      { weight: 8, arbitrary: some.map((messages) => ({ messages })) },
      { weight: 1, arbitrary: fc.oneof(...drawCredentialFaults()).map(({ value }) => ({ authorization: value })) },
    );
  },
  run: runCase,
};

async function runCase(sut: SystemUnderTest, protocolCase: ProtocolCase): Promise<CaseOutcome> {
  const requests =
    "messages" in protocolCase ? protocolCase.messages.map(findRequest) : [createRequestWithoutKey(protocolCase.authorization)];
  let why: string | undefined;
  let subjects = 0;
  for (const { what, step, expectation } of requests) {
    const stepResult = await sut.send(step);
    if (!stepResult.ok) {
      why = stepResult.why;
      continue;
    }
    sut.coverage.reach(FAULT_POINT_KIND, what);
    subjects += 1;
    const violation = findViolation(stepResult.response, expectation);
    if (violation)
      return {
        verdict: "failed",
        clauses: violation.clauses,
        why: `${what}: ${violation.why}`,
        steps: [{ ...step, expect: violation.expect }],
      };
  }
  return subjects === 0 && why !== undefined ? { verdict: "inconclusive", why } : { verdict: "passed", subjects };
}

function findViolation(response: WireResponse, expectation: ProtocolRequest["expectation"]): Violation | undefined {
  const [mismatch] = expectation ? matchResponseTo(expectation.expect, response).mismatches : [];
  if (!expectation || !mismatch) return isFailure(response) ? findProtocolViolation(response) : undefined;
  return {
    clauses: [expectation.clause],
    why: `${mismatch.at} should be ${mismatch.expected}, is ${mismatch.actual}`,
    expect: expectation.expect,
  };
}

interface ProtocolRequest {
  what: string;
  step: Step;
  expectation?: { clause: ClauseId; expect: ResponseText };
}

function findRequest(name: string): ProtocolRequest {
  const protocolFault = protocolFaults.find(({ what }) => what === name);
  if (!protocolFault) throw new Error(`no message is called ${name}`);
  return protocolFault;
}

/** Returns the request without a valid key. AUTH-MISSING, AUTH-MALFORMED apply to the tool server too. */
function createRequestWithoutKey(authorization: string | null): ProtocolRequest {
  const list = { raw: { jsonrpc: "2.0", id: 7, method: "tools/list", params: {} }, effect: "read" as const };
  const expect = { status: 401 };
  if (authorization === null)
    return { what: NO_KEY, step: { mcp: list, as: "none" }, expectation: { clause: "AUTH-MISSING", expect } };
  return { what: BAD_KEY, step: { mcp: list, authorization }, expectation: { clause: "AUTH-MALFORMED", expect } };
}
