import { type Call, type Connection, fingerprint, readFields, readWord } from "./exchange.js";

/** The facts of earlier calls that the rules use. Each map is bounded and drops its oldest entries. */
export interface Memory {
  /** The waits that `Retry-After` named, by the refused request and by the limit that refused it. */
  waits: Map<string, Wait>;
  limitWaits: Map<string, Wait>;
  /** Requests that got 503 without `Retry-After`, with how often the client repeated them at once. */
  outages: Map<string, Moment & { hasty: number }>;
  /** Cursors of earlier pages, by their text and with list and filters, and whether the maps dropped some. */
  cursors: Map<string, Cursor>;
  pages: Map<string, Cursor>;
  forgetsCursors: boolean;
  /** Whether a tool answered with text that is not JSON. Such text can hold a cursor that the rules cannot find. */
  hasTextResponses: boolean;
  /** Cursors that were refused, by list. */
  refusedCursors: Map<string, Moment & { cursor: string }>;
  /** The last response to a submission, by the request's fingerprint. */
  submissions: Map<string, Moment & { status: number | null }>;
  /** The first accepted body that was sent with an Idempotency-Key. */
  idempotencyKeys: Map<string, Moment & { body: string }>;
  /** Registered repositories whose jobs the client has not read since. */
  unseenDiscoveries: Map<string, Moment>;
  /** Requests that got a permanent refusal, with the code. */
  refusals: Map<string, Moment & { code: string }>;
  /** When a repository was last removed, in milliseconds of the real clock. */
  lastRemoval: number;
  /** The settings of keys as answers showed them, by caller and key. */
  keySettings: Map<string, Record<string, unknown>>;
  /** Jobs that were not finished at the last read, and how often the caller read again at once. */
  polls: Map<string, Moment & { hasty: number; serverTime: number }>;
  /** Keys that were refused as expired or revoked, and how many calls followed. */
  deadKeys: Map<string, Moment & { code: string; calls: number }>;
  /** Workflows that a refusal listed as allowed. */
  listedWorkflows: Set<string>;
  /** The last message to `/mcp`, without the slash, by caller. */
  bareCalls: Map<string, Moment & { method: string; body: unknown }>;
  /** A ring of the four newest requests. They show whether a caller uses several connections at once. */
  newest: { wall: number; connection: Connection; caller: string }[];
  requests: number;
}

/** A time on both clocks, the connection and the user agent. */
export interface Moment {
  at: number;
  wall: number;
  connection: WeakRef<Connection>;
  agent: string;
  number: number | null;
}

/** A wait that a response named. */
export interface Wait extends Moment {
  seconds: number;
  status: number;
  fingerprint: string;
}

/** A cursor that a page gave to the client. */
export interface Cursor {
  list: string;
  filters: string;
  walk: { ended: boolean; last: string | null };
  /** In milliseconds of the real clock. */
  wall: number;
  uses: number;
}

const maxEntries = 10_000;

/** A request that follows a response within this time may have been sent before the client read it. */
const inFlightMs = 100;

/** Parameters that can change from page to page. CURSOR-BOUND leaves `order` open as well. */
const changeableParameters = new Set(["cursor", "limit", "include", "order"]);

