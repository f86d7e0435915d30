let lastMs = Number.NaN;
let lastText = "";

/** A time as the API shows it, ISO 8601 in UTC; null stays null. The last answer is kept: most rows show one moment several times. */
export function timestamp(ms: number): string;
export function timestamp(ms: number | null): string | null;
export function timestamp(ms: number | null): string | null {
  if (ms === null) return null;
  if (ms !== lastMs) {
    lastText = new Date(ms).toISOString();
    lastMs = ms;
  }
  return lastText;
}
