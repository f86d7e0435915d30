import type { Failure, JudgedPoint, SystemUnderTest } from "../../../engine/property/property.js";
import type { AnswerText, Step } from "../../../engine/scenario/format.js";
import { REGISTRATION, SPARE } from "../../statements/setup-steps.js";
import { failed } from "../blame.js";
import { REMEMBERED } from "./owned.js";

/** What another workspace does under the owner's own names, in this order, and what must then not be. */
interface Repetition {
  /** What a workspace keeps, as the dimension names it. */
  memory: string;
  step: Step;
  /** What answers that it was taken for the owner's. */
  taken: AnswerText;
  /** What must be so instead. */
  expect: AnswerText;
  clauses: readonly string[];
}

const submit = (workflow: string): Step => ({ rest: `POST /api/repos/${SPARE}/jobs`, json: { workflow, params: {} } });
const anew = { taken: { status: 200 }, expect: { status: { not: 200 } } } as const;

const repetitions: readonly Repetition[] = [
  {
    memory: "registered triple",
    step: { rest: "POST /api/repos", json: REGISTRATION },
    taken: { status: 409 },
    expect: { status: { not: 409 } },
    clauses: ["KEY-WORKSPACE"],
  },
  { memory: "job in flight", step: submit("standard_audit"), ...anew, clauses: ["KEY-WORKSPACE", "DEDUPE-REPO-DIFFERS"] },
  { memory: "Idempotency-Key", step: { ...submit("audit"), headers: REMEMBERED }, ...anew, clauses: ["KEY-WORKSPACE"] },
];

/** What can be judged of a workspace's memory, for the lint. */
export const memories: readonly string[] = repetitions.map(({ memory }) => memory);

/**
 * Has another workspace register the owner's triple and submit what the owner has submitted: it starts its own. Whether it may at all is a
 * matter of its plan and its credit, so a refusal of any other kind says nothing, nor does what needs it.
 */
export async function repeatElsewhere(
  sut: SystemUnderTest,
  as: string,
  needed: readonly Step[],
): Promise<{ judged: JudgedPoint[] } | Failure> {
  const judged: JudgedPoint[] = [];
  const before = [...needed];
  for (const { memory, step, taken, expect, clauses } of repetitions) {
    const asked = { ...step, as };
    const sent = await sut.send(asked);
    if (!sent.ok) break;
    if (sent.response.status === taken.status)
      return failed(clauses, `${memory}: ${step.rest} of ${as} is taken for one of another workspace`, [
        ...before,
        { ...asked, expect },
      ]);
    if (sent.response.status >= 300) break;
    before.push(asked);
    judged.push({ clause: "KEY-WORKSPACE", surface: "rest", covers: { "workspace memory": memory } });
  }
  if (judged.length > 0) await sut.send({ rest: `DELETE /api/repos/${SPARE}`, as });
  return { judged };
}
