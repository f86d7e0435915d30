import fc from "fast-check";
import type { ClauseId } from "../../contract/types.js";
import { matchAnswer } from "../expect/answer.js";
import type { Found, Property, Scene } from "../property/property.js";
import type { AnswerText, Step } from "../scenario/format.js";
import type { Breach } from "./breach.js";
import { FAULTS } from "./points.js";
import { oddities } from "./protocol-faults.js";
import { noAnswer } from "./tool-answer.js";
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
  play: playCase,
};

async function playCase(scene: Scene, drawn: ProtocolCase): Promise<Found> {
  const { what, step, stated } = "message" in drawn ? odd(drawn.message) : without(drawn.authorization);
  const sent = await scene.send(step);
  if (!sent.ok) return { verdict: "inconclusive", why: sent.why };
  scene.coverage.reach(FAULTS, what);
  const { response } = sent;
  const [mismatch] = stated ? matchAnswer(stated.expect, response).mismatches : [];
  const lost = response.status >= 500 ? noAnswer(response) : undefined;
  const breach: Breach | undefined =
    stated && mismatch
      ? {
          clauses: [stated.clause],
          why: `${mismatch.at} should be ${mismatch.expected}, is ${mismatch.actual}`,
          expect: stated.expect,
        }
      : lost;
  if (!breach) return { verdict: "passed", subjects: 1 };
  return {
    verdict: "failed",
    clauses: breach.clauses,
    why: `${what}: ${breach.why}`,
    steps: [{ ...step, expect: breach.expect }],
  };
}

interface Odd {
  what: string;
  step: Step;
  stated?: { clause: ClauseId; expect: AnswerText };
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
    return { what: NO_KEY, step: { mcp: list, as: "none" }, stated: { clause: "AUTH-MISSING", expect } };
  return { what: BAD_KEY, step: { mcp: list, authorization }, stated: { clause: "AUTH-MALFORMED", expect } };
}
