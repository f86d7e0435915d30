import type { Exchange, WireRequest } from "../http/exchange.js";
import { isShared } from "../pacing/concurrent-tasks.js";
import type { Target } from "../target/target.js";

/** The exchanges by which an MCP session was begun. */
export type Handshake = readonly Exchange[];

/** A session as one gets it who joins it: how it was begun, and how many have joined it, this one included. */
export interface JoinedSession {
  handshake: Handshake;
  number: number;
}

/** MCP sessions that a run keeps for all its executions, by the names that `sessionName` gives. */
export interface KeptSessions {
  /** Seconds until one looks again, while another is beginning the session; 0 where nobody is. */
  wait(name: string): number;
  /** Undefined where none is kept. */
  join(name: string): JoinedSession | undefined;
  /** The session is being begun. What is returned is called when that is over, with the handshake if there is a session. */
  begin(name: string): (handshake?: Handshake) => void;
  /** The server does not have the session any more. */
  forget(name: string, handshake: Handshake): void;
  /** All that are kept, which are so no longer. */
  takeAll(): JoinedSession[];
}

/** Parts of a rate's minute before one looks again whether another has begun a session: it waits for room, if it waits. */
const LOOKS_A_MINUTE = 12;

/** Keeps the sessions of a target that all share; on others each execution has its own. */
export function openKeptSessions(target: Target): KeptSessions | undefined {
  if (!isShared(target)) return undefined;
  const kept = new Map<string, JoinedSession>();
  const beginning = new Set<string>();
  return {
    wait: (name) => (beginning.has(name) ? target.timing.rateMinuteSeconds / LOOKS_A_MINUTE : 0),
    join(name) {
      const last = kept.get(name);
      const joined = last && { ...last, number: last.number + 1 };
      if (joined) kept.set(name, joined);
      return joined;
    },
    begin(name) {
      beginning.add(name);
      return (handshake) => {
        beginning.delete(name);
        if (handshake) kept.set(name, { handshake, number: 0 });
      };
    },
    forget(name, handshake) {
      if (kept.get(name)?.handshake === handshake) kept.delete(name);
    },
    takeAll() {
      const all = [...kept.values()];
      kept.clear();
      return all;
    },
  };
}

/** Returns the address and credentials of a request to a tool server as one text. */
export function sessionName(request: Pick<WireRequest, "url" | "headers">): string {
  return JSON.stringify([request.url, ownHeaders(request)]);
}

/** Returns the headers of a request that the MCP client does not set itself. */
export function ownHeaders({ headers }: Pick<WireRequest, "headers">): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !/^(accept|content-type|mcp-.*)$/.test(name)));
}
