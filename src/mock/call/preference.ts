import { escapeHeader } from "../../common/escape/header.js";
import { formatPreference, isErrorCode } from "../../contract/error-catalogue.js";
import { contract } from "../../contract/load.js";
import { buildForcedErrorResponse } from "../../service/access/error-response.js";
import { refuse, type ServiceResponse } from "../../service/call.js";
import type { World } from "../../service/world/world.js";
import { buildCatalogueRefusal, type RefusedCall } from "../faults/catalogue-refusal.js";
import { findCode } from "../faults/faults.js";
import { withStatus } from "../faults/response-override.js";

/** A reply to a call with a Prefer header. `forced`: the header determined the response, so the response does not show the service. */
export interface PreferredResponse {
  reply: ServiceResponse;
  forced: boolean;
}

/** The preferences of a Prefer header that the mock knows, by name. `unknown`: the other preferences as they were written. */
interface Preferences {
  code: string | undefined;
  error: string | undefined;
  retryAfter: string | undefined;
  unknown: string[];
}

const preferenceNames = ["code", "error", "retry-after"];

/**
 * Answers a call with `Prefer: code=409, error=repo_already_registered`. One of the two is enough. If both are given, the status must be
 * the status of the error. `retry-after=30` sets the seconds. A preference that is not possible is refused with 400. The Warning header of
 * the response names unknown preferences (RFC 7240).
 */
export function respondAsPreferred(
  world: World,
  header: string,
  subject: RefusedCall,
  perform: () => ServiceResponse,
): PreferredResponse {
  const preferences = readPreferences(header);
  const preferred = grant(world, preferences, subject, perform);
  if (preferences.unknown.length > 0) {
    const list = escapeHeader(preferences.unknown.join(", "));
    warn(preferred.reply, `not known here: ${list}; known are ${preferenceNames.join(", ")}`);
  }
  return preferred;
}

function grant(world: World, preferences: Preferences, subject: RefusedCall, perform: () => ServiceResponse): PreferredResponse {
  const { code, error, retryAfter } = preferences;
  if (code === undefined && error === undefined) {
    if (retryAfter !== undefined) preferences.unknown.push(`retry-after=${retryAfter} without code or error`);
    return { reply: perform(), forced: false };
  }
  const status = readStatus(preferences);
  if (status === null)
    return refusePreference(world, "This Prefer header names no code and status of the catalogue, see /__mock/errors.");
  if (retryAfter !== undefined && !/^\d{1,9}$/.test(retryAfter))
    return refusePreference(world, "retry-after is a number of seconds.");
  if (status < 400) return performPreferred(perform(), status);
  const slug = error !== undefined && isErrorCode(error) ? error : findCode(status);
  const refusal = buildCatalogueRefusal(world, slug, subject, retryAfter === undefined ? undefined : Number(retryAfter));
  const response = buildForcedErrorResponse(world, refusal, status);
  const applied = [status === contract.errors[slug].status ? formatPreference(slug) : `code=${status}`];
  if (retryAfter !== undefined) applied.push(`retry-after=${retryAfter}`);
  response.headers["preference-applied"] = applied.join(", ");
  return { reply: response, forced: true };
}

/** Returns the preferred status. Returns null without a preferred status, or if it is not the status of the error. */
function readStatus({ code, error }: Preferences): number | null {
  const status = code === undefined ? null : /^[2-5]\d\d$/.test(code) ? Number(code) : null;
  if (error === undefined) return status;
  if (!isErrorCode(error)) return null;
  const own = contract.errors[error].status;
  return code === undefined || status === own ? own : null;
}

/** Performs the operation. A success gets the preferred status. */
function performPreferred(response: ServiceResponse, status: number): PreferredResponse {
  if (response.status >= 400) {
    warn(response, `code=${status} was not applied: the call is refused`);
    return { reply: response, forced: false };
  }
  const serviceResponse = withStatus(response, status);
  serviceResponse.headers["preference-applied"] = `code=${status}`;
  return { reply: serviceResponse, forced: true };
}

function refusePreference(world: World, message: string): PreferredResponse {
  return { reply: buildForcedErrorResponse(world, refuse("bad_request", { message }).refusal), forced: false };
}

function warn(response: ServiceResponse, text: string): void {
  response.headers.warning = `299 counterpart "Prefer: ${text}"`;
}

function readPreferences(header: string): Preferences {
  const preferences: Preferences = { code: undefined, error: undefined, retryAfter: undefined, unknown: [] };
  for (const preference of header.split(",").flatMap((part) => part.trim() || [])) {
    const [name = "", value = ""] = preference.split("=", 2).map((part) => part.trim().replace(/^"(.*)"$/, "$1"));
    if (name.toLowerCase() === "code") preferences.code = value;
    else if (name.toLowerCase() === "error") preferences.error = value;
    else if (name.toLowerCase() === "retry-after") preferences.retryAfter = value;
    else preferences.unknown.push(preference);
  }
  return preferences;
}
