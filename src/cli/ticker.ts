/** One line on a terminal that is written over and over; says nothing elsewhere. */
export interface Ticker<T> {
  show(value: T): void;
  /** Takes the line away. */
  clear(): void;
}

/** Opens a progress line on standard error; `text` says how a value reads. */
export function openTicker<T>(text: (value: T) => string): Ticker<T> {
  const out = process.stderr;
  if (!out.isTTY) return { show: () => {}, clear: () => {} };
  return {
    show: (value) => void out.write(`\r\u001b[K${text(value).slice(0, (out.columns || 80) - 1)}`),
    clear: () => void out.write("\r\u001b[K"),
  };
}
