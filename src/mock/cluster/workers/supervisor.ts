import { type ChildProcess, fork } from "node:child_process";
import type { Socket } from "node:net";
import type { Problem } from "../../../common/problem.js";
import type { HostName } from "../../http/host-names.js";
import { type FrontMessage, getSystemMs, type WorkerMessage, type WorkerStart } from "./messages.js";
import { buildNoWorkerResponse } from "./no-worker-response.js";
import { firstWorker } from "./place.js";

/** Starts, watches and replaces the workers of a mock. */
export interface Supervisor {
  /** The information of the first worker for the user, or why a worker cannot serve. */
  ready: Promise<{ info: object } | Problem>;
  /** Gives a connection to a worker. */
  release(connection: Connection): void;
  /** Ends all workers. */
  end(): Promise<void>;
}

/** A connection to one of the hosts. */
export interface Connection {
  /** The index of the worker that owns its world; null if every worker can serve it. */
  owner: number | null;
  host: HostName;
  socket: Socket;
  /** The bytes that were read from it. */
  head: Buffer;
}

/** A worker, or a place whose worker is being restarted. */
interface Worker {
  child: ChildProcess;
  /** The port for requests of other workers; null until the worker is ready. */
  port: number | null;
  startedAt: number;
  /** Whether it replaces a worker that ended. */
  again: boolean;
  /** The number of heartbeats since its last response, or since its start when it has not answered yet. */
  missed: number;
  /** Whether the supervisor killed it because it did not answer. */
  isKilled: boolean;
  worlds: Set<string>;
  /** Connections that were sent to the worker and not yet confirmed, by number. */
  sent: Map<number, Connection>;
}

/** A worker that is still running after this time is killed, so that the mock ends within two seconds. */
const graceMs = 1700;
/** The supervisor pauses before it restarts a worker that ends sooner than this after its start. */
const soonMs = 2000;
const maxListedNames = 5;
const heartbeatMs = 250;
/** A worker that misses heartbeats for 2 s gets no new requests. Long work can be the cause. */
const maxMissedHeartbeats = 2000 / heartbeatMs;
/** A worker that does not answer for this time is killed. The longest known work, a snapshot with 100,000 rows, takes half of it. */
const hangSeconds = 6;
/** A worker that does not answer for this time while it starts is killed. */
const startSeconds = 30;
/** The same for a worker that replaces another one, because clients wait for it. */
const restartSeconds = 10;
/** A request that every worker can answer waits this long for one of them. It does not wait while every worker is known to be silent. */
const longestWaitMs = 2000;

/** A worker must take a connection that every worker can serve within this time. After twice this time, another worker gets it. */
const takeMs = 500;

/** The state of the supervisor. */
interface State {
  program: string;
  starts: readonly WorkerStart[];
  say(line: string): void;
  workers: Worker[];
  /** Connections that no worker can take now, and connections that wait until a worker answers a ping. */
  waiting: Connection[];
  isEnding: boolean;
  /** How many connections were sent. */
  count: number;
  info: object | null;
  /** Settles `ready`; only the first call counts. */
  settle(outcome: { info: object } | Problem): void;
}

/** Starts a worker for each element of `starts`, and starts a worker again that ends or hangs. */
export function openSupervisor(program: string, starts: readonly WorkerStart[], say: (line: string) => void): Supervisor {
  let settle: State["settle"] = () => {};
  const ready = new Promise<{ info: object } | Problem>((resolve) => {
    settle = resolve;
  });
  const state: State = { program, starts, say, settle, workers: [], waiting: [], isEnding: false, count: 0, info: null };
  for (const index of starts.keys()) start(state, index, false);
  const heartbeat = setInterval(() => {
    for (const worker of state.workers) check(state, worker);
  }, heartbeatMs);
  return {
    ready,
    release: (connection) => release(state, connection),
    async end() {
      state.isEnding = true;
      for (const { socket } of state.waiting) socket.destroy();
      await Promise.all(state.workers.map(({ child }, at) => endChild(child, starts[at]!.exportOnExit !== undefined)));
      clearInterval(heartbeat);
    },
  };
}

