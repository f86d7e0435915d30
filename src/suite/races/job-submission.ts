import fc from "fast-check";
import type { WireResponse } from "../../engine/http/exchange.js";
import type { CaseOutcome, Property, SystemUnderTest } from "../../engine/property/property.js";
import type { SeriesText } from "../../engine/scenario/format.js";
import { percentEncode } from "../../engine/scenario/interpolate.js";
import { createDedupe, type Submission } from "./job-submission-rules.js";
import { explain, type Operation } from "./linearizability.js";
import { createNotSerializable, createRaceStep, formatStatuses, type RaceRequest, readValue, runRace } from "./race.js";

/** Concurrent submissions, with one Idempotency-Key or without. */
interface Case {
  keyed: boolean;
  submissions: Pick<Submission, "body" | "force">[];
}

const RACE_CLAUSES = { keyed: ["IDEMPOTENCY-MATCH"], plain: ["DEDUPE-INFLIGHT"] };

/** DEDUPE-INFLIGHT, IDEMPOTENCY-MATCH: the server does not start work again that is in flight or has the same key. */
export const submissionRace: Property<Case> = {
  id: "race-submissions",
  title: "Identical concurrent submissions start one run, with and without an Idempotency-Key",
  proves: [...RACE_CLAUSES.keyed, ...RACE_CLAUSES.plain, "JOB-SUBMIT-FORCE-INFLIGHT"],
  needs: ["repos.1"],
  effects: ["read", "write", "paid"],
  changes: ["job"],
  runs: 16,
  cases: () =>
    fc.record({
      keyed: fc.boolean(),
      submissions: fc.array(
        fc.record({ body: fc.constantFrom("audit" as const, "audit" as const, "standard_audit" as const), force: fc.boolean() }),
        { minLength: 2, maxLength: 8 },
      ),
    }),
  run: runCase,
};

async function runCase(sut: SystemUnderTest, { keyed, submissions }: Case): Promise<CaseOutcome> {
  const contenders = submissions.map(
    ({ body, force }): RaceRequest<Submission> => ({
      op: { body, force, keyed },
      step: {
        rest: "POST /api/repos/{repo}/jobs",
        json: { workflow: body, params: {} },
        ...(force && { query: { force: "true" } }),
        ...(keyed && { headers: { "idempotency-key": "race-{unique}" } }),
      },
    }),
  );
  const result = await runRace(sut, contenders);
  if (!result.ok) return result.found;
  await cancelStarted(sut, result.history);
  const rules = createDedupe(sut.fresh ? 1 : Number.POSITIVE_INFINITY);
  if (explain(result.history, rules).ok) return { verdict: "passed", subjects: contenders.length };
  const [min, seen] = findSingleBodyPart(contenders, result.history, rules);
  const forced = min.some(({ op }) => op.force) ? ["JOB-SUBMIT-FORCE-INFLIGHT"] : [];
  const why = `${min.length} concurrent submissions got ${formatStatuses(seen)}`;
  return createNotSerializable(sut, keyed ? RACE_CLAUSES.keyed : [...RACE_CLAUSES.plain, ...forced], why, [
    createRaceStep(min, createExpected(min, sut.fresh)),
  ]);
}

/** Returns the submissions of one body where these alone have no serial order. */
function findSingleBodyPart(
  contenders: readonly RaceRequest<Submission>[],
  history: readonly Operation<Submission, WireResponse>[],
  rules: ReturnType<typeof createDedupe>,
): [RaceRequest<Submission>[], Operation<Submission, WireResponse>[]] {
  for (const body of ["audit", "standard_audit"] as const) {
    const part = history.filter(({ op }) => op.body === body);
    if (part.length > 1 && !explain(part, rules).ok) return [contenders.filter(({ op }) => op.body === body), part];
  }
  return [[...contenders], [...history]];
}

/** Expects at most one run for each body. Which submission starts it is open, and which earlier job others get on a repository in use. */
function createExpected(contenders: readonly RaceRequest<Submission>[], isFresh: boolean): SeriesText {
  const bodies = new Set(contenders.map(({ op }) => op.body)).size;
  const started = { statuses: { 201: { lte: bodies } } };
  if (bodies > 1) return started;
  const served = { statuses: { ...started.statuses, "2xx": contenders.length } };
  return isFresh ? { ...served, distinct: { "/id": 1 } } : served;
}

async function cancelStarted(sut: SystemUnderTest, history: readonly Operation<Submission, WireResponse>[]): Promise<void> {
  if (sut.fresh) return;
  const started = history
    .filter(({ answer: response }) => response.status === 201)
    .map(({ answer: response }) => String(readValue(response, "/id")));
  for (const id of started) await sut.send({ rest: `POST /api/jobs/${percentEncode(id)}/cancel` });
}
