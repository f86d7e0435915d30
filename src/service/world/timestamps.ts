/** Times that were written lately: rows are shown again and again, and most have one moment several times. */
const written = new Map<number, string>();
const mostWritten = 10_000;

/** A time as the API shows it, ISO 8601 in UTC; null stays null. */
export function timestamp(ms: number): string;
export function timestamp(ms: number | null): string | null;
export function timestamp(ms: number | null): string | null {
  if (ms === null) return null;
  const known = written.get(ms);
  if (known !== undefined) return known;
  const text = new Date(ms).toISOString();
  if (written.size >= mostWritten) written.clear();
  written.set(ms, text);
  return text;
}