function start(state: State, index: number, again: boolean): void {
  const child = fork(state.program, { stdio: ["ignore", "inherit", "inherit", "ipc"] });
  const none = { port: null, missed: 0, isKilled: false, worlds: new Set<string>(), sent: new Map<number, Connection>() };
  const worker: Worker = { child, startedAt: performance.now(), again, ...none };
  state.workers[index] = worker;
  child.on("message", (message: WorkerMessage) => receive(state, index, worker, message));
  child.once("exit", (code, signal) => {
    const handleExit = () => loseWorker(state, index, worker, signal ?? `exit code ${code}`);
    // its last messages come before the disconnect; they show which connections it took
    if (child.connected) child.once("disconnect", handleExit);
    else handleExit();
  });
  post(child, { start: { ...state.starts[index]!, again } });
}

/** Sends a heartbeat to a worker. Kills a worker that did not answer earlier heartbeats. */
function check(state: State, worker: Worker): void {
  const { child, port, again } = worker;
  worker.missed++;
  const maxSeconds = port !== null ? hangSeconds : again ? restartSeconds : startSeconds;
  if (worker.missed * heartbeatMs > maxSeconds * 1000) {
    worker.isKilled = true;
    child.kill("SIGKILL");
  } else {
    post(child, { ping: true });
    if (port !== null && worker.missed === maxMissedHeartbeats) sendPorts(state);
  }
}

function receive(state: State, index: number, worker: Worker, message: WorkerMessage): void {
  if ("pong" in message) {
    const wasSilent = worker.missed >= maxMissedHeartbeats;
    worker.missed = 0;
    if (worker.port === null) return;
    sendWaiting(state, worker);
    if (wasSilent) welcome(state);
  } else if ("created" in message) worker.worlds.add(message.created);
  else if ("removed" in message) worker.worlds.delete(message.removed);
  else if ("took" in message) close(worker, message.took);
  else if ("problem" in message) {
    state.settle(message);
    if (state.info) state.say(`worker ${index + 1} cannot be started again: ${message.problem}`);
  } else {
    worker.port = message.port;
    worker.missed = 0;
    if (index === firstWorker) state.info = message.ready;
    welcome(state);
    if (state.info && state.workers.every(({ port }) => port !== null)) state.settle({ info: state.info });
  }
}

/** Starts to use a worker that is ready. */
function welcome(state: State): void {
  sendPorts(state);
  for (const connection of state.waiting.splice(0)) release(state, connection);
}

/** Sends every worker the ports of all ready workers. */
function sendPorts({ workers }: State): void {
  const ports = workers.map((worker) => (canServe(worker) ? worker.port : null));
  for (const { child, port } of workers) if (port !== null) post(child, { meet: ports });
}

function canServe({ port, missed }: Worker): boolean {
  return port !== null && missed < maxMissedHeartbeats;
}

function loseWorker(state: State, index: number, worker: Worker, how: string): void {
  const { starts, settle, say } = state;
  const isNews = worker.port !== null || worker.isKilled;
  worker.port = null;
  if (state.isEnding) {
    for (const number of worker.sent.keys()) close(worker, number);
    return;
  }
  settle({ problem: `A worker ended before it was ready (${how}).` });
  sendPorts(state);
  // nobody has read from them
  for (const connection of worker.sent.values()) release(state, connection);
  worker.sent.clear();
  const seconds = Math.round((worker.missed * heartbeatMs) / 1000);
  const end = worker.isKilled ? `did not answer for ${seconds} s, was killed` : `ended (${how})`;
  if (isNews) say(`worker ${index + 1} of ${starts.length} ${end} and is started again. ${describeLoss(starts[index]!, worker)}`);
  const lifetime = performance.now() - worker.startedAt;
  const startAgain = () => {
    if (!state.isEnding) start(state, index, true);
  };
  setTimeout(startAgain, lifetime < soonMs ? 1000 : 0);
}

