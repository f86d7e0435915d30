import type { ClauseId, RouteName } from "../../contract/types.js";
import type { StepReply } from "../../engine/execute/reply.js";
import type { WireResponse } from "../../engine/http/exchange.js";
import type { CaseOutcome, Failure, Property, SystemUnderTest } from "../../engine/property/property.js";
import type { Effect, Step } from "../../engine/scenario/format.js";
import { interpolate, isRecord } from "../../engine/scenario/interpolate.js";
import { matchAnswer } from "../answer-rules.js";
import { requests } from "../request-rules.js";
import { changesField } from "../statements/resource-changes.js";
import { arrange, prerequisitesOf, soughtStates } from "./arrange.js";
import { type Expectation, expectationOf } from "./expectation.js";
import { nameOf } from "./fault.js";
import { keyChange } from "./key-probe.js";
import { nonConforming } from "./non-conforming.js";
import type { Operation } from "./operation.js";
import { casesOf, coverageName, FAULTS, type FuzzCase, faultsOf, TRIES_PER_FAULT } from "./points.js";
import { changeSince, heldBefore, type Probe, probesOf, readProbes, stillShows } from "./probes.js";
import { unproven } from "./proof.js";
import { schemaMismatch } from "./shape.js";
import { validRequest } from "./valid-request.js";
import type { Violation } from "./violation.js";
import { nameOnWire, withFault } from "./with-fault.js";

/** The property of one operation: whatever is wrong about a request, or nothing, the answer is one that the contract allows, and a refusal changes nothing. */
export function restProperty(operation: Operation): Property<FuzzCase> {
  const faults = faultsOf(operation);
  return {
    id: `fuzz-${kebab(operation.name)}`,
    title: `${operation.route}: one fault in a request is answered as the contract says, and a refusal changes nothing`,
    proves: ["ERR-ENVELOPE-ONE", "ERR-TYPE-PAIRS", "GEN-JSON-RESPONSE"],
    needs: needsOf(operation),
    effects: effectsOf(operation),
    ...changesField(operation.route),
    runs: Math.ceil(faults.length * TRIES_PER_FAULT),
    coverageGuided: true,
    cases: ({ coverage }) => casesOf(faults, coverage),
    run: (sut, drawn) => runCase(sut, operation, drawn),
  };
}

/** How one case is judged: what was sent and what came. */
interface JudgedCase {
  operation: Operation;
  step: Step & { rest: string };
  expectation: Expectation;
  response: WireResponse;
  setUp: readonly Step[];
}

async function runCase(sut: SystemUnderTest, operation: Operation, { seed, fault }: FuzzCase): Promise<CaseOutcome> {
  const arrangement = await arrange(sut, prerequisitesOf(operation.route, operation.variables));
  if (!arrangement.ok) return { verdict: "inconclusive", why: arrangement.why };
  const probes = probesOf(operation.route, operation.variables, sut.fresh);
  const before = await readProbes(sut, probes);
  const request = validRequest(operation, seed);
  const step = withFault({ operation, request, look: sut.lookup }, fault);
  const setUp = [...sut.steps];
  const sent = await sut.send(step);
  if (!sent.ok) return unanswered(sut, operation, step, sent);
  const named = (name: string) => String(interpolate(nameOnWire(operation, name), sut.lookup));
  const fields = fieldsOf(interpolate(request.json ?? {}, sut.lookup));
  const lost = unproven(fault, sent.request, { named, fields, look: sut.lookup });
  if (lost !== undefined) return { verdict: "inconclusive", why: lost };
  sut.coverage.reach(FAULTS, coverageName(fault));
  const judged = { operation, step, expectation: expectationOf(operation, fault), response: sent.response, setUp };
  const violation = violationOf(judged);
  if (violation && !(await isExcused(sut, judged, probes, before))) return failure(judged, nameOf(fault), violation);
  if (sent.response.status < 400) return { verdict: "passed", subjects: 1 };
  const change = operation.route === PATCH ? await keyChange(sut) : await changeSince(sut, probes, before);
  if (!change) return { verdict: "passed", subjects: 1 + probes.length };
  return {
    verdict: "failed",
    clauses: [unchangedClause(operation.route)],
    why: `${operation.route}, ${nameOf(fault)}: refused with ${sent.response.status}, and yet ${change.why}`,
    steps: [
      ...(operation.route === PATCH ? setUp : heldBefore(setUp, change)), // what tells the ceilings of a key changes them
      { ...step, given: { status: sent.response.status } },
      change.step,
    ],
  };
}

const PATCH: RouteName = "PATCH /api/keys/{key_id}";

/** The first way in which an answer contradicts the contract: what holds of every answer, what is said of this request, what is shown of a success. */
function violationOf({ operation, expectation, response }: JudgedCase): Violation | undefined {
  return nonConforming(response) ?? unexpected(expectation, response) ?? schemaMismatch(operation.route, response);
}

