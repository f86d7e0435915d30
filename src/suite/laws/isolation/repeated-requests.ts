import type { Failure, JudgedPoint, SystemUnderTest } from "../../../engine/property/property.js";
import type { ResponseText, Step } from "../../../engine/scenario/format.js";
import { interpolateExpected } from "../../../engine/scenario/interpolate.js";
import { matchResponseTo } from "../../response-rules.js";
import { REGISTRATION, SPARE } from "../../statements/setup-steps.js";
import { createFailure } from "../outcome.js";
import { OWNER_KEY_HEADER } from "./owner-data.js";

/** A request that repeats the owner's request from another workspace, and the expected difference. */
interface Repetition {
  /** The kind of data that a workspace stores, as the dimension names it. */
  memory: string;
  step: Step;
  /** The expected answer. A server that mistakes the request for the owner's does not match it. */
  expect: ResponseText;
  clauses: readonly string[];
}

const submit = (workflow: string): Step => ({ rest: `POST /api/repos/${SPARE}/jobs`, json: { workflow, params: {} } });
const expectOtherJob = (job: string): ResponseText => ({ json: { fields: { id: { not: job } } } });

const repetitions: readonly Repetition[] = [
  {
    memory: "registered triple",
    step: { rest: "POST /api/repos", json: REGISTRATION },
    expect: { status: { not: 409 } },
    clauses: ["KEY-WORKSPACE"],
  },
  {
    memory: "job in flight",
    step: submit("standard_audit"),
    expect: expectOtherJob("{live}"),
    clauses: ["KEY-WORKSPACE", "DEDUPE-REPO-DIFFERS"],
  },
  {
    memory: "Idempotency-Key",
    step: { ...submit("audit"), headers: OWNER_KEY_HEADER },
    expect: expectOtherJob("{job}"),
    clauses: ["KEY-WORKSPACE"],
  },
];

/** The kinds of data that the cases judge, for the lint. */
export const storedKinds: readonly string[] = repetitions.map(({ memory }) => memory);

/**
 * Registers the owner's repository and repeats the owner's submissions from another workspace. The server must not answer with
 * data of the owner. A refusal because of the plan or the credit is inconclusive and ends the repetition, as does an earlier job
 * of the other workspace.
 */
export async function repeatFromOtherWorkspace(
  sut: SystemUnderTest,
  as: string,
  steps: readonly Step[],
): Promise<{ judged: JudgedPoint[] } | Failure> {
  const judgedPoints: JudgedPoint[] = [];
  const before = [...steps];
  for (const { memory, step, expect, clauses } of repetitions) {
    const request = { ...step, as };
    const sent = await sut.send(request);
    if (!sent.ok) break;
    const { mismatches } = matchResponseTo(interpolateExpected(expect, sut.lookup), sent.response);
    if (mismatches.length > 0 && sent.response.status < 500)
      return createFailure(clauses, `${memory}: the server takes ${step.rest} of ${as} for a request of another workspace`, [
        ...before,
        { ...request, expect },
      ]);
    if (sent.response.status !== 201) break;
    before.push(request);
    judgedPoints.push({ clause: "KEY-WORKSPACE", surface: "rest", covers: { "workspace memory": memory } });
  }
  if (judgedPoints.length > 0) await sut.send({ rest: `DELETE /api/repos/${SPARE}`, as });
  return { judged: judgedPoints };
}
