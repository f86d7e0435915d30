import fc from "fast-check";
import type { CaseOutcome, DrawContext, Property, SystemUnderTest } from "../../../engine/property/property.js";
import type { Step } from "../../../engine/scenario/format.js";
import { listVariables } from "../../../engine/scenario/interpolate.js";
import { findToolBindings } from "../../request-rules.js";
import { findFrame } from "../../statements/frames.js";
import { DEFAULT_ROLE, otherWorkspaceRoles, refusedCredentials } from "../../statements/roles.js";
import { REGISTRATION_NEEDS } from "../../statements/setup-steps.js";
import { ownerData, ownerFindings, ownerTicket, registerOwned } from "../isolation/owner-data.js";
import { createInconclusive } from "../outcome.js";
import { prepare } from "../steps.js";
import { changeClauses } from "./change-failure.js";
import { findDetailFailure, readDetails } from "./details.js";
import { type FrameRequest, frameRequests } from "./frame-requests.js";
import { idleClauses } from "./idle-requests.js";
import { KEY_NEEDS, keyRequests, performKeyRequest } from "./key-requests.js";
import { listClauses, openWalk, perform, renewView, type Walk } from "./walk.js";

/** Names of requests, and a role of another workspace whose lists must stay equal. */
interface Case {
  requests: string[];
  elsewhere: string;
}

/** The kind of points in the coverage. */
const REQUESTS = "requests";
/** Largest number of requests in a case. */
const MAX_READS = 100;
/** Largest number of tool calls in a case with one key: the tool server accepts 60 a minute, and a failing case sends them twice. */
const MAX_CALLS = 25;

const elsewhereRoles = otherWorkspaceRoles.filter((role) => !(role in refusedCredentials));

/** Each operation changes only what its frame contains. */
export const frame: Property<Case> = {
  id: "frame",
  title: "An accepted request changes only what the contract says, and a read or a refused request changes nothing",
  proves: [
    ...new Set([
      ...frameRequests.flatMap(listClauses),
      ...keyRequests.map(({ clause }) => clause),
      ...[...idleClauses, ...changeClauses, "KEY-WORKSPACE"],
    ]),
  ],
  needs: ["worlds", "drive.find", ...REGISTRATION_NEEDS],
  effects: ["read", "write", "paid", "destructive"],
  runs: 6,
  coverageGuided: true,
  coveragePoints: REQUESTS,
  cases: drawCase,
  run: runCase,
};

/** Draws unreached requests first, in any order. */
function drawCase({ offers, coverage }: DrawContext): fc.Arbitrary<Case> {
  const offered = [...frameRequests, ...(KEY_NEEDS.every(offers) ? keyRequests : [])].filter(({ step }) =>
    isOffered(offers, step),
  );
  coverage.expect(
    REQUESTS,
    offered.map(({ name }) => name),
  );
  const unreached = new Set(coverage.unreached(REQUESTS));
  const pool = unreached.size > 0 ? offered.filter(({ name }) => unreached.has(name)) : offered;
  const known = elsewhereRoles.filter((role) => offers(`key.${role}`));
  return fc.record({
    requests: fc.shuffledSubarray(pool, { minLength: pool.length }).map((drawn) => limitToRates(drawn).map(({ name }) => name)),
    elsewhere: fc.constantFrom(...known, ...(known.length === 0 ? [""] : [])),
  });
}

/** Returns the first requests that the rate of tool calls allows. */
function limitToRates(drawn: readonly { name: string; step: Step }[]): { name: string }[] {
  const calls = new Map<string, number>();
  const allowed = drawn.filter(({ step: { mcp, as = DEFAULT_ROLE } }) => {
    const count = (calls.get(as) ?? 0) + (mcp ? 1 : 0);
    calls.set(as, count);
    return !mcp || count <= MAX_CALLS;
  });
  return allowed.slice(0, MAX_READS);
}

function isOffered(offers: SystemUnderTest["offers"], step: Step): boolean {
  const { mcp, as } = step;
  const bindings = [...findToolBindings(mcp ?? {}).map((name) => `binding.${name}`), ...listVariables(step).filter(isBinding)];
  const needs = [...(mcp ? ["surface.mcp"] : []), ...bindings, ...(as === undefined || as === "none" ? [] : [`key.${as}`])];
  return needs.every(offers);
}

function isBinding(name: string): boolean {
  return name.startsWith("binding.");
}

