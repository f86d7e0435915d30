const unitMs: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** The form of a duration, for messages. */
export const durationForm = "a number and ms, s, m, h or d, such as 30s";

/** Returns the milliseconds of a duration such as `30s`, `1.5h` or `500ms`; null for any other text. */
export function readDuration(text: string): number | null {
  const [, number, unit] = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(text) ?? [];
  const ms = Math.round(Number(number) * (unitMs[unit ?? ""] ?? Number.NaN));
  return Number.isSafeInteger(ms) ? ms : null;
}
