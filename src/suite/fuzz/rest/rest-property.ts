import type { ClauseId, RouteName } from "../../../contract/types.js";
import type { StepResult } from "../../../engine/execute/send-result.js";
import type { WireResponse } from "../../../engine/http/exchange.js";
import type { CaseOutcome, Failure, Property, SystemUnderTest } from "../../../engine/property/property.js";
import type { Effect, Row, Step } from "../../../engine/scenario/format.js";
import { interpolate, isRecord } from "../../../engine/scenario/interpolate.js";
import { requests } from "../../request-rules.js";
import { matchResponseTo } from "../../response-rules.js";
import { createChangesField } from "../../statements/frames.js";
import { nameFault } from "../faults/fault.js";
import {
  drawCases,
  FAULT_POINT_KIND,
  type FuzzCase,
  listFaults,
  MAX_DRAWS_PER_FAULT,
  nameForCoverage,
} from "../faults/fault-cases.js";
import type { Operation } from "../faults/operation.js";
import { describeMissingFault } from "../faults/sent-fault.js";
import { findPrerequisites, listRequiredStates, preparePrerequisites } from "../prerequisites.js";
import {
  type Change,
  createProbes,
  expectEarlierState,
  findChange,
  isUnchangedSince,
  type Probe,
  readProbes,
} from "../probes.js";
import { applyFault, findWireName } from "./apply-fault.js";
import { createExpectation, type Expectation } from "./expectation.js";
import { findRuleViolation, type Violation } from "./response-rules.js";
import { findSchemaMismatch } from "./response-schema.js";
import { createValidRequest, sampleCeilings } from "./valid-request.js";

/** Returns the property of one operation: the response to any fault is one that the contract allows, and a refusal changes nothing. */
export function createRestProperty(operation: Operation): Property<FuzzCase> {
  const faults = listFaults(operation);
  return {
    id: `fuzz-${toKebabCase(operation.name)}`,
    title: `${operation.route}: the response to one fault in a request conforms, and a refusal changes nothing`,
    proves: ["ERR-ENVELOPE-ONE", "ERR-TYPE-PAIRS", "GEN-JSON-RESPONSE"],
    needs: listNeeds(operation),
    effects: listEffects(operation),
    ...createChangesField(operation.route),
    runs: Math.ceil(faults.length * MAX_DRAWS_PER_FAULT),
    coverageGuided: true,
    cases: ({ coverage }) => drawCases(faults, coverage),
    run: (sut, fuzzCase) => runCase(sut, operation, fuzzCase),
  };
}

/** A sent request, its expectation and its response. */
interface JudgedCase {
  operation: Operation;
  step: Step & { rest: string };
  expectation: Expectation;
  response: WireResponse;
  setup: readonly Step[];
}