function unexpected(expectation: Expectation, response: WireResponse): Violation | undefined {
  const { status } = response;
  if (expectation.must === "be accepted" && status >= 400 && status !== 503)
    return {
      clauses: expectation.clauses,
      why: `refused with ${status}, though nothing is wrong about it`,
      expect: { status: "2xx" },
    };
  if (expectation.must !== "be refused") return undefined;
  const { expect, clauses, schemaLevel } = expectation;
  const [mismatch] = matchAnswer(expect, response).mismatches;
  if (mismatch) return { clauses, why: `${mismatch.at} should be ${mismatch.expected}, is ${mismatch.actual}`, expect };
  if (!schemaLevel || status !== 422) return undefined;
  const listed = { body: { matches: '"errors"\\s*:\\s*\\[' } };
  const silent = matchAnswer(listed, response).mismatches.length > 0;
  return silent
    ? { clauses: ["ERR-VALIDATION-ERRORS"], why: "a schema-level failure without a list named errors", expect: listed }
    : undefined;
}

/** A refusal of a valid request is only a finding as long as what it is about is still as it must be; time and others may have changed it. */
async function isExcused(
  sut: SystemUnderTest,
  { operation: { route, variables }, expectation, response }: JudgedCase,
  probes: readonly Probe[],
  before: Parameters<typeof stillShows>[2],
): Promise<boolean> {
  if (expectation.must !== "be accepted" || response.status < 400 || response.status >= 500) return false;
  return !(await stillShows(sut, probes, before, soughtStates(prerequisitesOf(route, variables))));
}

/** Refused again and again for the rate or an outage: of that answer the envelope alone is judged. */
async function unanswered(
  sut: SystemUnderTest,
  operation: Operation,
  step: Step & { rest: string },
  { why, refusedWith }: StepReply & { ok: false },
): Promise<CaseOutcome> {
  const setUp = [...sut.steps];
  const sentOnce = refusedWith === 503 ? await sut.send({ ...step, retry: false }) : undefined;
  const violation = sentOnce?.ok && sentOnce.response.status === 503 ? nonConforming(sentOnce.response) : undefined;
  if (!violation || !sentOnce?.ok) return { verdict: "inconclusive", why };
  return failure({ operation, step: { ...step, retry: false }, setUp }, "answered 503", violation);
}

function failure(
  { operation, step, setUp }: Omit<JudgedCase, "expectation" | "response">,
  what: string,
  { clauses, why, expect, inconclusiveIf }: Violation,
): Failure {
  const last: Step = { ...step, expect, ...(inconclusiveIf && { inconclusiveIf }) };
  return { verdict: "failed", clauses, why: `${operation.route}, ${what}: ${why}`, steps: [...setUp, last] };
}

function fieldsOf(value: unknown): Record<string, unknown> {
  return isRecord(value) ? value : {};
}

/** The clause that says of a refusal that it changes nothing. */
function unchangedClause(route: RouteName): ClauseId {
  if (route === PATCH) return "KEY-PATCH-UNCHANGED";
  if (route === "POST /api/repos") return "REPO-REGISTER-REFUSED-UNLISTED";
  if (route.endsWith("/jobs") || route.endsWith("/retry")) return "JOB-SUBMIT-ONLY-201";
  if (route.endsWith("/dismiss")) return "OBS-DISMISS-BOTH-REQUIRED";
  if (route.endsWith("/reopen")) return "OBS-REOPEN-REASON-REQUIRED";
  return "ERR-TYPE-INVALID";
}

/** Keys that are made cannot be taken back, what is deleted or reset is gone, and room for repositories is scarce: those need worlds. */
function needsOf({ route, bySession, variables }: Operation): string[] {
  const spoils = bySession || route.startsWith("DELETE ") || route.endsWith("/reset") || route === "POST /api/repos";
  return [
    ...(variables.includes("owner") ? ["repos.1"] : []),
    ...(spoils ? ["worlds"] : []),
    ...(bySession ? ["session.admin", "surface.session", "binding.key_name_field", "binding.key_scopes_field"] : []),
    ...(route === "GET /api/openapi.json" ? ["key.staff"] : []),
    ...(route === "POST /api/repos" ? ["binding.register_body.owner", "binding.spare.owner"] : []),
  ];
}

/** Cancelling needs a job in flight, which may have to be started first. */
function effectsOf({ route }: Operation): Effect[] {
  const [method = "", path = ""] = route.split(" ");
  const own = requests.effectOf(method, path);
  return [...new Set<Effect>(["read", own, ...(route.endsWith("/cancel") ? (["paid"] as const) : [])])];
}

function kebab(name: string): string {
  return name.replace(/([a-z])([A-Z])/g, "$1-$2").toLowerCase();
}
