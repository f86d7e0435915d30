import type { Exchange } from "../../http/exchange.js";
import { shorten, type WholeBody } from "../../http/shorten.js";

const MB = 1024 * 1024;

/** How long an answer may be to be kept whole. When all that is kept comes to more than there is room for, only short ones are. */
export interface Room {
  longest(): number;
  take(bytes: number): void;
}

/** How much of answers is kept, in bytes: of each, of each while there is no room left, of a scenario, and of a run. */
export interface TraceLimits {
  longest: number;
  short: number;
  scenario: number;
  run: number;
}

/** Any page of a list is kept whole, and the document of a service. */
export const TRACE_LIMITS: TraceLimits = { longest: MB, short: 16 * 1024, scenario: 64 * MB, run: 512 * MB };

/** Room for so many bytes; never more than what it is a part of has. */
export function openRoom(bytes: number, { longest, short }: TraceLimits, within?: Room): Room {
  let left = bytes;
  return {
    longest: () => Math.min(left > 0 ? longest : short, within?.longest() ?? longest),
    take(taken) {
      left -= taken;
    },
  };
}

/** An exchange as it is kept, and what its body was where that is kept in part. */
export function keep(exchange: Exchange, room: Room): { exchange: Exchange; whole?: WholeBody } {
  const { response } = exchange;
  if (!response) return { exchange };
  const short = shorten(response.body, room.longest());
  room.take(short?.bytes.length ?? response.body.length);
  return short ? { exchange: { ...exchange, response: { ...response, body: short.bytes } }, whole: short.whole } : { exchange };
}
