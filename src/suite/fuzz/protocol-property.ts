import fc from "fast-check";
import type { ClauseId } from "../../contract/types.js";
import type { CaseOutcome, Property, SystemUnderTest } from "../../engine/property/property.js";
import type { AnswerText, Step } from "../../engine/scenario/format.js";
import { matchAnswer } from "../answers.js";
import { FAULTS } from "./points.js";
import { oddities } from "./protocol-faults.js";
import { noAnswer } from "./tool-answer.js";
import type { Violation } from "./violation.js";
import { credentialFaults } from "./wire-faults.js";

/** One odd message by its name, or one Authorization header; null sends none. */
export type ProtocolCase = { message: string } | { authorization: string | null };

const NO_KEY = "no key";
const BAD_KEY = "a malformed key";

/** The property of the tool server as such: whatever a message is, it is answered without a fault of the server, and no key lets nobody in. */
export const protocolProperty: Property<ProtocolCase> = {
  id: "fuzz-tool-server",
  title: "The tool server answers odd messages, headers and bytes without a fault of its own, and lets nobody in without a key",
  proves: ["MCP-ENDPOINT-PATH", "AUTH-MISSING", "AUTH-MALFORMED"],
  needs: ["surface.mcp"],
  effects: ["read"],
  runs: 100,
  steers: true,
  cases({ coverage }) {
    const names = oddities.map(({ what }) => what);
    coverage.expect(FAULTS, [...names, NO_KEY, BAD_KEY]);
    const unmet = coverage.unreached(FAULTS);
    const next = names.filter((name) => unmet.includes(name));
    return fc.oneof(
      { weight: 8, arbitrary: fc.constantFrom(...(next.length > 0 ? next : names)).map((message) => ({ message })) },
      { weight: 1, arbitrary: fc.oneof(...credentialFaults()).map(({ value }) => ({ authorization: value })) },
    );
  },
  run: runCase,
};

async function runCase(sut: SystemUnderTest, drawn: ProtocolCase): Promise<CaseOutcome> {
  const { what, step, expectation } = "message" in drawn ? odd(drawn.message) : without(drawn.authorization);
  const sent = await sut.send(step);
  if (!sent.ok) return { verdict: "inconclusive", why: sent.why };
  sut.coverage.reach(FAULTS, what);
  const { response } = sent;
  const [mismatch] = expectation ? matchAnswer(expectation.expect, response).mismatches : [];
  const lost = response.status >= 500 ? noAnswer(response) : undefined;
  const violation: Violation | undefined =
    expectation && mismatch
      ? {
          clauses: [expectation.clause],
          why: `${mismatch.at} should be ${mismatch.expected}, is ${mismatch.actual}`,
          expect: expectation.expect,
        }
      : lost;
  if (!violation) return { verdict: "passed", subjects: 1 };
  return {
    verdict: "failed",
    clauses: violation.clauses,
    why: `${what}: ${violation.why}`,
    steps: [{ ...step, expect: violation.expect }],
  };
}

interface Odd {
  what: string;
  step: Step;
  expectation?: { clause: ClauseId; expect: AnswerText };
}

function odd(name: string): Odd {
  const found = oddities.find(({ what }) => what === name);
  if (!found) throw new Error(`no message is called ${name}`);
  return found;
}

/** AUTH-MISSING, AUTH-MALFORMED: on the tool server too. */
function without(authorization: string | null): Odd {
  const list = { raw: { jsonrpc: "2.0", id: 7, method: "tools/list", params: {} }, effect: "read" as const };
  const expect = { status: 401 };
  if (authorization === null)
    return { what: NO_KEY, step: { mcp: list, as: "none" }, expectation: { clause: "AUTH-MISSING", expect } };
  return { what: BAD_KEY, step: { mcp: list, authorization }, expectation: { clause: "AUTH-MALFORMED", expect } };
}