function release(state: State, connection: Connection): void {
  const { owner } = connection;
  const serving = state.workers.filter(canServe);
  const any = serving.toSorted((a, b) => a.missed - b.missed)[0];
  const worker = owner === null ? undefined : (serving.find((one) => one === state.workers[owner]) ?? any);
  if (worker) {
    send(state, worker, connection);
    return;
  }
  state.waiting.push(connection);
  if (owner !== null) return;
  // a worker may hang since its last heartbeat, so the first worker that answers now gets the connection
  for (const { child, port } of state.workers) if (port !== null) post(child, { ping: true });
  const isKnown = state.info !== null && serving.length === 0;
  setTimeout(() => refuse(state, connection), isKnown ? 0 : longestWaitMs).unref();
}

/** Answers 503 with the state of each worker. A connection that was sent to a worker is not refused: the worker may still answer it. */
function refuse(state: State, connection: Connection): void {
  const { socket, head } = connection;
  const place = state.waiting.indexOf(connection);
  if (place < 0) return;
  state.waiting.splice(place, 1);
  if (socket.destroyed) return;
  socket.end(buildNoWorkerResponse(state.workers.map(describeState), head.toString("latin1", 0, 4) !== "HEAD"));
  setTimeout(() => socket.destroy(), graceMs).unref();
}

function describeState({ port, missed }: Worker): string {
  if (port === null) return "starts";
  return missed < 2 ? "has not answered yet" : `has not answered for ${(missed * heartbeatMs) / 1000} s`;
}

/** Sends the waiting connections to a worker that has just answered. */
function sendWaiting(state: State, worker: Worker): void {
  const { waiting } = state;
  state.waiting = waiting.filter(({ owner }) => owner !== null);
  for (const connection of waiting) if (connection.owner === null) send(state, worker, connection);
}

function send(state: State, worker: Worker, connection: Connection): void {
  const { owner, host, socket, head } = connection;
  const number = ++state.count;
  worker.sent.set(number, connection);
  const isForAny = owner === null;
  const message: FrontMessage = {
    take: host,
    head: head.toString("latin1"),
    number,
    ...(isForAny && { until: getSystemMs() + takeMs }),
  };
  const sendAgain = () => {
    if (worker.sent.delete(number)) release(state, connection);
  };
  // the immediate runs after all messages that have arrived
  if (isForAny) setTimeout(() => setImmediate(sendAgain), 2 * takeMs).unref();
  // the connection stays open here until the worker took it; if the worker ends earlier, another worker gets it
  worker.child.send(message, socket, { keepOpen: true }, () => {});
}

/** Closes a connection in this process. A worker that took it still has it. */
function close({ sent }: Worker, number: number): void {
  sent.get(number)?.socket.destroy();
  sent.delete(number);
}

/** Prints which worlds are lost with a worker. */
function describeLoss({ store }: WorkerStart, { worlds }: Worker): string {
  if (store !== undefined) return "Its worlds continue from the store.";
  const [...names] = worlds;
  if (names.length === 0) return "It had no worlds.";
  const more = names.length > maxListedNames ? ` and ${names.length - maxListedNames} more` : "";
  const begins = worlds.has("default") ? "; the default world starts again" : "";
  return `Its worlds are lost, because there is no --store: ${names.slice(0, maxListedNames).join(", ")}${more}${begins}.`;
}

/** Ends a worker. `isPatient`: first waits until it has written its world to a file. */
async function endChild(child: ChildProcess, isPatient: boolean): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const handleExit = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  post(child, { end: true });
  const timer = isPatient ? undefined : setTimeout(() => child.kill("SIGKILL"), graceMs);
  await handleExit;
  clearTimeout(timer);
}

function post(child: ChildProcess, message: FrontMessage): void {
  if (child.connected) child.send(message, () => {}); // the exit of the worker reports a failure
}
