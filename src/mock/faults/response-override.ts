import type { ServiceResponse } from "../../service/call.js";

/** The changes of a response. */
export interface ResponseOverride {
  /** From 200 to 599. */
  status?: number;
  /** Headers to set; null removes a header. */
  headers?: Record<string, string | null>;
  /** The whole body. It excludes `patch`. */
  body?: unknown;
  /** A JSON merge patch (RFC 7396) of the service's body. */
  patch?: unknown;
}

/** Returns the reply with the override. Parts that the override does not name stay. */
export function override(response: ServiceResponse, { status, headers, body, patch }: ResponseOverride): ServiceResponse {
  const becoming = body !== undefined ? body : patch !== undefined ? mergePatch(response.body, patch) : response.body;
  return withStatus({ ...response, headers: withHeaders(response.headers, headers), body: becoming }, status ?? response.status);
}

/** Returns the reply with another status. Removes the body if HTTP allows none. */
export function withStatus(response: ServiceResponse, status: number): ServiceResponse {
  const bodiless = status === 204 || status === 205 || status === 304;
  return { ...response, status, body: bodiless ? undefined : response.body };
}

/** Applies a JSON merge patch (RFC 7396): objects are merged field by field, null removes a field, and any other value replaces. */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isRecord(patch)) return patch;
  const merged = new Map(Object.entries(isRecord(target) ? target : {}));
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) merged.delete(name);
    else merged.set(name, mergePatch(merged.get(name), value));
  }
  return Object.fromEntries(merged);
}

function withHeaders(headers: Record<string, string>, changes: ResponseOverride["headers"] = {}): Record<string, string> {
  const result = new Map(Object.entries(headers));
  for (const [name, value] of Object.entries(changes)) {
    if (value === null) result.delete(name.toLowerCase());
    else result.set(name.toLowerCase(), value);
  }
  return Object.fromEntries(result);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}
