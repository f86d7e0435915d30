import fc from "fast-check";
import type { CaseOutcome, Failure, JudgedPoint, Property, SystemUnderTest } from "../../../engine/property/property.js";
import type { Covers } from "../../../engine/scenario/dimensions.js";
import type { Step } from "../../../engine/scenario/format.js";
import { bindingsOfTool } from "../../request-rules.js";
import { otherWorkspaceRoles, refusedCredentials } from "../../statements/roles.js";
import { KEY_CREATION_NEEDS, REGISTRATION_NEEDS } from "../../statements/setup-steps.js";
import { assertAnswer } from "../assertion.js";
import { inconclusive } from "../blame.js";
import { prepare } from "../prepare.js";
import { coversOf } from "../rates/judged.js";
import { keyStillOwned, owned, ownedKey, ownedTicket, ownedWords, stillOwned } from "./owned.js";
import { type Listing, lists, narrowedLists, type Trespass, trespasses } from "./requests.js";
import { memories, repeatElsewhere } from "./same-names.js";
import { showsNothing, trespass } from "./trespass.js";

/** In which order callers of other workspaces ask, and for what. */
interface Case {
  order: number[];
  callers: string[];
}

const CLAUSES = [...new Set(trespasses.flatMap(({ clauses }) => clauses)), ...["KEY-WORKSPACE-LIST", "DEDUPE-REPO-DIFFERS"]];

/** KEY-WORKSPACE: everything that a workspace holds is as if it were not there to every key of another, by every route and tool. */
export const workspacesAreApart: Property<Case> = {
  id: "workspaces-are-apart",
  title: "Nothing of a workspace can be seen or changed with a key or a sign-in of another, by any route or tool",
  proves: CLAUSES,
  needs: ["drive.find", ...REGISTRATION_NEEDS],
  effects: ["read", "write", "paid", "destructive"],
  covers: covers(),
  runs: 2,
  most: 4,
  cases: ({ offers, coverage }) => {
    const known = otherWorkspaceRoles.filter((role) => offers(`key.${role}`));
    coverage.expect("callers", known);
    return fc.record({
      order: fc.shuffledSubarray([...trespasses.keys()], { minLength: trespasses.length }),
      callers: fc.shuffledSubarray([...otherWorkspaceRoles], { minLength: otherWorkspaceRoles.length }),
    });
  },
  run: ask,
};

async function ask(sut: SystemUnderTest, { order, callers }: Case): Promise<CaseOutcome> {
  const known = callers.filter((role) => sut.offers(`key.${role}`));
  if (known.length === 0) return inconclusive("the target offers no key of another workspace");
  const hasKey = KEY_CREATION_NEEDS.every(sut.offers);
  const needed: Step[] = [
    ...owned,
    ...(hasKey ? [ownedKey] : []),
    ...(sut.offers(TRACKER) ? [ownedTicket] : []),
    ...ownedWords(sut.offers),
  ];
  const unready = await prepare(sut, needed);
  if (unready) return unready;
  const judged: JudgedPoint[] = [];
  for (const [turn, index] of order.entries()) {
    const request = trespasses[index];
    if (!request || !isOffered(sut, request.step) || !isOffered(sut, request.unknown)) continue;
    for (const caller of callersOf(sut, request, known, turn)) {
      const found = await trespass(sut, { request, caller, needed });
      if (found === "nothing to say") continue;
      if (found) return found;
      judged.push(...pointsOf(request));
      if (caller.as !== undefined) sut.coverage.reach("callers", caller.as);
    }
  }
  const shown = await askLists(sut, known, needed, judged);
  if (shown) return shown;
  const repeated = await repeat(sut, known, needed);
  if ("verdict" in repeated) return repeated;
  judged.push(...repeated.judged);
  for (const assertion of [...stillOwned, ...(hasKey ? [keyStillOwned, keyStillOwned] : [])]) {
    const found = await assertAnswer(sut, assertion, { needed: [...sut.steps] });
    if (found?.verdict === "failed") return found;
  }
  return judged.length > 0 ? { verdict: "passed", subjects: judged.length, judged } : inconclusive("nothing could be asked");
}

/** One caller after another, until one was let do all of it. */
async function repeat(
  sut: SystemUnderTest,
  callers: readonly string[],
  needed: readonly Step[],
): Promise<{ judged: JudgedPoint[] } | Failure> {
  const judged: JudgedPoint[] = [];
  for (const as of callers) {
    const repeated = await repeatElsewhere(sut, as, needed);
    if ("verdict" in repeated) return repeated;
    judged.push(...repeated.judged);
    if (repeated.judged.length === memories.length) break;
  }
  return { judged };
}

/** Keys are managed by a sign-in, and everything else by keys, each in turn; those that are let in nowhere beside another. */
function callersOf(
  sut: SystemUnderTest,
  { subject }: Trespass,
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

/** Sign-ins of admins of other workspaces. */
const SESSIONS = otherWorkspaceRoles.map((role) => `${role}_admin`);

async function askLists(
  sut: SystemUnderTest,
  callers: readonly string[],
  needed: readonly Step[],
  judged: JudgedPoint[],
): Promise<Failure | undefined> {
  for (const { listing, as } of askedOf(callers)) {
    const { operation, step } = listing;
    if (!isOffered(sut, step)) continue;
    const found = await showsNothing(sut, { ...step, as }, needed);
    if (found === "nothing to say") continue;
    if (found) return found;
    judged.push(listed(operation, step));
  }
  return undefined;
}

/** Each list of every caller, and each narrowed one of a caller that is let in, in turn. */
function askedOf(callers: readonly string[]): { listing: Listing; as: string }[] {
  const active = callers.filter((role) => !(role in refusedCredentials));
  return [
    ...lists.flatMap((listing) => callers.map((as) => ({ listing, as }))),
    ...narrowedLists.flatMap((listing, turn) =>
      active
        .slice(turn % active.length)
        .slice(0, 1)
        .map((as) => ({ listing, as })),
    ),
  ];
}

function listed(operation: string, { mcp }: Step): JudgedPoint {
  return { clause: "KEY-WORKSPACE-LIST", surface: mcp ? "mcp" : "rest", covers: { operation } };
}

function isOffered(sut: SystemUnderTest, { mcp, rest }: Step): boolean {
  return (
    rest !== undefined || (sut.offers("surface.mcp") && bindingsOfTool(mcp ?? {}).every((name) => sut.offers(`binding.${name}`)))
  );
}

function pointsOf({ operation, surface, clauses }: Trespass): JudgedPoint[] {
  return clauses.map((clause) => ({ clause, surface, covers: { operation, "workspace relation": "of another workspace" } }));
}

/** What the cases can judge, for the lint. */
function covers(): Record<string, Covers> {
  return coversOf([
    ...trespasses.flatMap(pointsOf),
    ...lists.map(({ operation, step }) => listed(operation, step)),
    ...memories.map((memory) => ({ clause: "KEY-WORKSPACE", surface: "rest", covers: { "workspace memory": memory } })),
  ]);
}