async function runCase(sut: SystemUnderTest, { requests, elsewhere }: Case): Promise<CaseOutcome> {
  const chosen = frameRequests.filter(({ name, step }) => requests.includes(name) && isOffered(sut.offers, step));
  for (const name of requests) sut.coverage.reach(REQUESTS, name);
  const registration = chosen.find((frameRequest) => frameRequest.operation === "POST /api/repos" && frameRequest.how === "");
  const walk = await openWalk(sut, elsewhere);
  const setupFailure = await prepareOwner(walk, registration);
  if (setupFailure) return setupFailure;
  const ready = await prepareEach(
    walk,
    chosen.filter((frameRequest) => frameRequest !== registration),
  );
  walk.cancelled.add(String(sut.lookup("job")));
  const details = await readDetails(sut, ready);
  const failure =
    (await performAll(walk, ready)) ??
    (await findDetailFailure(sut, details, walk.view)) ??
    (await walk.elsewhereChange(chosen)) ??
    (await performKeyRequests(walk, requests));
  if (failure) return failure;
  return walk.subjects > 0 ? { verdict: "passed", subjects: walk.subjects } : createInconclusive("no drawn request was possible");
}

/** Creates the owner's data. The registration is judged too, if the case has it. */
async function prepareOwner(walk: Walk, registration: FrameRequest | undefined): Promise<CaseOutcome | undefined> {
  const failure = registration && (await perform(walk, [registration]));
  if (failure) return failure;
  const registered = walk.accepted.has(undefined) ? [] : await registerOwned(walk.sut);
  return "verdict" in registered ? registered : prepare(walk.sut, ownerData);
}

/**
 * Creates the resources of each request, the one with most steps first: its steps close findings, and the others of the same
 * title stay open. Leaves out requests whose resources the server does not create.
 */
async function prepareEach({ sut }: Walk, requests: readonly FrameRequest[]): Promise<FrameRequest[]> {
  const ready: FrameRequest[] = [];
  if (requests.some(({ step }) => JSON.stringify(step).includes("{ticketed}")) && sut.offers("binding.tickets.with"))
    await prepare(sut, [ownerTicket]);
  for (const request of requests.toSorted((a, b) => b.setup.length - a.setup.length)) {
    const hasSetup = (await prepare(sut, request.setup)) === undefined;
    const isKnown = !JSON.stringify(request.step).includes("{ticketed}") || sut.lookup("ticketed") !== undefined;
    if (hasSetup && isKnown) ready.push(request);
  }
  return ready;
}

/** Sends the reads and refused requests as one group first, and one by one if something changed. Then sends each write. */
async function performAll(walk: Walk, requests: readonly FrameRequest[]): Promise<CaseOutcome | undefined> {
  const writes = requests.filter((request) => computeRank(request) > 0).toSorted((a, b) => computeRank(a) - computeRank(b));
  const otherWorkspaceRoles = requests.filter((request) => computeRank(request) === 0);
  await renewView(walk);
  const failure = otherWorkspaceRoles.length > 0 ? await perform(walk, otherWorkspaceRoles) : undefined;
  if (failure?.verdict !== "failed") return failure ?? performEach(walk, writes);
  // new resources are needed for changes that happen only once, such as the acknowledgement of a finding
  await prepare(walk.sut, ownerFindings);
  await renewView(walk);
  return (await performEach(walk, otherWorkspaceRoles)) ?? failure;
}

async function performEach(walk: Walk, requests: readonly FrameRequest[]): Promise<CaseOutcome | undefined> {
  for (const request of requests) {
    const failure = await perform(walk, [request]);
    if (failure) return failure;
  }
  return undefined;
}

async function performKeyRequests(walk: Walk, names: readonly string[]): Promise<CaseOutcome | undefined> {
  for (const keyRequest of keyRequests.filter(({ name }) => names.includes(name))) {
    const failure = await performKeyRequest(walk.sut, keyRequest);
    if (failure?.verdict === "failed") return failure;
    if (!failure) walk.subjects += 1;
  }
  return undefined;
}

/** Other writes come before those that end a job of the case or remove its repository. */
function computeRank({ operation, refusedBy }: FrameRequest): number {
  const frame = findFrame(operation);
  if (refusedBy !== undefined || !frame) return 0;
  if (frame.removes) return 4;
  if (frame.ofRepository) return 3;
  return operation === "POST /api/jobs/{job_id}/cancel" ? 2 : 1;
}
