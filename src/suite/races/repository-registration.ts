import fc from "fast-check";
import type { WireResponse } from "../../engine/http/exchange.js";
import type { CaseOutcome, Property, SystemUnderTest } from "../../engine/property/property.js";
import type { ResponseText } from "../../engine/scenario/format.js";
import { createInconclusive } from "../laws/outcome.js";
import { REGISTRATION, REGISTRATION_NEEDS, SPARE } from "../statements/setup-steps.js";
import { explain, listOutcomes, type PossibleResponse, type Specification } from "./linearizability.js";
import { createNotSerializable, createRaceStep, formatStatuses, type RaceRequest, readValue, runRace } from "./race.js";

/** A request about one repository. */
type Op = "register" | "look";

/** Whether the repository is registered. */
type State = { registered: boolean };

const RACE_CLAUSES = ["REPO-REGISTER-ROUTE", "REPO-REGISTER-TWICE"];

/** REPO-REGISTER-TWICE, REPO-GET-ROUTE: the first registration succeeds, all others get 409. */
const singleRegistration: Specification<State, Op, WireResponse> = {
  initial: [{ registered: false }],
  apply({ registered }, op, response) {
    if (op === "look") return response.status === (registered ? 200 : 404) ? [{ registered }] : [];
    if (response.status === 201) return registered ? [] : [{ registered: true }];
    return registered && response.status === 409 ? [{ registered }] : [];
  },
};

/** Checks that concurrent registrations register a repository once. */
export const registrationRace: Property<{ ops: Op[] }> = {
  id: "race-registrations",
  title: "The server accepts one of several concurrent registrations of a repository, and then shows the repository",
  proves: [...RACE_CLAUSES, "REPO-GET-ROUTE"],
  needs: ["worlds", ...REGISTRATION_NEEDS],
  effects: ["read", "write", "paid"],
  runs: 10,
  cases: () => fc.record({ ops: fc.array(fc.constantFrom<Op>("register", "register", "look"), { minLength: 2, maxLength: 5 }) }),
  run: runCase,
};

async function runCase(sut: SystemUnderTest, { ops }: { ops: Op[] }): Promise<CaseOutcome> {
  const contenders = ops.map(
    (op): RaceRequest<Op> => ({
      op,
      step: op === "register" ? { rest: "POST /api/repos", json: REGISTRATION } : { rest: `GET /api/repos/${SPARE}` },
    }),
  );
  const result = await runRace(sut, contenders);
  if (!result.ok) return result.found;
  const operation = result.history.find(
    ({ op, answer: response }) => op === "register" && response.status !== 201 && response.status !== 409,
  );
  if (operation)
    return createInconclusive(`a registration was refused with ${String(readValue(operation.answer, "/error/code"))}`);
  if (explain(result.history, singleRegistration).ok) return { verdict: "passed", subjects: ops.length };
  const some = listOutcomes<State, Op, ResponseText>(ops, { registered: false }, listPossibleResponses);
  return createNotSerializable(
    sut,
    RACE_CLAUSES,
    `concurrent ${ops.join(", ")} got ${formatStatuses(result.history)}: no serial order explains it`,
    [createRaceStep(contenders, { oneOf: some.map((responses) => ({ answers: responses })) })],
  );
}

function listPossibleResponses({ registered }: State, op: Op): PossibleResponse<State, ResponseText>[] {
  if (op === "look") return [{ expect: { status: registered ? 200 : 404 }, next: { registered } }];
  return [
    {
      expect: registered ? { status: 409, error: { code: "repo_already_registered" } } : { status: 201 },
      next: { registered: true },
    },
  ];
}
