import type { Exchange } from "../http/exchange.js";
import type { Wire } from "../http/rest.js";
import { findLoss, openServerPresence, type PresenceInput } from "./server-presence.js";

/** Decides what is tried again after lost connections, and waits for a server that is away. All executions of a run share it. */
export interface Outages {
  /** Returns the number of outages so far. */
  absences(): number;
  /** Returns whether a request without a response is sent again. May wait for the server before that. */
  sendAgain(lostExchange: Exchange, request: UnansweredRequest): Promise<boolean>;
  /** Returns whether an execution is repeated. Waits for the server before that. */
  mayRepeat(execution: DisturbedExecution): Promise<boolean>;
}

/** A request that may be sent again. */
interface UnansweredRequest {
  /** How often it was sent. */
  tries: number;
  /** Whether the request has the same effect if the server gets it twice. */
  isRepeatable: boolean;
  /** Whether its environment ends with the server: a world that was created for one execution. */
  isFresh: boolean;
}

/** An execution of a scenario, or of a case of a property, that may be repeated. */
interface DisturbedExecution {
  name: string;
  /** How often it was run. */
  executions: number;
  /** The requests without a response. */
  lost: readonly Exchange[];
  /** The number of requests before the first loss, in each execution with a loss. */
  firstLosses: readonly number[];
  /** The value of `absences` when the execution began. */
  absencesBefore: number;
  /** Whether all its checks have a verdict that lost connections do not explain. */
  isSettled: boolean;
  isFresh: boolean;
}

/** The lost connections of a run, and the repeated requests and scenarios. A field of the report. */
export interface LostConnections {
  /** Requests whose connection was refused or closed, or to which only a gateway answered. */
  lost: number;
  /** Requests that were sent again. */
  sent_again: number;
  /** How often scenarios and properties were run again, by name. */
  played_again: Record<string, number>;
  /** How often the run waited for the server. */
  outages: number;
  /** Seconds of these waits. */
  away_s: number;
}

/** The outages of a run, the wire that notes lost connections, and the counts; undefined if no connection was lost. */
export interface OpenOutages {
  outages: Outages;
  wire: Wire;
  counts(): LostConnections | undefined;
}

/** How often one request is sent, and one scenario or case is run. */
const MAX_TRIES = 3;

/**
 * The maximum number of repetitions in a run: a share of its requests plus a constant. A server that loses more connections is
 * not usable.
 */
const MAX_TRIES_OF_RUN = { min: 20, share: 0.1 };
/**
 * The maximum number of executions of a scenario in new worlds, as long as each loses another request. A burst of 100 requests
 * needs several executions.
 */
const MAX_EXECUTIONS = 12;

/** Returns how often an execution may be run. A server that closes the connection of the same request each time is not given more chances. */
function computeMaxExecutions({ firstLosses, isFresh }: DisturbedExecution): number {
  return isFresh && new Set(firstLosses.slice(-MAX_TRIES)).size > 1 ? MAX_EXECUTIONS : MAX_TRIES;
}

/** Opens the outages of a run. */
export function openOutages(input: Omit<PresenceInput, "counts">): OpenOutages {
  const counts: LostConnections = { lost: 0, sent_again: 0, played_again: {}, outages: 0, away_s: 0 };
  const server = openServerPresence({ ...input, counts });
  let tried = 0;
  const canRetry = () => tried < MAX_TRIES_OF_RUN.min + server.sent() * MAX_TRIES_OF_RUN.share;
  const outages: Outages = {
    absences: server.absences,
    async sendAgain(exchange, { tries, isRepeatable, isFresh }) {
      if (tries >= MAX_TRIES || !canRetry() || !server.isKnown(exchange) || findLoss(exchange) !== "lost") return false;
      const isUnsent = exchange.failure?.kind === "refused";
      // a restart may delete a world, so its scenario must begin again
      if (isUnsent ? isFresh || (await server.wait()) === "gone" : !isRepeatable) return false;
      tried += 1;
      counts.sent_again += 1;
      return true;
    },
    async mayRepeat(execution) {
      const { name, lost, absencesBefore, isSettled, isFresh } = execution;
      const hasBeenAway = server.absences() !== absencesBefore;
      const exchanges = lost.filter(server.isKnown);
      if (
        execution.executions >= computeMaxExecutions(execution) ||
        (isSettled ? !(isFresh && hasBeenAway) : !hasBeenAway && exchanges.length === 0)
      )
        return false;
      const state = await server.wait();
      const isClear = hasBeenAway || state === "back" || exchanges.some((exchange) => findLoss(exchange) === "lost");
      if (state === "gone" || !isClear || !canRetry()) return false;
      tried += 1;
      counts.played_again[name] = (counts.played_again[name] ?? 0) + 1;
      return true;
    },
  };
  return { outages, wire: server.wire, counts: () => (counts.lost + counts.outages > 0 ? counts : undefined) };
}

/** Adds the lost connections of several runs. Returns undefined if there are none. */
export function countLosses(several: readonly (LostConnections | undefined)[]): LostConnections | undefined {
  const [first, ...others] = several.filter((lostConnections) => lostConnections !== undefined);
  return others.reduce<LostConnections | undefined>((sum, lostConnections) => sum && addLosses(sum, lostConnections), first);
}

function addLosses(lostConnections: LostConnections, otherLostConnections: LostConnections): LostConnections {
  const total = { ...lostConnections.played_again };
  for (const [name, times] of Object.entries(otherLostConnections.played_again)) total[name] = (total[name] ?? 0) + times;
  return {
    lost: lostConnections.lost + otherLostConnections.lost,
    sent_again: lostConnections.sent_again + otherLostConnections.sent_again,
    played_again: total,
    outages: lostConnections.outages + otherLostConnections.outages,
    away_s: lostConnections.away_s + otherLostConnections.away_s,
  };
}
