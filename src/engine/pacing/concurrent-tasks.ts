import type { Target } from "../target/target.js";
import { areOverlapping, type Changes, isChange } from "./changes.js";
import type { Reservation } from "./reservation.js";
import type { Throttle } from "./throttle.js";
import { openTurnLock, turnOwner, type YieldTurn } from "./turn-lock.js";

/** A scenario or a property that is executed concurrently with others. */
export interface Task {
  /** The requests that it will send; undefined for a background task, whose requests are unknown before it sends them. */
  reservation: Reservation | undefined;
  changes: Changes;
  /** Executes the task. Resolves to `retry` when it must be executed again while no other task runs. */
  execute(context: TaskContext): Promise<"done" | "retry">;
}

/** The functions and state for one execution of a task. */
export interface TaskContext {
  throttle: Throttle;
  /** Lets other tasks act until a function ends. */
  yieldTurn: YieldTurn;
  /** Whether the task is executed again, without other tasks. */
  isRetry: boolean;
  /** Tells whether another task that changes resources was in progress, or whether `markDisturbed` was called. */
  wasDisturbed(): boolean;
  /** Records that another task delayed this one. */
  markDisturbed(): void;
}

/** The throttle and the waits of all tasks. */
export interface TaskOptions {
  throttle: Throttle;
  /** Waits until the seconds are over or the signal aborts. `isBurst`: the wait is for an empty limit before a burst. */
  wait(seconds: number, signal: AbortSignal, isBurst: boolean): Promise<unknown>;
  /** Tells whether a wait may last some seconds. A task whose wait is too long begins at once and reports that itself. */
  mayWait(seconds: number): boolean;
}

/** The maximum number of background tasks in progress at once. */
const MAX_BACKGROUND_TASKS = 6;

/** Tells whether all tasks share one workspace whose clock cannot be moved. Only then are waits long enough to use them for other tasks. */
export function isShared({ worlds, clock }: Pick<Target, "worlds" | "clock">): boolean {
  return !worlds && !clock;
}

interface TaskProgress {
  task: Task;
  disturbed: boolean;
}

/**
 * Executes tasks concurrently. One task acts at a time; while it waits, others act. Two tasks that change the same kind of
 * resource never run together. Nor does a task with an exclusive limit run with a task whose requests count against it. Tasks
 * that need not wait begin first, in their order. Tasks that resolve to `retry` are executed again at the end, one by one.
 */
export async function executeConcurrently(tasks: readonly Task[], options: TaskOptions): Promise<void> {
  const retries = await executeTasks(tasks, options, false);
  await executeTasks(retries, options, true);
}

async function executeTasks(tasks: readonly Task[], options: TaskOptions, isRetry: boolean): Promise<Task[]> {
  const lock = openTurnLock();
  const remainingTasks = [...tasks];
  const retries: Task[] = [];
  const errors: unknown[] = [];
  const inProgress = new Set<TaskProgress>();
  let waiting: readonly Task[] = [];
  let wakeNext = () => {};
  const begin = async (task: Task) => {
    remainingTasks.splice(remainingTasks.indexOf(task), 1);
    const others = [...inProgress];
    const progress = { task, disturbed: others.some((otherTaskProgress) => isChange(otherTaskProgress.task.changes)) };
    if (isChange(task.changes)) for (const otherTaskProgress of others) otherTaskProgress.disturbed = true;
    inProgress.add(progress);
    const known = { inProgress: () => listReservations(listTasks(inProgress)), waiting: () => listReservations(waiting) };
    const { throttle, close } = task.reservation
      ? { throttle: options.throttle.forReservation(task.reservation), close: () => {} }
      : options.throttle.withoutReservation(known);
    const owner = turnOwner(lock);
    const context: TaskContext = {
      ...{ throttle, yieldTurn: owner.yieldTurn, isRetry, wasDisturbed: () => progress.disturbed },
      markDisturbed: () => {
        progress.disturbed = true;
      },
    };
    const outcome = await task.execute(context).catch((error) => void errors.push(error));
    close();
    if (outcome === "retry") retries.push(task);
    inProgress.delete(progress);
    wakeNext();
    owner.end();
  };
  await lock.acquire();
  while (remainingTasks.length + inProgress.size > 0) {
    const next = isRetry && inProgress.size > 0 ? NO_TASK : chooseTask(remainingTasks, listTasks(inProgress), options);
    waiting = next.waiting;
    if (next.task) void begin(next.task);
    else {
      const taskEnd = new AbortController();
      wakeNext = () => taskEnd.abort();
      lock.release();
      await waitFor(next, taskEnd.signal, options);
    }
    await lock.acquireLast();
  }
  if (errors.length > 0) throw errors[0];
  return retries;
}