async function runCase(sut: SystemUnderTest, operation: Operation, { seed, fault }: FuzzCase): Promise<CaseOutcome> {
  const prerequisiteResult = await preparePrerequisites(sut, findPrerequisites(operation.route, operation.variables));
  if (!prerequisiteResult.ok) return { verdict: "inconclusive", why: prerequisiteResult.why };
  const probes = createProbes(operation.route, operation.variables, sut.fresh);
  const rowsBefore = await readProbes(sut, probes);
  const isAlone = fault.kind === "edge" && fault.in === "query"; // other parameters may contradict it
  const request = createValidRequest(operation, isAlone ? 0 : seed);
  const step = applyFault({ operation, request, look: sut.lookup }, fault);
  const setup = [...sut.steps];
  const stepResult = await sut.send(step);
  if (!stepResult.ok) return judgeOutage(sut, operation, step, stepResult);
  const nameList = (name: string) => String(interpolate(findWireName(operation, name), sut.lookup));
  const fields = readFields(interpolate(request.json ?? {}, sut.lookup));
  const missing = describeMissingFault(fault, stepResult.request, { named: nameList, fields, look: sut.lookup });
  if (missing !== undefined) return { verdict: "inconclusive", why: missing };
  sut.coverage.reach(FAULT_POINT_KIND, nameForCoverage(fault));
  const judgedCase = { operation, step, expectation: createExpectation(operation, fault), response: stepResult.response, setup };
  const violation = findViolation(judgedCase);
  if (violation && !(await isExcused(sut, judgedCase, probes, rowsBefore)))
    return createFailure(judgedCase, nameFault(fault), violation);
  if (stepResult.response.status < 400) return { verdict: "passed", subjects: 1 };
  const change = operation.route === PATCH ? await findCeilingChange(sut) : await findChange(sut, probes, rowsBefore);
  if (!change) return { verdict: "passed", subjects: 1 + probes.length };
  return {
    verdict: "failed",
    clauses: [findUnchangedClause(operation.route)],
    why: `${operation.route}, ${nameFault(fault)}: the server refused it with ${stepResult.response.status}, but ${change.why}`,
    steps: [
      ...(operation.route === PATCH ? setup : expectEarlierState(setup, change)), // the probe of a key's ceilings changes them
      { ...step, given: { status: stepResult.response.status } },
      change.step,
    ],
  };
}

const PATCH: RouteName = "PATCH /api/keys/{key_id}";

/** Returns the first contradiction: with the rules of every response, of this request, or of the response schema. */
function findViolation({ operation, expectation, response }: JudgedCase): Violation | undefined {
  return findRuleViolation(response) ?? findUnexpected(expectation, response) ?? findSchemaMismatch(operation.route, response);
}

function findUnexpected(expectation: Expectation, response: WireResponse): Violation | undefined {
  const { status } = response;
  if (expectation.must === "be accepted" && status >= 400 && status !== 503)
    return {
      clauses: expectation.clauses,
      why: `refused with ${status}, although the request is valid`,
      expect: { status: "2xx" },
    };
  if (expectation.must !== "be refused") return undefined;
  const { expect, clauses, schemaLevel } = expectation;
  const [mismatch] = matchResponseTo(expect, response).mismatches;
  if (mismatch) return { clauses, why: `${mismatch.at} should be ${mismatch.expected}, is ${mismatch.actual}`, expect };
  if (!schemaLevel || status !== 422) return undefined;
  const listed = { body: { matches: '"errors"\\s*:\\s*\\[' } };
  const silent = matchResponseTo(listed, response).mismatches.length > 0;
  return silent
    ? { clauses: ["ERR-VALIDATION-ERRORS"], why: "a validation error without the list errors", expect: listed }
    : undefined;
}

/** Returns whether a refusal of a valid request is excused because the resource has changed since. */
async function isExcused(
  sut: SystemUnderTest,
  { operation: { route, variables }, expectation, response }: JudgedCase,
  probes: readonly Probe[],
  rowsBefore: Parameters<typeof isUnchangedSince>[2],
): Promise<boolean> {
  if (expectation.must !== "be accepted" || response.status < 400 || response.status >= 500) return false;
  return !(await isUnchangedSince(sut, probes, rowsBefore, listRequiredStates(findPrerequisites(route, variables))));
}

/** Handles repeated refusals for the rate or an outage: only the error envelope is judged. */
async function judgeOutage(
  sut: SystemUnderTest,
  operation: Operation,
  step: Step & { rest: string },
  { why, refusal }: StepResult & { ok: false },
): Promise<CaseOutcome> {
  const setup = [...sut.steps];
  const sentOnce = refusal?.status === 503 ? await sut.send({ ...step, retry: false }) : undefined;
  const violation = sentOnce?.ok && sentOnce.response.status === 503 ? findRuleViolation(sentOnce.response) : undefined;
  if (!violation || !sentOnce?.ok) return { verdict: "inconclusive", why };
  return createFailure({ operation, step: { ...step, retry: false }, setup }, "answered 503", violation);
}

