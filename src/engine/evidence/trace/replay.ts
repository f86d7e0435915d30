import { isDeepStrictEqual } from "node:util";
import { readSessionName, type SharedSession } from "../../execute/kept-sessions.js";
import type { Run } from "../../execute/run.js";
import { decodeBytes, encodeRequestContent } from "../../http/content.js";
import type { Exchange, WireRequest } from "../../http/exchange.js";
import { unthrottled } from "../../pacing/throttle.js";
import type { EventLine, ExchangeLine, TraceEvent } from "./line.js";

/** A run that reads its responses from the lines of one scenario. It sends nothing and does not sleep. */
export interface Replay {
  run: Run;
  /** Describes the first difference between the execution and the trace, if there is one. */
  divergence(): string | undefined;
}

type Kind = TraceEvent["kind"];
type LineOf<K extends Kind> = EventLine & { kind: K };

/** The lines of a scenario that the replay has not used yet. */
interface LineQueue {
  /** Returns whether the next line is of this kind. The replay uses it for optional events, such as `hold`. */
  isNext<K extends Kind>(kind: K, responses?: (line: LineOf<K>) => boolean): boolean;
  /** Takes the next matching line of a kind. Skips other lines, because concurrent requests can have another order. `question`: name of the line in messages. */
  take<K extends Kind>(kind: K, question: string, responses?: (line: LineOf<K>) => boolean): LineOf<K> | undefined;
  divergence(): string | undefined;
}

/** Replays a scenario from its lines. Each line is used once. The first line is the `begin` event. */
export function replay(run: Run, [, ...lines]: readonly EventLine[]): Replay {
  const stop = new AbortController();
  const queue = openQueue(lines, ({ why }) => stop.abort(why));
  const now = () => queue.take("clock", "the time")?.now ?? 0;
  const hold = (matches: (line: LineOf<"hold">) => boolean) =>
    queue.isNext("hold", matches) ? (queue.take("hold", "budget")?.seconds ?? 0) : 0;
  const wait = () => hold(({ session }) => session === undefined);
  const isRepetition = async (what: string) =>
    queue.isNext("again", (lineOf) => lineOf.what === what) && queue.take("again", what) !== undefined;
  const waitForSession = () => hold(({ session }) => session === true);
  return {
    run: {
      ...run,
      wire: { ...replayWire(queue, "service"), close: async () => {} },
      hookWire: replayWire(queue, "hook"),
      command: replayCommand(queue),
      async sleep(seconds) {
        return queue.take("pause", `a pause of ${seconds} s`, (lineOf) => lineOf.seconds === seconds)?.late ?? 0;
      },
      now,
      serverClock: { now, read: () => {} },
      throttle: { ...unthrottled, wait, waitForBurst: wait, waitForAll: wait },
      budget: { hasRoom: (count) => !isRefused(queue, count), take: () => !isRefused(queue, 0), refund: () => {} },
      keptSessions: run.keptSessions && {
        ...run.keptSessions,
        wait: waitForSession,
        join: (name) => replaySharedSession(queue, name),
      },
      outages: { absences: () => 0, sendAgain: () => isRepetition("request"), mayRepeat: () => isRepetition("scenario") },
      signal: stop.signal,
    },
    divergence: queue.divergence,
  };
}

/** Returns whether the next line says that the budget refused `count` requests. With `count` 0, the budget was used up. */
function isRefused(queue: LineQueue, count: number): boolean {
  return queue.isNext("no-budget", (lineOf) => lineOf.count === count) && queue.take("no-budget", "the budget") !== undefined;
}