/** The task that begins next, or a wait before one may begin. */
type Choice = { task: Task; waiting: readonly Task[] } | Wait;

interface Wait {
  task?: undefined;
  /** Tasks that would begin if their limits had room. */
  waiting: readonly Task[];
  seconds: number;
  /** Whether the wait is for an empty limit before a burst. */
  isBurst: boolean;
}

const NO_TASK: Wait = { waiting: [], seconds: Number.POSITIVE_INFINITY, isBurst: false };

/** Chooses the first task that may begin without a wait. If there is none, chooses a background task, else the shortest wait. */
function chooseTask(tasks: readonly Task[], inProgress: readonly Task[], options: TaskOptions): Choice {
  const waiting: Task[] = [];
  if (!options.mayWait(0) && tasks[0]) return { task: tasks[0], waiting };
  const reservations = listReservations(inProgress);
  const isFree = (task: Task) => inProgress.every((otherTask) => areCompatible(task, otherTask));
  let shortestWait = { seconds: Number.POSITIVE_INFINITY, isBurst: false };
  for (const task of tasks) {
    const { reservation } = task;
    if (!reservation || !isFree(task)) continue;
    const seconds = options.throttle.waitForReservation(reservation, reservations);
    if (seconds === 0 || !options.mayWait(seconds)) return { task, waiting };
    waiting.push(task);
    if (seconds < shortestWait.seconds) shortestWait = { seconds, isBurst: reservation.exclusiveLimits.size > 0 };
  }
  const isLast = (task: Task) => tasks.every((otherTask) => otherTask === task || !comesBefore(otherTask, task));
  const isBackground = (task: Task) => !task.reservation;
  const hasRoom = inProgress.filter(isBackground).length < MAX_BACKGROUND_TASKS;
  const background = hasRoom && tasks.find((task) => isBackground(task) && isFree(task) && isLast(task));
  return background ? { task: background, waiting } : { ...shortestWait, waiting };
}

/**
 * Tells whether a background task waits for another to end: one with a reservation that changes the same kind of resource. If the background task may
 * change anything, it waits for every task with known changes.
 */
function comesBefore(otherTask: Task, background: Task): boolean {
  if (background.changes === "anything") return otherTask.changes !== "anything" && isChange(otherTask.changes);
  return otherTask.reservation !== undefined && areOverlapping(otherTask.changes, background.changes);
}

function areCompatible(task: Task, otherTask: Task): boolean {
  return (
    !areOverlapping(task.changes, otherTask.changes) &&
    !usesExclusiveLimit(task.reservation, otherTask.reservation) &&
    !usesExclusiveLimit(otherTask.reservation, task.reservation)
  );
}

function usesExclusiveLimit(reservation: Reservation | undefined, otherReservation: Reservation | undefined): boolean {
  return (
    reservation !== undefined &&
    otherReservation !== undefined &&
    [...otherReservation.exclusiveLimits].some((id) => reservation.needs.has(id))
  );
}

function listReservations(tasks: readonly Task[]): Reservation[] {
  return tasks.flatMap(({ reservation }) => reservation ?? []);
}

function listTasks(inProgress: Iterable<TaskProgress>): Task[] {
  return [...inProgress].map(({ task }) => task);
}

/** Waits until the seconds are over or a task ends. */
async function waitFor({ seconds, isBurst }: Wait, taskEnd: AbortSignal, { wait }: TaskOptions): Promise<void> {
  if (Number.isFinite(seconds)) await wait(seconds, taskEnd, isBurst);
  else if (!taskEnd.aborted) await new Promise((resolve) => taskEnd.addEventListener("abort", resolve, { once: true }));
}