function createFailure(
  { operation, step, setup }: Omit<JudgedCase, "expectation" | "response">,
  what: string,
  { clauses, why, expect, inconclusiveIf }: Violation,
): Failure {
  const last: Step = { ...step, expect, ...(inconclusiveIf && { inconclusiveIf }) };
  return { verdict: "failed", clauses, why: `${operation.route}, ${what}: ${why}`, steps: [...setup, last] };
}

function readFields(value: unknown): Record<string, unknown> {
  return isRecord(value) ? value : {};
}

/** Returns the clause by which a refusal changes nothing. */
function findUnchangedClause(route: RouteName): ClauseId {
  if (route === PATCH) return "KEY-PATCH-UNCHANGED";
  if (route === "POST /api/repos") return "REPO-REGISTER-REFUSED-UNLISTED";
  if (route.endsWith("/jobs") || route.endsWith("/retry")) return "JOB-SUBMIT-ONLY-201";
  if (route.endsWith("/dismiss")) return "OBS-DISMISS-BOTH-REQUIRED";
  if (route.endsWith("/reopen")) return "OBS-REOPEN-REASON-REQUIRED";
  return "ERR-TYPE-INVALID";
}

/** Returns the needs of an operation. Operations that cannot be undone, or that use up room, need new worlds. */
function listNeeds({ route, bySession, variables }: Operation): string[] {
  const changesOthers = bySession || route.startsWith("DELETE ") || route.endsWith("/reset") || route === "POST /api/repos";
  return [
    ...(variables.includes("owner") ? ["repos.1"] : []),
    ...(changesOthers ? ["worlds"] : []),
    ...(bySession ? ["session.admin", "surface.session", "binding.key_name_field", "binding.key_scopes_field"] : []),
    ...(route === "GET /api/openapi.json" ? ["key.staff"] : []),
    ...(route === "POST /api/keys" ? ["binding.room.keys"] : []),
    ...(route === "POST /api/repos" ? ["binding.register_body.owner", "binding.spare.owner"] : []),
  ];
}

/** Returns the effects of an operation. Cancelling may first start a job. */
function listEffects({ route }: Operation): Effect[] {
  const [method = "", path = ""] = route.split(" ");
  const ownEffect = requests.effectOf(method, path);
  return [...new Set<Effect>(["read", ownEffect, ...(route.endsWith("/cancel") ? (["paid"] as const) : [])])];
}

function toKebabCase(name: string): string {
  return name.replace(/([a-z])([A-Z])/g, "$1-$2").toLowerCase();
}

/** PATCHes of a key with its first ceilings: raising either is refused (KEY-PATCH-RAISE), lowering both is accepted (KEY-PATCH-LOWER). */
const keyEditProbes: readonly { json: Row; accepted: boolean }[] = [
  { json: { requests_per_minute: sampleCeilings.requests_per_minute + 1 }, accepted: false },
  { json: { dollars_per_hour: sampleCeilings.dollars_per_hour + 1 }, accepted: false },
  {
    json: {
      requests_per_minute: sampleCeilings.requests_per_minute - 1,
      dollars_per_hour: sampleCeilings.dollars_per_hour - 0.5,
    },
    accepted: true,
  },
];

/** Returns the change of a key's ceilings after a refused PATCH; undefined when they are unchanged. No route shows a key, so PATCHes test it. */
async function findCeilingChange(sut: SystemUnderTest): Promise<Change | undefined> {
  for (const { json, accepted } of keyEditProbes) {
    const step: Step = { rest: "PATCH /api/keys/{key_id}", session: "admin", json };
    const stepResult = await sut.send(step);
    if (!stepResult.ok) return undefined;
    const { status } = stepResult.response;
    if (status < 300 === accepted) continue;
    return {
      step: { ...step, expect: { status: accepted ? "2xx" : 400 } },
      why: `the ceilings of the key have changed: a PATCH with ${JSON.stringify(json)} returned status ${status}`,
    };
  }
  return undefined;
}
