import type { ClauseId, RouteName } from "../../contract/types.js";
import { matchAnswer } from "../expect/answer.js";
import { effectOf } from "../play/effects.js";
import type { Failure, Found, Property, Scene } from "../property/property.js";
import { type Effect, type Step, unfiled } from "../scenario/format.js";
import { interpolate, isRecord } from "../scenario/interpolate.js";
import type { WireResponse } from "../wire/exchange.js";
import type { Breach } from "./breach.js";
import { nameOf } from "./fault.js";
import { layGround, wantedOf } from "./ground.js";
import { keyChange } from "./key-witness.js";
import { unlawful } from "./lawful.js";
import type { Operation } from "./operation.js";
import { casesOf, coverageName, FAULTS, type FuzzCase, faultsOf, TRIES_PER_FAULT } from "./points.js";
import { unproven } from "./proof.js";
import { misshapen } from "./shown.js";
import { type Stated, statedOf } from "./stated.js";
import { validRequest } from "./valid-request.js";
import { nameOnWire, withFault } from "./with-fault.js";
import { changeSince, look, stillShows, type Witness, witnessesOf } from "./witness.js";

/** The property of one operation: whatever is wrong about a request, or nothing, the answer is one that the contract allows, and a refusal changes nothing. */
export function restProperty(operation: Operation): Property<FuzzCase> {
  const faults = faultsOf(operation);
  return {
    id: `fuzz-${kebab(operation.name)}`,
    title: `${operation.route}: one fault in a request is answered as the contract says, and a refusal changes nothing`,
    proves: ["ERR-ENVELOPE-ONE", "ERR-TYPE-PAIRS", "GEN-JSON-RESPONSE"],
    needs: needsOf(operation),
    effects: effectsOf(operation),
    runs: Math.ceil(faults.length * TRIES_PER_FAULT),
    cases: ({ coverage }) => casesOf(faults, coverage),
    play: (scene, drawn) => playCase(scene, operation, drawn),
  };
}

/** How one case is judged: what was sent and what came. */
interface Judged {
  operation: Operation;
  step: Step & { rest: string };
  stated: Stated;
  response: WireResponse;
  setUp: readonly Step[];
}

async function playCase(scene: Scene, operation: Operation, { seed, fault }: FuzzCase): Promise<Found> {
  const laid = await layGround(scene, wantedOf(operation.route, operation.variables));
  if (!laid.ok) return { verdict: "inconclusive", why: laid.why };
  const witnesses = witnessesOf(operation.route, operation.variables, scene.fresh);
  const before = await look(scene, witnesses);
  const request = validRequest(operation, seed);
  const step = withFault({ operation, request, look: scene.look }, fault);
  const setUp = [...scene.played];
  const sent = await scene.send(step);
  if (!sent.ok) return unanswered(scene, operation, step, sent.why);
  const named = (name: string) => String(interpolate(nameOnWire(operation, name), scene.look));
  const fields = fieldsOf(interpolate(request.json ?? {}, scene.look));
  const lost = unproven(fault, sent.request, { named, fields, look: scene.look });
  if (lost !== undefined) return { verdict: "inconclusive", why: lost };
  scene.coverage.reach(FAULTS, coverageName(fault));
  const judged = { operation, step, stated: statedOf(operation, fault), response: sent.response, setUp };
  const breach = breachOf(judged);
  if (breach && !(await isExcused(scene, judged, witnesses, before))) return failure(judged, nameOf(fault), breach);
  if (sent.response.status < 400) return { verdict: "passed", subjects: 1 };
  const change = operation.route === PATCH ? await keyChange(scene) : await changeSince(scene, witnesses, before);
  if (!change) return { verdict: "passed", subjects: 1 + witnesses.length };
  return {
    verdict: "failed",
    clauses: [unchangedClause(operation.route)],
    why: `${operation.route}, ${nameOf(fault)}: refused with ${sent.response.status}, and yet ${change.why}`,
    steps: [...setUp, { ...step, given: { status: sent.response.status } }, change.step],
  };
}

const PATCH: RouteName = "PATCH /api/keys/{key_id}";

/** The first way in which an answer contradicts the contract: what holds of every answer, what is said of this request, what is shown of a success. */
function breachOf({ operation, stated, response }: Judged): Breach | undefined {
  return unlawful(response) ?? unstated(stated, response) ?? misshapen(operation.route, response);
}

function unstated(stated: Stated, response: WireResponse): Breach | undefined {
  const { status } = response;
  if (stated.must === "be accepted" && status >= 400 && status !== 503)
    return {
      clauses: stated.clauses,
      why: `refused with ${status}, though nothing is wrong about it`,
      expect: { status: "2xx" },
    };
  if (stated.must !== "be refused") return undefined;
  const { expect, clauses, schemaLevel } = stated;
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
  scene: Scene,
  { stated, response }: Judged,
  witnesses: readonly Witness[],
  before: Parameters<typeof stillShows>[2],
): Promise<boolean> {
  if (stated.must !== "be accepted" || response.status < 400 || response.status >= 500) return false;
  return !(await stillShows(scene, witnesses, before));
}

/** Refused again and again for the rate or an outage: of that answer the envelope alone is judged. */
async function unanswered(scene: Scene, operation: Operation, step: Step & { rest: string }, why: string): Promise<Found> {
  const setUp = [...scene.played];
  const asIs = why.includes("status 503") ? await scene.send({ ...step, asIs: true }) : undefined;
  const breach = asIs?.ok && asIs.response.status === 503 ? unlawful(asIs.response) : undefined;
  if (!breach || !asIs?.ok) return { verdict: "inconclusive", why };
  return failure({ operation, step: { ...step, asIs: true }, setUp }, "answered 503", breach);
}

function failure(
  { operation, step, setUp }: Omit<Judged, "stated" | "response">,
  what: string,
  { clauses, why, expect, inconclusiveIf }: Breach,
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
    ...(bySession ? ["session.admin", "surface.app", "binding.key_name_field", "binding.key_scopes_field"] : []),
    ...(route === "GET /api/openapi.json" ? ["key.staff"] : []),
    ...(route === "POST /api/repos" ? ["binding.register_body.owner", "binding.spare.owner"] : []),
  ];
}

/** Cancelling needs a job in flight, which may have to be started first. */
function effectsOf({ route }: Operation): Effect[] {
  const own = effectOf({ rest: route }, NOTHING);
  return [...new Set<Effect>(["read", own, ...(route.endsWith("/cancel") ? (["paid"] as const) : [])])];
}

const NOTHING = unfiled({ scenario: "", title: "", proves: [], steps: [] });

function kebab(name: string): string {
  return name.replace(/([a-z])([A-Z])/g, "$1-$2").toLowerCase();
}
