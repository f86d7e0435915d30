import fc from "fast-check";
import type { CaseOutcome, Failure, JudgedPoint, Property, SystemUnderTest } from "../../../engine/property/property.js";
import type { Covers } from "../../../engine/scenario/dimensions.js";
import type { Step } from "../../../engine/scenario/format.js";
import { findToolBindings } from "../../request-rules.js";
import { otherWorkspaceRoles, refusedCredentials } from "../../statements/roles.js";
import { KEY_CREATION_NEEDS, REGISTRATION_NEEDS, SPARE } from "../../statements/setup-steps.js";
import { groupCovers } from "../limits/judged-points.js";
import { createInconclusive } from "../outcome.js";
import { assertResponse, prepare } from "../steps.js";
import { checkForeignList, checkForeignRequest } from "./foreign-access.js";
import { type ForeignRequest, foreignLists, foreignRequests, type Listing, narrowedLists } from "./foreign-requests.js";
import {
  createOwnerContext,
  ownerAssertions,
  ownerData,
  ownerKey,
  ownerKeyAssertion,
  ownerTicket,
  registerOwned,
} from "./owner-data.js";
import { repeatFromOtherWorkspace, storedKinds } from "./repeated-requests.js";

/** The order of the requests, and the callers from other workspaces. */
interface Case {
  order: number[];
  callers: string[];
}

const ISOLATION_CLAUSES = [
  ...new Set(foreignRequests.flatMap(({ clauses }) => clauses)),
  ...["KEY-WORKSPACE-LIST", "DEDUPE-REPO-DIFFERS"],
];

/** KEY-WORKSPACE: for the keys of other workspaces, a workspace's resources do not exist, by every route and tool. */
export const workspaceIsolation: Property<Case> = {
  id: "workspace-isolation",
  title: "A key or session of another workspace can neither see nor change anything, by any route or tool",
  proves: ISOLATION_CLAUSES,
  needs: ["drive.find", ...REGISTRATION_NEEDS],
  effects: ["read", "write", "paid", "destructive"],
  covers: covers(),
  runs: 2,
  max: 4,
  cases: ({ offers, coverage }) => {
    const known = otherWorkspaceRoles.filter((role) => offers(`key.${role}`));
    coverage.expect("callers", known);
    return fc.record({
      order: fc.shuffledSubarray([...foreignRequests.keys()], { minLength: foreignRequests.length }),
      callers: fc.shuffledSubarray([...otherWorkspaceRoles], { minLength: otherWorkspaceRoles.length }),
    });
  },
  run: runCase,
};

async function runCase(sut: SystemUnderTest, { order, callers }: Case): Promise<CaseOutcome> {
  const known = await listCallersWithout(
    sut,
    callers.filter((role) => sut.offers(`key.${role}`)),
  );
  if (known.length === 0) return createInconclusive("the target offers no key of another workspace without the spare repository");
  const hasKey = KEY_CREATION_NEEDS.every(sut.offers);
  const registrationSteps = await registerOwned(sut);
  if ("verdict" in registrationSteps) return registrationSteps;
  const dataSteps: Step[] = [
    ...ownerData,
    ...(hasKey ? [ownerKey] : []),
    ...(sut.offers(TRACKER) ? [ownerTicket] : []),
    ...createOwnerContext(sut.offers),
  ];
  const setupFailure = await prepare(sut, dataSteps);
  if (setupFailure) return setupFailure;
  const steps = [...registrationSteps, ...dataSteps];
  const judgedPoints: JudgedPoint[] = [];
  for (const [turn, index] of order.entries()) {
    const request = foreignRequests[index];
    if (!request || !isOffered(sut, request.step) || !isOffered(sut, request.unknown)) continue;
    for (const caller of chooseCallers(sut, request, known, turn)) {
      const found = await checkForeignRequest(sut, { request, caller, needed: steps });
      if (found === "inconclusive") continue;
      if (found) return found;
      judgedPoints.push(...listPoints(request));
      if (caller.as !== undefined) sut.coverage.reach("callers", caller.as);
    }
  }
  const listFailure = await checkLists(sut, known, steps, judgedPoints);
  if (listFailure) return listFailure;
  const repeated = await repeatAll(sut, known, steps);
  if ("verdict" in repeated) return repeated;
  judgedPoints.push(...repeated.judged);
  for (const assertion of [...ownerAssertions, ...(hasKey ? [ownerKeyAssertion, ownerKeyAssertion] : [])]) {
    const caseOutcome = await assertResponse(sut, assertion, { needed: [...sut.steps] });
    if (caseOutcome?.verdict === "failed") return caseOutcome;
  }
  return judgedPoints.length > 0
    ? { verdict: "passed", subjects: judgedPoints.length, judged: judgedPoints }
    : createInconclusive("the target lacks the bindings of every request");
}

