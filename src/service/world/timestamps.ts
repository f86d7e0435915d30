/** The texts of recent times. Lists format the same times again and again. */
const written = new Map<number, string>();
const maxWritten = 10_000;

/** Returns a time as the API shows it, ISO 8601 in UTC; null stays null. */
export function timestamp(ms: number): string;
export function timestamp(ms: number | null): string | null;
export function timestamp(ms: number | null): string | null {
  if (ms === null) return null;
  const known = written.get(ms);
  if (known !== undefined) return known;
  const text = new Date(ms).toISOString();
  if (written.size >= maxWritten) written.clear();
  written.set(ms, text);
  return text;
}
