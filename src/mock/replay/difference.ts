import type { RecordedResponse } from "./recording.js";

/** The first difference between two responses. */
export interface Difference {
  /** `status`, `headers/retry-after`, or a JSON pointer into the body: `body/data/0/status`. */
  where: string;
  recorded: unknown;
  now: unknown;
}

/** Returns the first difference between a response and the recorded one; null when they are equal byte by byte. */
export function findDifference(recordedResponse: RecordedResponse, now: RecordedResponse | undefined): Difference | null {
  if (!now) return { where: "answer", recorded: recordedResponse.status, now: null };
  if (recordedResponse.status !== now.status) return { where: "status", recorded: recordedResponse.status, now: now.status };
  const headers = findValueDifference(recordedResponse.headers, now.headers, "headers");
  if (headers) return headers;
  if (recordedResponse.text === now.text && recordedResponse.sha256 === now.sha256) return null;
  if (recordedResponse.text === undefined || now.text === undefined)
    return { where: "body", recorded: measureLength(recordedResponse), now: measureLength(now) };
  return findTextDifference(recordedResponse.text, now.text);
}

function findTextDifference(recorded: string, now: string): Difference {
  const [one, other] = [parseText(recorded), parseText(now)];
  const inside = one && other ? findValueDifference(one.value, other.value, "body") : null;
  if (inside) return inside;
  let at = 0;
  while (recorded[at] === now[at]) at++;
  const textAround = (text: string) => text.slice(Math.max(0, at - 20), at + 40);
  return { where: `body, character ${at}`, recorded: textAround(recorded), now: textAround(now) };
}

function findValueDifference(recorded: unknown, now: unknown, where: string): Difference | null {
  if (Object.is(recorded, now)) return null;
  if (!isObject(recorded) || !isObject(now)) return { where, recorded: recorded ?? null, now: now ?? null };
  for (const name of new Set([...Object.keys(recorded), ...Object.keys(now)])) {
    const inside = findValueDifference(recorded[name], now[name], `${where}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`);
    if (inside) return inside;
  }
  return null;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

function parseText(text: string): { value: unknown } | null {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return null;
  }
}

function measureLength({ length, sha256, text }: RecordedResponse): string {
  return sha256
    ? `${length} characters of digest ${sha256.slice(0, 12)}`
    : text === undefined
      ? "nothing"
      : `${text.length} characters`;
}
