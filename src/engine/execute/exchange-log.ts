import type { Exchange } from "../http/exchange.js";
import { shorten } from "../http/shorten.js";

/** One thing that an execution did: a request with what came of it, or what it did beside requests. */
export type LogEntry = ExchangeEntry | { step: string; event: string } | { step: string; leftOut: number };

/** One request with what came of it. */
export interface ExchangeEntry {
  step: string;
  exchange: Exchange;
  /** How often in a row the same request had an answer of the same status; the last one is kept. */
  times: number;
  /** How long the body of the answer was, in bytes, where only a part of it is kept. */
  whole?: number;
  /** What its step saved from the answer, by name: the place it stood at, and the value. */
  saves?: Readonly<Record<string, { place: string; value: unknown }>>;
}

/** What one execution did and was answered, in order, by its steps. */
export interface ExchangeLog {
  /** What follows belongs to this step. */
  enter(step: string): void;
  exchange(exchange: Exchange): void;
  /** Something done beside requests, in words: an event that a hook brought about, a wait. */
  event(what: string): void;
  /** The last answer gave a value for later steps. */
  save(name: string, place: string, value: unknown): void;
  entries(): readonly LogEntry[];
}

/** Of each step that is over: a burst or a walk has many more. */
const MOST_A_STEP = 6;
/** In bytes, of an answer of a step that is over. */
const LONGEST_BODY = 64 * 1024;

/** Begins a log with nothing in it. */
export function openExchangeLog(): ExchangeLog {
  const before: LogEntry[] = [];
  let current: LogEntry[] = [];
  let step = "";
  return {
    enter(name) {
      before.push(...thinned(current).map(lightened));
      current = [];
      step = name;
    },
    exchange(exchange) {
      const last = current.at(-1);
      const again = last && "exchange" in last && isSame(last.exchange, exchange) ? last.times + 1 : 1;
      if (again > 1) current.pop();
      current.push({ step, exchange, times: again });
    },
    event: (event) => void current.push({ step, event }),
    save(name, place, value) {
      const last = current.at(-1);
      if (last && "exchange" in last)
        current[current.length - 1] = { ...last, saves: { ...last.saves, [name]: { place, value } } };
    },
    entries: () => [...before, ...current],
  };
}

/** The first and the last, with how many were between. */
function thinned(entries: readonly LogEntry[]): readonly LogEntry[] {
  const leftOut = entries.length - MOST_A_STEP;
  const [first] = entries;
  if (leftOut <= 0 || !first) return entries;
  const half = MOST_A_STEP / 2;
  return [...entries.slice(0, half), { step: first.step, leftOut }, ...entries.slice(-half)];
}

/** An exchange of which all that reports may show is kept. */
function lightened(entry: LogEntry): LogEntry {
  if (!("exchange" in entry) || !entry.exchange.response) return entry;
  const { response } = entry.exchange;
  const short = shorten(response.body, LONGEST_BODY);
  if (!short) return entry;
  return { ...entry, exchange: { ...entry.exchange, response: { ...response, body: short.bytes } }, whole: short.whole.bytes };
}

function isSame(one: Exchange, other: Exchange): boolean {
  const [a, b] = [one.request, other.request];
  if (one.response?.status !== other.response?.status || !one.response) return false;
  return a === b || (a.method === b.method && a.url === b.url && Buffer.compare(bytesOf(a), bytesOf(b)) === 0);
}

function bytesOf({ body = new Uint8Array() }: Exchange["request"]): Uint8Array {
  return body;
}
