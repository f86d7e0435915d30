import { type ChildProcess, fork } from "node:child_process";
import type { Socket } from "node:net";
import type { HostName } from "../host-names.js";
import type { Problem } from "../problems.js";
import type { FrontMessage, WorkerMessage, WorkerStart } from "./messages.js";
import { home } from "./place.js";

/** The workers of a mock, as its front sees them. */
export interface Crew {
  /** What the first of them says of the mock, or why one cannot serve. */
  ready: Promise<{ told: object } | Problem>;
  /** Hands a connection to a worker, or to another where that one is not there. */
  hand(owner: number, host: HostName, socket: Socket, head: Buffer): void;
  /** Ends all of them. */
  end(): Promise<void>;
}

/** A worker, or the place of one that is being started again. */
interface Worker {
  child: ChildProcess;
  /** Where it takes what others pass on; null until it is ready. */
  port: number | null;
  startedAt: number;
  worlds: Set<string>;
  /** Connections that are on their way to it, by their numbers. */
  handing: Map<number, Socket>;
}

/** A connection for which no worker is there yet. */
interface Waiting {
  owner: number;
  host: HostName;
  socket: Socket;
  head: Buffer;
}

/** Whoever has not ended by then is ended, so that all of it takes two seconds. */
const graceMs = 1700;
/** One that ended so soon is given time before it is started again. */
const soonMs = 2000;
const mostNamed = 5;

/** All that the front keeps of its workers. */
interface CrewState {
  program: string;
  starts: readonly WorkerStart[];
  say(line: string): void;
  workers: Worker[];
  waiting: Waiting[];
  isEnding: boolean;
  /** How many connections were handed on. */
  handed: number;
  /** What the first worker says of the mock, when it has. */
  told: object | null;
  /** Answers whoever waits for the crew; what it says first counts. */
  settle(outcome: { told: object } | Problem): void;
}

/** Starts workers by a program, and starts each again that dies. */
export function openCrew(program: string, starts: readonly WorkerStart[], say: (line: string) => void): Crew {
  let settle: CrewState["settle"] = () => {};
  const ready = new Promise<{ told: object } | Problem>((resolve) => {
    settle = resolve;
  });
  const none = { workers: [], waiting: [], isEnding: false, handed: 0, told: null };
  const crew: CrewState = { program, starts, say, settle, ...none };
  for (const index of starts.keys()) begin(crew, index, false);
  return {
    ready,
    hand: (owner, host, socket, head) => hand(crew, { owner, host, socket, head }),
    async end() {
      crew.isEnding = true;
      for (const { socket } of crew.waiting) socket.destroy();
      await Promise.all(crew.workers.map(({ child }, at) => endChild(child, starts[at]!.exportOnExit !== undefined)));
    },
  };
}

function begin(crew: CrewState, index: number, again: boolean): void {
  const child = fork(crew.program, { stdio: ["ignore", "inherit", "inherit", "ipc"] });
  const worker: Worker = { child, port: null, startedAt: performance.now(), worlds: new Set(), handing: new Map() };
  crew.workers[index] = worker;
  child.on("message", (message: WorkerMessage) => hear(crew, index, worker, message));
  child.once("exit", (code, signal) => lose(crew, index, worker, signal ?? `exit code ${code}`));
  post(child, { start: { ...crew.starts[index]!, again } });
}

function hear(crew: CrewState, index: number, worker: Worker, message: WorkerMessage): void {
  if ("founded" in message) worker.worlds.add(message.founded);
  else if ("removed" in message) worker.worlds.delete(message.removed);
  else if ("took" in message) letGo(worker, message.took);
  else if ("problem" in message) {
    crew.settle(message);
    if (crew.told) crew.say(`worker ${index + 1} cannot be started again: ${message.problem}`);
  } else {
    worker.port = message.port;
    if (index === home) crew.told = message.ready;
    introduce(crew);
    if (crew.told && crew.workers.every(({ port }) => port !== null)) crew.settle({ told: crew.told });
    for (const one of crew.waiting.splice(0)) hand(crew, one);
  }
}

/** Tells each where the others are. */
function introduce({ workers }: CrewState): void {
  const ports = workers.map(({ port }) => port);
  for (const { child, port } of workers) if (port !== null) post(child, { meet: ports });
}

function lose(crew: CrewState, index: number, worker: Worker, how: string): void {
  const { starts, settle, say } = crew;
  const wasReady = worker.port !== null;
  worker.port = null;
  for (const number of worker.handing.keys()) letGo(worker, number);
  if (crew.isEnding) return;
  settle({ problem: `A worker ended before it was ready (${how}).` });
  introduce(crew);
  if (wasReady)
    say(`worker ${index + 1} of ${starts.length} ended (${how}) and is started again. ${lossOf(starts[index]!, worker)}`);
  const lived = performance.now() - worker.startedAt;
  const beginAgain = () => {
    if (!crew.isEnding) begin(crew, index, true);
  };
  setTimeout(beginAgain, lived < soonMs ? 1000 : 0);
}

function hand(crew: CrewState, one: Waiting): void {
  const { owner, host, socket, head } = one;
  const worker = [crew.workers[owner], ...crew.workers].find((other) => other?.port !== null);
  if (!worker) {
    crew.waiting.push(one);
    return;
  }
  const number = ++crew.handed;
  worker.handing.set(number, socket);
  const message: FrontMessage = { take: host, head: head.toString("latin1"), number };
  // until it says that it took it: one that is killed leaves nobody waiting
  worker.child.send(message, socket, { keepOpen: true }, (error) => error && letGo(worker, number));
}

/** Closes a connection here; a worker that took it has it still. */
function letGo({ handing }: Worker, number: number): void {
  handing.get(number)?.destroy();
  handing.delete(number);
}

/** What is no more when a worker has died. */
function lossOf({ store }: WorkerStart, { worlds }: Worker): string {
  if (store !== undefined) return "The worlds that it had go on from the store.";
  const [...names] = worlds;
  if (names.length === 0) return "It had no worlds.";
  const more = names.length > mostNamed ? ` and ${names.length - mostNamed} more` : "";
  const begins = worlds.has("default") ? "; the default one begins anew" : "";
  return `Lost with it, as there is no --store: ${names.slice(0, mostNamed).join(", ")}${more}${begins}.`;
}

/** Has a worker end by itself; one that writes the world down first has the time that takes. */
async function endChild(child: ChildProcess, isPatient: boolean): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  post(child, { end: true });
  const timer = isPatient ? undefined : setTimeout(() => child.kill("SIGKILL"), graceMs);
  await ended;
  clearTimeout(timer);
}

function post(child: ChildProcess, message: FrontMessage): void {
  if (child.connected) child.send(message, () => {}); // one that is gone is heard of by its exit
}
