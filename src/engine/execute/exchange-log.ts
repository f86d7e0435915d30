import type { Exchange } from "../http/exchange.js";
import { shorten } from "../http/shorten.js";

/** One log entry: an exchange, an event, or the number of entries that were left out. */
export type LogEntry = ExchangeEntry | { step: string; event: string } | { step: string; leftOut: number };

/** A request with its response or failure. */
export interface ExchangeEntry {
  step: string;
  exchange: Exchange;
  /** How often in a row the same request got the same status. Only the last exchange is kept. */
  times: number;
  /** Length of the whole response body in bytes. Absent if the body is not shortened. */
  whole?: number;
  /** The values that the step saved from the response, by variable name, each with its place in the response. */
  saves?: Readonly<Record<string, { place: string; value: unknown }>>;
}

/** The exchanges and events of one execution in order, each with the name of its step. */
export interface ExchangeLog {
  /** Starts a step: the next entries belong to it. */
  enter(step: string): void;
  exchange(exchange: Exchange): void;
  /** Adds an action that is not a request, such as a driven event or a clock change. */
  event(what: string): void;
  /** Notes that the step saved this value from the last response. */
  save(name: string, place: string, value: unknown): void;
  entries(): readonly LogEntry[];
}

/** The maximum number of kept entries of each finished step. A burst or a long list has many more. */
const MAX_EXCHANGES_PER_STEP = 6;
/** The maximum number of kept bytes of a response body of a finished step. */
const MAX_BODY_BYTES = 64 * 1024;

/** Opens an empty log. */
export function openExchangeLog(): ExchangeLog {
  const logEntriesBefore: LogEntry[] = [];
  let current: LogEntry[] = [];
  let step = "";
  return {
    enter(name) {
      logEntriesBefore.push(...dropMiddle(current).map(shortenBody));
      current = [];
      step = name;
    },
    exchange(exchange) {
      const last = current.at(-1);
      const repetitions = last && "exchange" in last && isSame(last.exchange, exchange) ? last.times + 1 : 1;
      if (repetitions > 1) current.pop();
      current.push({ step, exchange, times: repetitions });
    },
    event: (event) => void current.push({ step, event }),
    save(name, place, value) {
      const last = current.at(-1);
      if (last && "exchange" in last)
        current[current.length - 1] = { ...last, saves: { ...last.saves, [name]: { place, value } } };
    },
    entries: () => [...logEntriesBefore, ...current],
  };
}

/** Returns the first and the last entries, and between them the number of entries that were left out. */
function dropMiddle(entries: readonly LogEntry[]): readonly LogEntry[] {
  const leftOut = entries.length - MAX_EXCHANGES_PER_STEP;
  const [first] = entries;
  if (leftOut <= 0 || !first) return entries;
  const half = MAX_EXCHANGES_PER_STEP / 2;
  return [...entries.slice(0, half), { step: first.step, leftOut }, ...entries.slice(-half)];
}

/** Returns an entry with its response body shortened to the part that reports may show. */
function shortenBody(entry: LogEntry): LogEntry {
  if (!("exchange" in entry) || !entry.exchange.response) return entry;
  const { response } = entry.exchange;
  const short = shorten(response.body, MAX_BODY_BYTES);
  if (!short) return entry;
  return { ...entry, exchange: { ...entry.exchange, response: { ...response, body: short.bytes } }, whole: short.whole.bytes };
}

function isSame(exchange: Exchange, otherExchange: Exchange): boolean {
  const [a, b] = [exchange.request, otherExchange.request];
  if (exchange.response?.status !== otherExchange.response?.status || !exchange.response) return false;
  return a === b || (a.method === b.method && a.url === b.url && Buffer.compare(readBytes(a), readBytes(b)) === 0);
}

function readBytes({ body = new Uint8Array() }: Exchange["request"]): Uint8Array {
  return body;
}
