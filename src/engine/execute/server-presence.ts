import { setTimeout as sleep } from "node:timers/promises";
import { runWithDeadline } from "../http/deadline.js";
import { type Exchange, type Failure, findGatewayFailure } from "../http/exchange.js";
import type { Wire } from "../http/rest.js";

/** Tracks which servers of a run respond, and waits for the others. */
export interface ServerPresence {
  /** The wire of the run. It notes which servers answer. */
  wire: Wire;
  /** Returns how many requests were sent through the wire. */
  sent(): number;
  /** Returns how often a server was away so far. */
  absences(): number;
  /** Returns whether the server of an exchange has answered before. A server that never answers is not waited for. */
  isKnown(exchange: Exchange): boolean;
  /**
   * Waits until all known servers respond. `here`: no wait was necessary. `gone`: the run was stopped, because they did not
   * respond in time.
   */
  wait(): Promise<"here" | "back" | "gone">;
}

/** The inputs of `openServerPresence`. */
export interface PresenceInput {
  wire: Wire;
  /** Ends the run when the server stays away. */
  stop: AbortController;
  /** Longest wait in seconds. */
  maxSeconds: number;
  /** When the run must end, in milliseconds since 1970. */
  deadline: number;
  counts: { lost: number; outages: number; away_s: number };
  /** Called with a sentence when a wait begins and when it ends. */
  onLine(line: string): void;
}

const PAUSE_MS = { first: 100, longest: 1000 };
const PROBE_TIMEOUT_MS = 5000;
const MAX_PROBES = 3;

/** Opens the presence of the servers that a wire reaches. Counts the lost connections and the waits. */
export function openServerPresence(input: PresenceInput): ServerPresence {
  const { wire, stop, counts } = input;
  const answered = new Set<string>();
  let absences = 0;
  let sent = 0;
  let waiting: ReturnType<ServerPresence["wait"]> | undefined;
  const isKnown = ({ request }: Exchange) => answered.has(readOrigin(request.url));
  const waitOnce = async () => {
    // the connection of a probe may be lost too
    for (let probe = 1; probe <= MAX_PROBES; probe++) if (await areAllReachable(wire, answered, stop.signal)) return "here";
    if (stop.signal.aborted) return "gone";
    absences += 1;
    return (await waitLong(input, answered)) ? "back" : "gone";
  };
  return {
    wire: {
      async send(request, signal) {
        sent += 1;
        const exchange = await wire.send(request, signal);
        const loss = findLoss(exchange);
        if (loss === undefined && exchange.response) answered.add(readOrigin(request.url));
        else if (loss === "lost" && isKnown(exchange)) counts.lost += 1;
        if (exchange.failure?.kind === "refused" && isKnown(exchange)) absences += 1;
        return exchange;
      },
      close: () => wire.close(),
    },
    sent: () => sent,
    absences: () => absences,
    isKnown,
    wait() {
      waiting ??= waitOnce().finally(() => {
        waiting = undefined;
      });
      return waiting;
    },
  };
}

/** Waits until all servers answer. Stops the run and returns false if they do not answer in time. */
async function waitLong(input: PresenceInput, origins: ReadonlySet<string>): Promise<boolean> {
  const { wire, stop, maxSeconds, deadline, counts, onLine } = input;
  const startedAt = Date.now();
  const until = Math.min(startedAt + maxSeconds * 1000, deadline);
  counts.outages += 1;
  onLine(`The server does not answer. The run waits for it, at most ${maxSeconds} s (--wait-for-server).`);
  let isBack = false;
  for (let pause = PAUSE_MS.first; !isBack && Date.now() < until; pause = Math.min(pause * 2, PAUSE_MS.longest)) {
    await sleep(pause, undefined, { signal: stop.signal }).catch(() => {});
    if (stop.signal.aborted) return false;
    isBack = await areAllReachable(wire, origins, stop.signal);
  }
  const seconds = Math.ceil((Date.now() - startedAt) / 1000);
  counts.away_s += seconds;
  if (isBack) onLine(`The server answers again after ${seconds} s. The runner runs the interrupted scenarios again.`);
  else stop.abort(`the server did not answer for ${seconds} s`);
  return isBack;
}

/** Returns whether every server answers a GET of its root within five seconds. Any response counts, except that of a gateway without its server. */
async function areAllReachable(wire: Wire, origins: ReadonlySet<string>, stop: AbortSignal): Promise<boolean> {
  const exchanges = [...origins].map((origin) =>
    runWithDeadline({ afterMs: PROBE_TIMEOUT_MS, signals: [stop] }, (signal) =>
      wire.send({ method: "GET", url: `${origin}/`, headers: {} }, signal),
    ),
  );
  return (await Promise.all(exchanges)).every((exchange) => exchange.response !== undefined && findLoss(exchange) === undefined);
}

const LOST_KINDS = new Set<Failure["kind"]>(["refused", "reset"]);
const UNCLEAR_KINDS = new Set<Failure["kind"]>(["timeout", "dns"]);

/** Returns how a connection was lost. `unclear`: the server is away, or only this request gets no response. */
export function findLoss({ response, failure }: Exchange): "lost" | "unclear" | undefined {
  if (response) return findGatewayFailure(response) === undefined ? undefined : "lost";
  return LOST_KINDS.has(failure.kind) ? "lost" : UNCLEAR_KINDS.has(failure.kind) ? "unclear" : undefined;
}

function readOrigin(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : url;
}
