import { randomUUID } from "node:crypto";
import type { World } from "../../service/world/world.js";
import type { ServerResponse } from "../http/messages.js";

/** A client that completed the handshake, if the tool server keeps sessions. */
export interface ToolSession {
  id: string;
  /** Id of the key that opened it. No other key may use it. */
  key: string;
  usedAt: number;
  /** The standing stream of its client. */
  stream: ServerResponse | null;
}

/** A session without use for a day of world time is over. */
const idleMs = 86_400_000;

/** Maximum number of sessions of a world. The least recently used session is deleted first. */
export const maxSessions = 1000;

/** Sessions by id, least recently used first. They are deleted with their world. */
const kept = new WeakMap<World, Map<string, ToolSession>>();

/** Opens a session for a key. `id`: the id of an earlier session. */
export function openSession(world: World, key: string, id: string = randomUUID()): ToolSession {
  const sessions = findSessions(world);
  for (const session of sessions.values()) {
    if (sessions.size < maxSessions && !isOver(world, session)) break;
    endSession(world, session);
  }
  const session: ToolSession = { id, key, usedAt: world.now, stream: null };
  sessions.set(session.id, session);
  return session;
}

/** Returns the session with this id if it belongs to the key and is not over. Each use prolongs it. */
export function useSession(world: World, id: string, key: string): ToolSession | null {
  const sessions = findSessions(world);
  const session = sessions.get(id);
  if (!session || session.key !== key) return null;
  if (isOver(world, session)) {
    endSession(world, session);
    return null;
  }
  sessions.delete(id);
  sessions.set(id, session);
  session.usedAt = world.now;
  return session;
}

/** Ends a session and its stream. */
export function endSession(world: World, session: ToolSession): void {
  findSessions(world).delete(session.id);
  session.stream?.end();
}

/** Returns every session of a world as plain data, least recently used first. */
export function listSessions(world: World): Omit<ToolSession, "stream">[] {
  return [...findSessions(world).values()].map(({ stream: _, ...session }) => session);
}

/** Gives a world these sessions. None of them has a stream. */
export function putSessions(world: World, sessions: readonly Omit<ToolSession, "stream">[]): void {
  kept.set(world, new Map(sessions.map((session) => [session.id, { ...session, stream: null }])));
}

/** Ends the streams of a world's sessions. */
export function endStreams(world: World): void {
  for (const session of findSessions(world).values()) session.stream?.end();
}

/** Returns the number of sessions of a world. */
export function countSessions(world: World): number {
  return findSessions(world).size;
}

function isOver(world: World, session: ToolSession): boolean {
  return world.now >= session.usedAt + idleMs;
}

function findSessions(world: World): Map<string, ToolSession> {
  let sessions = kept.get(world);
  if (!sessions) {
    sessions = new Map();
    kept.set(world, sessions);
  }
  return sessions;
}
