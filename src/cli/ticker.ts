import { overwriteLine, printErrors } from "./output.js";

/** What shows how far a long run is. */
export interface Ticker<T> {
  show(value: T): void;
  /** Takes the line away. */
  clear(): void;
}

/** Where there is no terminal a line is enough now and then. */
const SELDOM_MS = 30_000;

/**
 * Opens a progress line on standard error; `text` says how a value reads. On a terminal it is one line, written over and over; elsewhere, as
 * in the log of a CI run, a line every half minute.
 */
export function openTicker<T>(text: (value: T) => string): Ticker<T> {
  if (!process.stderr.isTTY) return openLog(printErrors, text);
  return {
    show: (value) => overwriteLine(text(value)),
    clear: () => overwriteLine(),
  };
}

function openLog<T>(write: (line: string) => void, text: (value: T) => string): Ticker<T> {
  let shownAt = Date.now();
  return {
    show(value) {
      if (Date.now() - shownAt < SELDOM_MS) return;
      shownAt = Date.now();
      write(text(value));
    },
    clear: () => {},
  };
}
