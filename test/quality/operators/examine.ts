import { at } from "./at-once.js";
import type { OperatorMutant } from "./instrument.js";
import type { Ranking } from "./order.js";
import type { CheckReach } from "./reach.js";
import type { Order, WorkerResult } from "./run-checks.js";

/** The result of a mutant. `inconclusive`: some check could not be judged, and none failed. */
export type OperatorEnd = "killed" | "timeout" | "crash" | "inconclusive" | "survived" | "unreached";

/** The result of one mutant. */
export interface OperatorFinding {
  file: string;
  name: string;
  end: OperatorEnd;
  /** The check that noticed it. */
  by?: string;
  /** The clauses that this check blamed. */
  clauses?: string[];
}

/** Executes checks on mutants. */
export interface Runner {
  ranking: Ranking;
  /** Threads. */
  size: number;
  runChecks(order: Order, limitSeconds: number): Promise<WorkerResult>;
  /** Whether a rule explains why a mutant survives. Another survivor is examined alone too. */
  isExplained(mutant: OperatorMutant): boolean;
  onFinding(mutant: OperatorMutant, finding: OperatorFinding): void;
}

/** The number of checks that examine each mutant alone before mutants are examined together. */
const MAX_SECONDS_ALONE = 15;
/** The number of mutants in one batch. The results of a batch are final. */
const AT_ONCE = 600;
/** Mutants that are switched on together, and the maximum for one file, each in another function: neighbours hide each other. */
const MAX_TOGETHER = 60;
const NEIGHBOUR_COUNT = 6;

/** A mutant that is not found yet, and its remaining checks. */
interface Suspect {
  mutant: OperatorMutant;
  left: CheckReach[];
  /** Its mock must be loaded and started with it. */
  fresh: boolean;
  /** A check that was inconclusive. */
  unsure?: string | undefined;
}

/**
 * Examines every mutant with the checks that reach it. The first few checks find most mutants. The others are examined together with mutants
 * of other files, because most of them survive. If a check fails then, it examines each of them alone, so that no mutant is killed by another.
 * A mutant that survives without a known reason is examined alone too, because two mutants may hide each other.
 */
export async function examineMutants(runner: Runner, mutants: readonly OperatorMutant[]): Promise<void> {
  for (let at = 0; at < mutants.length; at += AT_ONCE) await examineSome(runner, mutants.slice(at, at + AT_ONCE));
}

async function examineSome(runner: Runner, mutants: readonly OperatorMutant[]): Promise<void> {
  const suspects: Suspect[] = [];
  await at(runner.size, mutants, async (mutant) => {
    const all = runner.ranking.of(mutant);
    if (all.length === 0) return tell(runner, mutant, "unreached");
    const suspect: Suspect = { mutant, left: all, fresh: !runner.ranking.isLate(mutant) };
    if (await isFound(runner, suspect, takeSample(suspect))) return;
    // its effect on a mock at its start is not visible in a mock that has started
    if (!suspect.fresh && runner.ranking.isEarly(mutant)) Object.assign(suspect, { left: all, fresh: true });
    suspect.fresh = true; // nor an effect that the memory of such a mock hides
    if (suspect.unsure === undefined) suspects.push(suspect);
    else await askAlone(runner, suspect);
  });
  await at(runner.size, getPartners(suspects), (company) => askTogether(runner, company));
}

/** Executes checks on one mutant alone. Returns whether that ended its case. */
async function isFound(runner: Runner, suspect: Suspect, checks: readonly CheckReach[]): Promise<boolean> {
  const { mutant } = suspect;
  const { failed, broken, unsure } = await runAlone(runner, suspect, checks);
  if (failed) {
    runner.ranking.learn(mutant, failed.check);
    tell(runner, mutant, "killed", failed.check, failed.clauses);
  } else if (broken) tell(runner, mutant, broken, broken === "timeout" ? checks[0]?.check : undefined);
  suspect.unsure ??= unsure[0];
  return Boolean(failed || broken);
}

/** A running mock may break because of an earlier mutant. A mock that starts with the mutant shows the cause. */
async function runAlone(runner: Runner, suspect: Suspect, checks: readonly CheckReach[]): Promise<WorkerResult> {
  const response = await runner.runChecks(orderFor([suspect], checks), limitFor(checks));
  if (!response.broken || suspect.fresh) return response;
  return runner.runChecks(orderFor([{ ...suspect, fresh: true }], checks), limitFor(checks));
}

function orderFor(members: readonly Suspect[], checks: readonly CheckReach[]): Order {
  const order: Order = { on: members.map(({ mutant }) => mutant.id), checks: checks.map(getName) };
  return members.some(({ fresh }) => fresh) ? order : { ...order, standing: true };
}

