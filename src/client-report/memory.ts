import { type Call, type Connection, fieldsOf, fingerprint, wordOf } from "./exchange.js";

/** What was answered earlier to a client, as far as rules ask for it. All of it is bounded: the oldest goes first. */
export interface Memory {
  /** The waits that were asked for, by the request that was refused, and by the limit that refused it. */
  waits: Map<string, Wait>;
  crowds: Map<string, Wait>;
  /** Requests that found the service away and were told no time, with how often they came back at once. */
  outages: Map<string, Moment & { hasty: number }>;
  /** Cursors given out, by themselves and with their list and filters, and whether some have been forgotten. */
  cursors: Map<string, Cursor>;
  pages: Map<string, Cursor>;
  forgetsCursors: boolean;
  /** Whether a tool has answered in words alone, which may have held a cursor that nobody here can pick out. */
  hearsWords: boolean;
  /** Cursors that were refused, by list. */
  refusedCursors: Map<string, Moment & { cursor: string }>;
  /** What was last answered to a submission, by its fingerprint. */
  submissions: Map<string, Moment & { status: number | null }>;
  /** The first accepted body that was sent with an Idempotency-Key. */
  idempotencyKeys: Map<string, Moment & { body: string }>;
  /** Repositories whose registration was accepted and whose jobs have not been looked at since. */
  unseenDiscoveries: Map<string, Moment>;
  /** Requests that were refused for good, with the code. */
  refusals: Map<string, Moment & { code: string }>;
  /** When a repository was last removed, by the wall. */
  lastRemoval: number;
  /** What answers showed of the settings of keys, by caller and key. */
  keySettings: Map<string, Record<string, unknown>>;
  /** Jobs that were not finished when a caller asked last, and how often it came back at once. */
  polls: Map<string, Moment & { hasty: number; serverTime: number }>;
  /** Keys that were refused as expired or revoked, and how many calls followed. */
  deadKeys: Map<string, Moment & { code: string; calls: number }>;
  /** Workflows that a refusal listed as allowed. */
  listedWorkflows: Set<string>;
  /** What was sent to the tool server's path without its slash, by caller. */
  bareCalls: Map<string, Moment & { method: string; body: unknown }>;
  /** The newest requests, each where the one four before it stood: who calls by several connections at once is seen by them. */
  newest: { wall: number; connection: Connection; caller: string }[];
  requests: number;
}

/** When something was by both clocks, over which connection, and by which program. */
export interface Moment {
  at: number;
  wall: number;
  connection: WeakRef<Connection>;
  agent: string;
  number: number | null;
}

/** A wait that was asked for. */
export interface Wait extends Moment {
  seconds: number;
  status: number;
  fingerprint: string;
}

/** A cursor that was given out. */
export interface Cursor {
  list: string;
  filters: string;
  walk: { ended: boolean; last: string | null };
  /** By the wall clock, in milliseconds. */
  wall: number;
  uses: number;
}

const most = 10_000;

/** What comes sooner than this may have been sent before the answer was read. */
const inFlightMs = 100;

/** Parameters that may change from page to page. CURSOR-BOUND leaves `order` open as well. */
const free = new Set(["cursor", "limit", "include", "order"]);

/** Remembers nothing yet. */
export function openMemory(): Memory {
  return {
    waits: new Map(),
    crowds: new Map(),
    outages: new Map(),
    cursors: new Map(),
    pages: new Map(),
    forgetsCursors: false,
    hearsWords: false,
    refusedCursors: new Map(),
    submissions: new Map(),
    idempotencyKeys: new Map(),
    unseenDiscoveries: new Map(),
    refusals: new Map(),
    lastRemoval: Number.NEGATIVE_INFINITY,
    keySettings: new Map(),
    polls: new Map(),
    deadKeys: new Map(),
    listedWorkflows: new Set(),
    bareCalls: new Map(),
    newest: [],
    requests: 0,
  };
}

/** When an call was answered. */
export function momentOf({ exchange: { at, wall, took = 0, connection, number, headers } }: Call): Moment {
  return { at: at + took, wall: wall + took, connection: new WeakRef(connection), agent: String(headers["user-agent"]), number };
}

/** How long ago something was, in milliseconds: by the clock that has gone further, so that neither a world's nor a real wait is missed. */
export function timeSince(earlier: Pick<Moment, "at" | "wall">, { exchange: { at, wall } }: Call): number {
  return Math.max(at - earlier.at, wall - earlier.wall);
}

/** Takes notice of one more request and of the connection that it came by. */
export function learnConnection(memory: Memory, { caller, exchange: { wall, connection } }: Call): void {
  const place = memory.requests++ % 4;
  const before = memory.newest[place];
  if (!before) memory.newest[place] = { wall, connection, caller };
  else {
    before.wall = wall;
    before.connection = connection;
    before.caller = caller;
  }
}

/**
 * Whether a request may have been on its way before an earlier answer was read. Over the same connection it was not, and a client that
 * goes on by no more than two connections sends one request after the other: some libraries take turns with two.
 */