/** Returns the roles whose workspace does not have the owner's repository. */
async function listCallersWithout(sut: SystemUnderTest, roles: readonly string[]): Promise<string[]> {
  const left: string[] = [];
  for (const as of roles) {
    const sent = await sut.send({ rest: `GET /api/repos/${SPARE}`, as });
    if (sent.ok && sent.response.status >= 400) left.push(as);
  }
  return left;
}

/** Repeats the owner's requests with one caller after another, until the server has accepted one caller for all of them. */
async function repeatAll(
  sut: SystemUnderTest,
  callers: readonly string[],
  steps: readonly Step[],
): Promise<{ judged: JudgedPoint[] } | Failure> {
  const judgedPoints: JudgedPoint[] = [];
  for (const as of callers) {
    const repeated = await repeatFromOtherWorkspace(sut, as, steps);
    if ("verdict" in repeated) return repeated;
    judgedPoints.push(...repeated.judged);
    if (repeated.judged.length === storedKinds.length) break;
  }
  return { judged: judgedPoints };
}

/** Returns the callers of a request: sessions for keys, otherwise one accepted key in turn. Every third request also uses the refused keys. */
function chooseCallers(
  sut: SystemUnderTest,
  { subject }: ForeignRequest,
  known: readonly string[],
  turn: number,
): Pick<Step, "as" | "session">[] {
  if (subject.includes("key"))
    return SESSIONS.filter((role) => sut.offers(`session.${role}`) && sut.lookup("key_id") !== undefined).map((session) => ({
      session,
    }));
  const refused = known.filter((role) => role in refusedCredentials);
  const active = known.filter((role) => !refused.includes(role));
  const roles = [...active.slice(turn % active.length).slice(0, 1), ...(turn % 3 === 0 ? refused : [])];
  return roles.map((as) => ({ as }));
}

const TRACKER = "binding.tickets.with";

/** Admin sessions of other workspaces. */
const SESSIONS = otherWorkspaceRoles.map((role) => `${role}_admin`);

async function checkLists(
  sut: SystemUnderTest,
  callers: readonly string[],
  steps: readonly Step[],
  judgedPoints: JudgedPoint[],
): Promise<Failure | undefined> {
  for (const { listing, as } of listRequests(callers)) {
    const { operation, step } = listing;
    if (!isOffered(sut, step)) continue;
    const found = await checkForeignList(sut, { ...step, as }, steps);
    if (found === "inconclusive") continue;
    if (found) return found;
    judgedPoints.push(createListPoint(operation, step));
  }
  return undefined;
}

/** Returns each list with every caller, and each narrowed list with one accepted caller in turn. */
function listRequests(callers: readonly string[]): { listing: Listing; as: string }[] {
  const active = callers.filter((role) => !(role in refusedCredentials));
  return [
    ...foreignLists.flatMap((listing) => callers.map((as) => ({ listing, as }))),
    ...narrowedLists.flatMap((listing, turn) =>
      active
        .slice(turn % active.length)
        .slice(0, 1)
        .map((as) => ({ listing, as })),
    ),
  ];
}

function createListPoint(operation: string, { mcp }: Step): JudgedPoint {
  return { clause: "KEY-WORKSPACE-LIST", surface: mcp ? "mcp" : "rest", covers: { operation } };
}

function isOffered(sut: SystemUnderTest, { mcp, rest }: Step): boolean {
  return (
    rest !== undefined ||
    (sut.offers("surface.mcp") && findToolBindings(mcp ?? {}).every((name) => sut.offers(`binding.${name}`)))
  );
}

function listPoints({ operation, surface, clauses }: ForeignRequest): JudgedPoint[] {
  return clauses.map((clause) => ({ clause, surface, covers: { operation, "workspace relation": "of another workspace" } }));
}

/** Returns what the cases can judge, for the lint. */
function covers(): Record<string, Covers> {
  return groupCovers([
    ...foreignRequests.flatMap(listPoints),
    ...foreignLists.map(({ operation, step }) => createListPoint(operation, step)),
    ...storedKinds.map((memory) => ({ clause: "KEY-WORKSPACE", surface: "rest", covers: { "workspace memory": memory } })),
  ]);
}