/** Executes the remaining checks on several mutants together. */
async function askTogether(runner: Runner, company: readonly Suspect[]): Promise<void> {
  let members = company;
  const before = new Map(company.map((suspect) => [suspect, suspect.left]));
  for (;;) {
    const checks = checksLeft(members);
    if (checks.length === 0) break;
    const { failed, broken, unsure } = await runner.runChecks(orderFor(members, checks), limitFor(checks));
    const decidingChecks = new Set([...(failed ? [failed.check] : []), ...unsure]);
    const noticed = broken ? checks : checks.filter(({ check }) => decidingChecks.has(check));
    if (noticed.length > 0) members = await bisectSuspects(runner, members, noticed);
    const end = failed ? checks.findIndex(({ check }) => check === failed.check) + 1 : checks.length;
    const done = new Set(checks.slice(0, end).map(getName));
    for (const member of members) member.left = member.left.filter(({ check }) => !done.has(check));
  }
  for (const member of members) {
    if (company.length > 1 && !runner.isExplained(member.mutant))
      await askAlone(runner, { ...member, left: before.get(member) ?? [] });
    else tell(runner, member.mutant, "survived");
  }
}

/** Tries smaller and smaller groups of mutants after a group failed, down to single ones. Returns those that are not found. */
async function bisectSuspects(
  runner: Runner,
  members: readonly Suspect[],
  checks: readonly CheckReach[],
): Promise<readonly Suspect[]> {
  const [only] = members;
  if (members.length <= 1) return only && (await isInnocent(runner, only, checks)) ? members : [];
  const unaffected: Suspect[] = [];
  const middle = Math.ceil(members.length / 2);
  for (const half of [members.slice(0, middle), members.slice(middle)]) {
    const passes = half.length > 1 && (await passAll(runner, half, checks));
    unaffected.push(...(passes ? half : await bisectSuspects(runner, half, checks)));
  }
  return unaffected;
}

async function passAll(runner: Runner, members: readonly Suspect[], checks: readonly CheckReach[]): Promise<boolean> {
  const { failed, broken, unsure } = await runner.runChecks(orderFor(members, checks), limitFor(checks));
  return !failed && !broken && unsure.length === 0;
}

/** Tells whether a mutant passes checks alone. A mutant that makes a check inconclusive does so in every group. */
async function isInnocent(runner: Runner, suspect: Suspect, checks: readonly CheckReach[]): Promise<boolean> {
  const able = checks.filter(({ check }) => suspect.left.some((checkReach) => checkReach.check === check));
  if (able.length === 0) return true;
  if (await isFound(runner, suspect, able)) return false;
  if (suspect.unsure === undefined) return true;
  await askAlone(runner, suspect);
  return false;
}

/** Executes all remaining checks on one mutant alone. */
async function askAlone(runner: Runner, suspect: Suspect): Promise<void> {
  const { mutant, left } = suspect;
  if (left.length > 0 && (await isFound(runner, suspect, left))) return;
  tell(runner, mutant, suspect.unsure ? "inconclusive" : "survived", suspect.unsure);
}

function tell({ onFinding }: Runner, mutant: OperatorMutant, end: OperatorEnd, by?: string, clauses?: string[]): void {
  const { file, name } = mutant;
  onFinding(mutant, { file, name, end, ...(by !== undefined && { by }), ...(clauses && { clauses }) });
}

/** Takes the first few of the cheaper half of the remaining checks. */
function takeSample(suspect: Suspect): CheckReach[] {
  const { left } = suspect;
  const usual = left.map(({ seconds }) => seconds).sort((a, b) => a - b)[Math.floor(left.length / 2)] ?? 0;
  const few = left.filter(({ seconds }) => seconds <= usual).slice(0, MAX_SECONDS_ALONE);
  suspect.left = left.filter((checkReach) => !few.includes(checkReach));
  return few;
}

/** Groups of mutants that the same checks reach, with few shared paths. */
function getPartners(suspects: readonly Suspect[]): Suspect[][] {
  const all: Suspect[][] = [];
  for (const suspect of [...suspects].sort((a, b) => a.left.length - b.left.length)) {
    const openSuspects = all.find((company) => hasRoom(company, suspect));
    if (openSuspects) openSuspects.push(suspect);
    else all.push([suspect]);
  }
  return all;
}

function hasRoom(company: readonly Suspect[], { mutant, fresh }: Suspect): boolean {
  if (company.length >= MAX_TOGETHER || company[0]?.fresh !== fresh) return false;
  const ofFile = company.filter((otherSuspect) => otherSuspect.mutant.file === mutant.file);
  return ofFile.length < NEIGHBOUR_COUNT && ofFile.every((otherSuspect) => otherSuspect.mutant.within !== mutant.within);
}

/** The remaining checks of all of them, each once. */
function checksLeft(members: readonly Suspect[]): CheckReach[] {
  return [
    ...new Map(members.flatMap(({ left }) => left.map((checkReach) => [checkReach.check, checkReach] as const))).values(),
  ].sort((a, b) => a.seconds - b.seconds);
}

/** Returns many times the duration of the checks on the mock without a fault. A mutant that takes longer hangs. */
function limitFor(checks: readonly CheckReach[]): number {
  return 60 + 10 * checks.reduce((sum, { seconds }) => sum + seconds, 0);
}

function getName({ check }: CheckReach): string {
  return check;
}