/** Opens the queue. Calls `onStop` when the next line says that the run was stopped. */
function openQueue(lines: readonly EventLine[], onStop: (line: LineOf<"stop">) => void): LineQueue {
  const remainingEventLines = [...lines];
  let divergence: string | undefined;
  const replayStop = () => {
    const [next] = remainingEventLines;
    if (next?.kind !== "stop") return;
    remainingEventLines.shift();
    onStop(next);
  };
  replayStop();
  return {
    isNext<K extends Kind>(kind: K, responses: (line: LineOf<K>) => boolean = () => true) {
      const [next] = remainingEventLines;
      return next?.kind === kind && responses(next as LineOf<K>);
    },
    take<K extends Kind>(kind: K, question: string, responses: (line: LineOf<K>) => boolean = () => true) {
      const at =
        divergence === undefined
          ? remainingEventLines.findIndex((line) => line.kind === kind && responses(line as LineOf<K>))
          : -1;
      if (at < 0) {
        divergence ??= `the replay needs ${question}, but the trace ${remainingEventLines[0] ? `has ${describeLine(remainingEventLines[0])}` : "ends here"}`;
        return undefined;
      }
      const [line] = remainingEventLines.splice(at, 1);
      replayStop();
      return line as LineOf<K>;
    },
    divergence() {
      if (divergence !== undefined || !remainingEventLines[0]) return divergence;
      return `the replay has ended, but the trace has ${remainingEventLines.length} more lines, first ${describeLine(remainingEventLines[0])}`;
    },
  };
}

function replayWire(queue: LineQueue, by: ExchangeLine["with"]): Run["hookWire"] {
  return {
    async send(request) {
      const wanted = readRequest(request, by);
      const line = queue.take(
        "exchange",
        `${request.method} ${request.url}`,
        (lineOf) => lineOf.with === by && lineOf.kept === undefined && isDeepStrictEqual(lineOf.request, wanted),
      );
      if (line) return createExchange(line, request);
      return { request, startedAt: 0, endedAt: 0, failure: { kind: "protocol", message: "the trace has no such request" } };
    },
  };
}

/** Returns a shared session if its handshake is next in the queue. */
function replaySharedSession(queue: LineQueue, name: string): SharedSession | undefined {
  const isOfExchange = ({ kept, request }: ExchangeLine) =>
    kept !== undefined && readSessionName({ url: request.url, headers: request.headers ?? {} }) === name;
  const handshake: Exchange[] = [];
  let number = 0;
  while (queue.isNext("exchange", isOfExchange)) {
    const line = queue.take("exchange", "a shared session", isOfExchange);
    if (line?.kept === undefined) break;
    handshake.push(createExchange(line, createRequest(line)));
    number = line.kept;
  }
  return handshake.length > 0 ? { handshake, number } : undefined;
}

function replayCommand(queue: LineQueue): Run["command"] {
  return async ([program = ""], input) => {
    const line = queue.take(
      "command",
      `the command ${program}`,
      (lineOf) => lineOf.program === program && lineOf.input === input,
    );
    if (line?.output !== undefined) return { ok: true, output: line.output };
    return { ok: false, why: line?.why ?? "the trace has no such command" };
  };
}

/** Converts a request to its form in a line. */
function readRequest({ method, url, headers, body }: WireRequest, by: ExchangeLine["with"]): ExchangeLine["request"] {
  return { method, url, ...(by === "service" && { headers }), ...encodeRequestContent(body, (text) => text) };
}

/** Returns the request of a line. A long body is not recorded, so it is absent. */
function createRequest({ request: { method, url, headers = {}, ...content } }: ExchangeLine): WireRequest {
  const body = "sha256" in content ? undefined : decodeBytes(content);
  return { method, url, headers, ...(body && { body }) };
}

function createExchange({ started_at, ended_at, response, failure }: ExchangeLine, request: WireRequest): Exchange {
  const times = { request, startedAt: started_at, endedAt: ended_at };
  if (!response) return { ...times, failure: failure ?? { kind: "protocol", message: "the trace has no response" } };
  const { status, headers, whole } = response;
  const body = decodeBytes(response) ?? new Uint8Array();
  return { ...times, response: { status, headers, body, ...(whole && { isShortened: true }) } };
}

function describeLine(line: EventLine): string {
  const what = line.kind === "exchange" ? `${line.request.method} ${line.request.url}` : `a line of kind ${line.kind}`;
  return `${what} (line ${line.n} of the scenario)`;
}
