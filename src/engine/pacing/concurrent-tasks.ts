import type { Target } from "../target/target.js";
import { type Changes, isChange, overlap } from "./changes.js";
import type { Reservation } from "./reservation.js";
import type { Throttle } from "./throttle.js";
import { openTurnLock, turnHolder, type YieldTurn } from "./turn-lock.js";

/** Something that is executed on a server beside others. */
export interface Task {
  /** What it takes of the server's limits; undefined where only its requests will show. */
  claim: Reservation | undefined;
  changes: Changes;
  /** Executes it, and says whether it must be executed again when nobody else is. */
  execute(place: TaskContext): Promise<"done" | "again">;
}

/** Where a task is executed. */
export interface TaskContext {
  throttle: Throttle;
  /** Lets others act until something is done. */
  yieldTurn: YieldTurn;
  /** Whether it is executed again, alone. */
  isRetry: boolean;
  /** Whether another that changes things was in progress meanwhile, or it had to wait for one that acted. */
  wasDisturbed(): boolean;
  disturb(): void;
}

/** What tasks are executed with. */
export interface Surface {
  throttle: Throttle;
  /** Waits until so many seconds are over, or the signal says that something else may be done; `isBurst`: for limits that a task goes up to. */
  wait(seconds: number, signal: AbortSignal, isBurst: boolean): Promise<unknown>;
  /** Whether a wait may last so many seconds; what must wait longer begins at once, and says so itself. */
  mayWait(seconds: number): boolean;
}

/** Tasks of which nobody knows what they will send that are in progress at once. */
const MOST_FILLERS = 6;

/** Whether a target is one workspace for all, in which time passes by itself: then waits are long, and are used. */
export function isShared({ worlds, clock }: Pick<Target, "worlds" | "clock">): boolean {
  return !worlds && !clock;
}

interface Progress {
  task: Task;
  disturbed: boolean;
}

/**
 * Executes tasks side by side where nothing comes of it: one acts at a time, and while it waits others do that share no limit which it goes up
 * to and no kind of thing that it changes. What only reads may be beside anything. Those that need not wait begin first, in their order, so
 * that limits fill again meanwhile. What must be executed again comes last, one after the other.
 */
export async function executeConcurrently(tasks: readonly Task[], surface: Surface): Promise<void> {
  const again = await executeTasks(tasks, surface, false);
  await executeTasks(again, surface, true);
}

async function executeTasks(tasks: readonly Task[], surface: Surface, isRetry: boolean): Promise<Task[]> {
  const turns = openTurnLock();
  const left = [...tasks];
  const again: Task[] = [];
  const failures: unknown[] = [];
  const inProgress = new Set<Progress>();
  let waiting: readonly Task[] = [];
  let wake = () => {};
  const begin = async (task: Task) => {
    left.splice(left.indexOf(task), 1);
    const others = [...inProgress];
    const progress = { task, disturbed: others.some((other) => isChange(other.task.changes)) };
    if (isChange(task.changes)) for (const other of others) other.disturbed = true;
    inProgress.add(progress);
    const known = { inProgress: () => claimsOf(tasksOf(inProgress)), waiting: () => claimsOf(waiting) };
    const { throttle, leave } = task.claim
      ? { throttle: surface.throttle.by(task.claim), leave: () => {} }
      : surface.throttle.beside(known);
    const lender = turnHolder(turns);
    const place: TaskContext = {
      ...{ throttle, yieldTurn: lender.yieldTurn, isRetry, wasDisturbed: () => progress.disturbed },
      disturb: () => {
        progress.disturbed = true;
      },
    };
    const outcome = await task.execute(place).catch((error) => void failures.push(error));
    leave();
    if (outcome === "again") again.push(task);
    inProgress.delete(progress);
    wake();
    lender.leave();
  };
  await turns.take();
  while (left.length + inProgress.size > 0) {
    const next = isRetry && inProgress.size > 0 ? NOTHING : choose(left, tasksOf(inProgress), surface);
    waiting = next.waiting;
    if (next.task) void begin(next.task);
    else {
      const woken = new AbortController();
      wake = () => woken.abort();
      turns.give();
      await waitFor(next, woken.signal, surface);
    }
    await turns.takeLast();
  }
  if (failures.length > 0) throw failures[0];
  return again;
}

/** What comes next, or in how many seconds it may begin. */
type Choice = { task: Task; waiting: readonly Task[] } | Wait;

interface Wait {
  task?: undefined;
  /** Those that would begin if there were room. */
  waiting: readonly Task[];
  seconds: number;
  /** Whether it is for a limit that is gone up to. */
  isBurst: boolean;
}

const NOTHING: Wait = { waiting: [], seconds: Number.POSITIVE_INFINITY, isBurst: false };

/**
 * The first that may begin and need not wait. What nobody knows the requests of fills
 * the gaps: it waits for nothing, and for those that change the same.
 */
function choose(left: readonly Task[], inProgress: readonly Task[], surface: Surface): Choice {
  const waiting: Task[] = [];
  if (!surface.mayWait(0) && left[0]) return { task: left[0], waiting };
  const claims = claimsOf(inProgress);
  const isFree = (task: Task) => inProgress.every((other) => mayBeBeside(task, other));
  let soonest = { seconds: Number.POSITIVE_INFINITY, isBurst: false };
  for (const task of left) {
    const { claim } = task;
    if (!claim || !isFree(task)) continue;
    const seconds = surface.throttle.waitForReservation(claim, claims);
    if (seconds === 0 || !surface.mayWait(seconds)) return { task, waiting };
    waiting.push(task);
    if (seconds < soonest.seconds) soonest = { seconds, isBurst: claim.fills.size > 0 };
  }
  const isLast = (task: Task) => left.every((other) => other === task || !comesBefore(other, task));
  const fillers = inProgress.filter(({ claim }) => !claim).length;
  const filler = fillers < MOST_FILLERS && left.find((task) => !task.claim && isFree(task) && isLast(task));
  return filler ? { task: filler, waiting } : { ...soonest, waiting };
}

/** Whether a filler waits for another to be over: for what is known to change the same, and where it may change anything for all that changes. */
function comesBefore(other: Task, filler: Task): boolean {
  if (filler.changes === "anything") return other.changes !== "anything" && isChange(other.changes);
  return other.claim !== undefined && overlap(other.changes, filler.changes);
}

function mayBeBeside(one: Task, other: Task): boolean {
  return !overlap(one.changes, other.changes) && !disturbs(one.claim, other.claim) && !disturbs(other.claim, one.claim);
}

/** Whether an execution sends what would count against a limit that another goes up to. */
function disturbs(one: Reservation | undefined, other: Reservation | undefined): boolean {
  return one !== undefined && other !== undefined && [...other.fills].some((id) => one.wants.has(id));
}

function claimsOf(tasks: readonly Task[]): Reservation[] {
  return tasks.flatMap(({ claim }) => claim ?? []);
}

function tasksOf(inProgress: Iterable<Progress>): Task[] {
  return [...inProgress].map(({ task }) => task);
}

/** Waits so long, or until another has ended. */
async function waitFor({ seconds, isBurst }: Wait, ended: AbortSignal, { wait }: Surface): Promise<void> {
  if (Number.isFinite(seconds)) await wait(seconds, ended, isBurst);
  else if (!ended.aborted) await new Promise((resolve) => ended.addEventListener("abort", resolve, { once: true }));
}