function maybeInFlight(earlier: Moment, call: Call, { newest }: Memory): boolean {
  if (timeSince(earlier, call) >= inFlightMs) return false;
  const { connection, wall } = call.exchange;
  if (earlier.connection.deref() === connection) return false;
  const open = new Set<Connection>([connection]);
  for (const { wall: at, connection: other } of newest) if (isOpen(other, wall) && wall - at < inFlightMs) open.add(other);
  return open.size > 2;
}

/**
 * Whether a call came from the client of an earlier one, which had read the answer: so that the call is known to react to it. Two clients can
 * share a key. They are told apart by their connections and their user agents. Some libraries take turns with two connections: that is one
 * client.
 */
export function isSameClient(earlier: Moment, call: Call, memory: Memory): boolean {
  const { connection, headers, wall } = call.exchange;
  if (String(headers["user-agent"]) !== earlier.agent) return false;
  const before = earlier.connection.deref();
  if (before === connection) return true;
  if (maybeInFlight(earlier, call, memory)) return false;
  if (!before || !isOpen(before, wall)) return true;
  const { newest, requests } = memory;
  const inOrder = newest.map((_, i) => newest[(requests + i) % newest.length]!).filter(({ caller }) => caller === call.caller);
  const used = [...inOrder.map((one) => one.connection), connection];
  return new Set(used).size <= 2 && used.every((one, i) => one !== used[i - 1]);
}

function isOpen({ endedAt }: Connection, wall: number): boolean {
  return endedAt === undefined || endedAt > wall;
}

/** The list that a request is for: with its path, as each repository has lists of its own. */
export function listOf({ surface, operation, path, input }: Call): string {
  if (surface === "rest") return path;
  const { owner, repo, branch } = input;
  return owner === undefined ? operation : `${operation} ${wordOf(owner)}/${wordOf(repo)}/${wordOf(branch)}`;
}

/** What narrows a list, in one order. */
export function filtersOf({ input }: Call): string {
  return JSON.stringify(
    Object.entries(input)
      .filter(([name]) => !free.has(name))
      .map(([name, value]) => [name, wordOf(value)])
      .sort(([a = ""], [b = ""]) => (a < b ? -1 : 1)),
  );
}

/** Keeps a value under a name. When there are too many, the oldest ones go together, since one by one takes long; true when some went. */
export function keep<Value>(map: Map<string, Value>, name: string, value: Value): boolean {
  if (map.has(name)) map.delete(name);
  map.set(name, value);
  if (map.size <= most) return false;
  let going = most / 4;
  for (const old of map.keys()) {
    map.delete(old);
    if (--going === 0) break;
  }
  return true;
}

/** Keeps the cursor that a page gave out, and where its walk stands. */
export function learnCursors(memory: Memory, call: Call): void {
  const { input, status, payload, exchange } = call;
  if (call.code === "invalid_cursor" && typeof input.cursor === "string" && !exchange.bent)
    keep(memory.refusedCursors, `${call.caller} ${listOf(call)}`, { ...momentOf(call), cursor: input.cursor });
  if (call.isTool && status === 200 && Object.keys(payload).length === 0) memory.hearsWords = true;
  // an answer that nobody could read may have held a cursor
  if (status === 200 && !call.isTool && exchange.answer === undefined) memory.forgetsCursors = true;
  if (status !== 200 || !Array.isArray(payload.data)) return;
  const earlier = typeof input.cursor === "string" ? cursorOf(memory, call, input.cursor) : undefined;
  if (earlier) earlier.uses++;
  const walk = earlier?.walk ?? { ended: false, last: null };
  walk.last = typeof input.cursor === "string" ? input.cursor : null;
  const { next_cursor: next } = payload;
  if (typeof next !== "string") walk.ended = true;
  else {
    const cursor = { list: listOf(call), filters: filtersOf(call), walk, wall: exchange.wall, uses: 0 };
    keep(memory.pages, pageOf(call, next), cursor);
    if (keep(memory.cursors, next, cursor)) memory.forgetsCursors = true;
  }
}

/** Returns the cursor that was given out for the call's list and filters, else one of the same text: short ones can be alike. */
export function cursorOf({ pages, cursors }: Memory, call: Call, cursor: string): Cursor | undefined {
  return pages.get(pageOf(call, cursor)) ?? cursors.get(cursor);
}

function pageOf(call: Call, cursor: string): string {
  return `${cursor} ${listOf(call)} ${filtersOf(call)}`;
}

/** Keeps what a refusal for good said, and which workflows it listed. */
export function learnRefusals(memory: Memory, call: Call): void {
  const { status, code, exchange, payload } = call;
  if (status === null || status < 400 || exchange.method !== "POST" || exchange.bent) return;
  if (code !== null && status !== 429 && status < 500) keep(memory.refusals, fingerprint(call), { ...momentOf(call), code });
  const { allowed_workflows: listed } = fieldsOf(fieldsOf(payload.error).details);
  if (Array.isArray(listed)) for (const workflow of listed.slice(0, 100)) memory.listedWorkflows.add(wordOf(workflow));
}
