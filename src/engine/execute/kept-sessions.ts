import type { Exchange, WireRequest } from "../http/exchange.js";
import { isShared } from "../pacing/concurrent-tasks.js";
import type { Target } from "../target/target.js";

/** The exchanges that opened an MCP session. */
export type Handshake = readonly Exchange[];

/** A kept session as a client receives it: its handshake, and the client's number. The first client to join has number 1. */
export interface SharedSession {
  handshake: Handshake;
  number: number;
}

/** MCP sessions that all executions of a run share. `readSessionName` returns their names. */
export interface KeptSessions {
  /** Seconds to wait before asking again while another execution opens this session; 0 if none does. */
  wait(name: string): number;
  /** Returns the kept session of this name, or undefined if there is none. Counts the caller as a client. */
  join(name: string): SharedSession | undefined;
  /** Notes that the caller opens the session. The caller must call the returned function afterwards, with the handshake if it succeeded. */
  begin(name: string): (handshake?: Handshake) => void;
  /** Removes a session that the server no longer has. */
  forget(name: string, handshake: Handshake): void;
  /** Removes all kept sessions and returns them. */
  takeAll(): SharedSession[];
}

/** How many times in one rate minute an execution asks whether another execution has opened the session. */
const CHECKS_PER_MINUTE = 12;

/** Opens a store of kept sessions for a shared target. Returns undefined for other targets: there each execution opens its own sessions. */
export function openKeptSessions(target: Target): KeptSessions | undefined {
  if (!isShared(target)) return undefined;
  const sharedSessions = new Map<string, SharedSession>();
  const beginning = new Set<string>();
  return {
    wait: (name) => (beginning.has(name) ? target.timing.rateMinuteSeconds / CHECKS_PER_MINUTE : 0),
    join(name) {
      const last = sharedSessions.get(name);
      const sharedSession = last && { ...last, number: last.number + 1 };
      if (sharedSession) sharedSessions.set(name, sharedSession);
      return sharedSession;
    },
    begin(name) {
      beginning.add(name);
      return (handshake) => {
        beginning.delete(name);
        if (handshake) sharedSessions.set(name, { handshake, number: 0 });
      };
    },
    forget(name, handshake) {
      if (sharedSessions.get(name)?.handshake === handshake) sharedSessions.delete(name);
    },
    takeAll() {
      const all = [...sharedSessions.values()];
      sharedSessions.clear();
      return all;
    },
  };
}

/** Returns the address and credentials of a request to a tool server as one text. */
export function readSessionName(request: Pick<WireRequest, "url" | "headers">): string {
  return JSON.stringify([request.url, listOwnHeaders(request)]);
}

/** Returns the headers of a request that the MCP client does not set itself. */
export function listOwnHeaders({ headers }: Pick<WireRequest, "headers">): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !/^(accept|content-type|mcp-.*)$/.test(name)));
}
