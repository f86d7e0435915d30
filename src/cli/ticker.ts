import { overwriteLine, printErrors } from "./output.js";

/** A progress line. */
export interface Ticker<T> {
  show(value: T): void;
  /** Removes the line. */
  clear(): void;
}

/** Without a terminal, the time between two lines. */
const LOG_INTERVAL_MS = 30_000;

/**
 * Opens a progress line on standard error; `text` formats a value. On a terminal the line is replaced. Elsewhere, as in the log of a CI run,
 * there is a line every half minute.
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
      if (Date.now() - shownAt < LOG_INTERVAL_MS) return;
      shownAt = Date.now();
      write(text(value));
    },
    clear: () => {},
  };
}
