import { signal } from "@preact/signals";

/** A response of the control plane, or the reason of its refusal. `status` is 0 when there was no response. */
export type Outcome<Value> = { value: Value } | { problem: string; status: number };

/** Whether the mock requires an admin token that is missing or wrong. */
export const needsToken = signal(false);

const place = "counterpart-admin-token";

/** Keeps the admin token until this tab is closed. */
export function storeToken(token: string): void {
  sessionStorage.setItem(place, token);
  needsToken.value = false;
}

/** Tells whether this tab has an admin token, so that the mock requires one. */
export function hasStoredToken(): boolean {
  return sessionStorage.getItem(place) !== null;
}

/** Sends a request to the control plane, by method and path below `/__mock`. */
export async function ask<Value>(on: string, body?: unknown, signal?: AbortSignal): Promise<Outcome<Value>> {
  try {
    const answer = await send(on, body, signal ? { signal } : {});
    if (answer.status === 204) return { value: undefined as Value };
    const value = (await answer.json()) as Value & { detail?: string; allowed?: string[] };
    return answer.ok ? { value } : { problem: readSentence(value), status: answer.status };
  } catch {
    return { problem: "The mock does not answer.", status: 0 };
  }
}

/** Sends a request to the control plane and returns the response as a stream. */
export async function send(on: string, body: unknown, more: RequestInit = {}): Promise<Response> {
  const [method = "GET", path = ""] = on.split(" ", 2);
  const token = sessionStorage.getItem(place);
  const headers: Record<string, string> = { accept: "application/json, text/event-stream" };
  if (token !== null) headers.authorization = `Bearer ${token}`;
  if (body !== undefined) headers["content-type"] = "application/json";
  const content = body === undefined ? {} : { body: JSON.stringify(body) };
  const answer = await fetch(`/__mock${path}`, { method, headers, ...content, ...more });
  if (answer.status === 401) needsToken.value = true;
  return answer;
}

function readSentence({ detail = "The mock refused.", allowed }: { detail?: string; allowed?: string[] }): string {
  if (!allowed || allowed.length === 0) return detail;
  const shown = allowed.slice(0, 12).join(", ");
  return `${detail} Allowed: ${shown}${allowed.length > 12 ? ", …" : ""}.`;
}