/** Returns an empty memory. */
export function openMemory(): Memory {
  return {
    waits: new Map(),
    limitWaits: new Map(),
    outages: new Map(),
    cursors: new Map(),
    pages: new Map(),
    forgetsCursors: false,
    hasTextResponses: false,
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

/** Returns the time at which a call was answered, with further facts about the call. */
export function createMoment<Facts extends object>({ exchange }: Call, facts: Facts): Moment & Facts {
  const { at, wall, took = 0, connection, number, headers } = exchange;
  connection.reference ??= new WeakRef(connection);
  const agent = String(headers["user-agent"]);
  // copying the object with a spread takes 30 times as long
  return Object.assign({ at: at + took, wall: wall + took, connection: connection.reference, agent, number }, facts);
}

/** Returns the milliseconds since an earlier moment, by the clock that advanced more: a wait on either clock counts. */
export function computeTimeSince(earlier: Pick<Moment, "at" | "wall">, { exchange: { at, wall } }: Call): number {
  return Math.max(at - earlier.at, wall - earlier.wall);
}

/** Adds a request and its connection to the ring of newest requests. */
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
 * Tells whether the client may have sent the call before it read an earlier response. On the same connection it read the response first. A
 * client with at most two open connections sends one request after the other: some libraries alternate between two.
 */
function mayBeInFlight(earlier: Moment, call: Call, { newest }: Memory): boolean {
  if (computeTimeSince(earlier, call) >= inFlightMs) return false;
  const { connection, wall } = call.exchange;
  if (earlier.connection.deref() === connection) return false;
  let second: Connection | undefined;
  for (const { wall: at, connection: other } of newest) {
    if (other === connection || other === second || !isOpen(other, wall) || wall - at >= inFlightMs) continue;
    if (second) return true;
    second = other;
  }
  return false;
}

/**
 * Tells whether the client of an earlier call, having read its response, sent this call. Two clients can share a key: their connections and
 * user agents differ. One client can alternate between two connections.
 */
export function isSameClient(earlier: Moment, call: Call, memory: Memory): boolean {
  const { connection, headers, wall } = call.exchange;
  if (String(headers["user-agent"]) !== earlier.agent) return false;
  const earlierConnection = earlier.connection.deref();
  if (earlierConnection === connection) return true;
  if (mayBeInFlight(earlier, call, memory)) return false;
  if (!earlierConnection || !isOpen(earlierConnection, wall)) return true;
  const { newest, requests } = memory;
  const inOrder = newest.map((_, i) => newest[(requests + i) % newest.length]!).filter(({ caller }) => caller === call.caller);
  const connections = [...inOrder.map((one) => one.connection), connection];
  return new Set(connections).size <= 2 && connections.every((one, i) => one !== connections[i - 1]);
}

function isOpen({ endedAt }: Connection, wall: number): boolean {
  return endedAt === undefined || endedAt > wall;
}

/** Returns the name of the list that a request reads. It contains the repository. */
export function computeListName({ surface, operation, path, input }: Call): string {
  if (surface === "rest") return path;
  const { owner, repo, branch } = input;
  return owner === undefined ? operation : `${operation} ${readWord(owner)}/${readWord(repo)}/${readWord(branch)}`;
}

/** Returns the filters of a list as text, sorted by name. */
export function formatFilters({ input }: Call): string {
  return JSON.stringify(
    Object.entries(input)
      .filter(([name]) => !changeableParameters.has(name))
      .map(([name, value]) => [name, readWord(value)])
      .sort(([a = ""], [b = ""]) => (a < b ? -1 : 1)),
  );
}

/** Sets a value in a bounded map. A full map drops its oldest quarter; returns whether it did. */
export function setBounded<Value>(map: Map<string, Value>, name: string, value: Value): boolean {
  // a small map drops no entries soon, so it does not sort them yet
  if (map.size > maxEntries / 2) map.delete(name);
  map.set(name, value);
  if (map.size <= maxEntries) return false;
  let going = maxEntries / 4;
  for (const old of map.keys()) {
    map.delete(old);
    if (--going === 0) break;
  }
  return true;
}

/** Remembers the cursor of a page and the walk that it belongs to. */
export function learnCursors(memory: Memory, call: Call): void {
  const { input, status, payload, exchange } = call;
  if (call.code === "invalid_cursor" && typeof input.cursor === "string" && !exchange.overridden)
    setBounded(memory.refusedCursors, `${call.caller} ${computeListName(call)}`, createMoment(call, { cursor: input.cursor }));
  if (call.isTool && status === 200 && Object.keys(payload).length === 0) memory.hasTextResponses = true;
  // a response that is not JSON can hold a cursor
  if (status === 200 && !call.isTool && exchange.answer === undefined) memory.forgetsCursors = true;
  if (status !== 200 || !Array.isArray(payload.data)) return;
  const earlier = typeof input.cursor === "string" ? findCursor(memory, call, input.cursor) : undefined;
  if (earlier) earlier.uses++;
  const walk = earlier?.walk ?? { ended: false, last: null };
  walk.last = typeof input.cursor === "string" ? input.cursor : null;
  const { next_cursor: next } = payload;
  if (typeof next !== "string") walk.ended = true;
  else {
    const cursor = { list: computeListName(call), filters: formatFilters(call), walk, wall: exchange.wall, uses: 0 };
    setBounded(memory.pages, computePageKey(call, next), cursor);
    if (setBounded(memory.cursors, next, cursor)) memory.forgetsCursors = true;
  }
}

/** Returns the remembered cursor of the call's list and filters, else one of another list with the same text. */
export function findCursor({ pages, cursors }: Memory, call: Call, cursor: string): Cursor | undefined {
  return pages.get(computePageKey(call, cursor)) ?? cursors.get(cursor);
}

function computePageKey(call: Call, cursor: string): string {
  return `${cursor} ${computeListName(call)} ${formatFilters(call)}`;
}

/** Remembers the code of a permanent refusal, and the workflows that it listed. */
export function learnRefusals(memory: Memory, call: Call): void {
  const { status, code, exchange, payload } = call;
  if (status === null || status < 400 || exchange.method !== "POST" || exchange.overridden) return;
  if (code !== null && status !== 429 && status < 500)
    setBounded(memory.refusals, fingerprint(call), createMoment(call, { code }));
  const { allowed_workflows: listed } = readFields(readFields(payload.error).details);
  if (Array.isArray(listed)) for (const workflow of listed.slice(0, 100)) memory.listedWorkflows.add(readWord(workflow));
}
