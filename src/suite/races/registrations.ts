import fc from "fast-check";
import type { WireResponse } from "../../engine/http/exchange.js";
import type { CaseOutcome, Property, SystemUnderTest } from "../../engine/property/property.js";
import type { AnswerText } from "../../engine/scenario/format.js";
import { inconclusive } from "../laws/blame.js";
import { REGISTERS, REGISTRATION, SPARE } from "../statements/set-ups.js";
import { explain, type Specification } from "./linearizable.js";
import { outcomes, type PossibleAnswer } from "./outcomes.js";
import { type Contender, race, raceStep, statusesOf, unexplained, valueAt } from "./race.js";

/** What is done about one triple at once. */
type Op = "register" | "look";

/** Whether the triple is in the workspace. */
type State = { registered: boolean };

const CLAUSES = ["REPO-REGISTER-ROUTE", "REPO-REGISTER-TWICE"];

/** REPO-REGISTER-TWICE, REPO-GET-ROUTE: the first registers, all others are told that it is there. */
const onceOnly: Specification<State, Op, WireResponse> = {
  initial: [{ registered: false }],
  apply({ registered }, op, answer) {
    if (op === "look") return answer.status === (registered ? 200 : 404) ? [{ registered }] : [];
    if (answer.status === 201) return registered ? [] : [{ registered: true }];
    return registered && answer.status === 409 ? [{ registered }] : [];
  },
};

/** A triple is registered once, however many try at once. */
export const triplesRegisterOnce: Property<{ ops: Op[] }> = {
  id: "race-registrations",
  title: "Of registrations of one triple at once one is accepted, and the triple is there from then on",
  proves: [...CLAUSES, "REPO-GET-ROUTE"],
  needs: ["worlds", ...REGISTERS],
  effects: ["read", "write", "paid"],
  runs: 10,
  cases: () => fc.record({ ops: fc.array(fc.constantFrom<Op>("register", "register", "look"), { minLength: 2, maxLength: 5 }) }),
  run: registerAtOnce,
};

async function registerAtOnce(sut: SystemUnderTest, { ops }: { ops: Op[] }): Promise<CaseOutcome> {
  const contenders = ops.map(
    (op): Contender<Op> => ({
      op,
      step: op === "register" ? { rest: "POST /api/repos", json: REGISTRATION } : { rest: `GET /api/repos/${SPARE}` },
    }),
  );
  const raced = await race(sut, contenders);
  if (!raced.ok) return raced.found;
  const refused = raced.history.find(({ op, answer }) => op === "register" && answer.status !== 201 && answer.status !== 409);
  if (refused) return inconclusive(`a registration was refused with ${String(valueAt(refused.answer, "/error/code"))}`);
  if (explain(raced.history, onceOnly).ok) return { verdict: "passed", subjects: ops.length };
  const some = outcomes<State, Op, AnswerText>(ops, { registered: false }, answersOf);
  return unexplained(sut, CLAUSES, `${ops.join(", ")} at once: ${statusesOf(raced.history)}`, [
    raceStep(contenders, { oneOf: some.map((answers) => ({ answers })) }),
  ]);
}

function answersOf({ registered }: State, op: Op): PossibleAnswer<State, AnswerText>[] {
  if (op === "look") return [{ expect: { status: registered ? 200 : 404 }, next: { registered } }];
  return [
    {
      expect: registered ? { status: 409, error: { code: "repo_already_registered" } } : { status: 201 },
      next: { registered: true },
    },
  ];
}
