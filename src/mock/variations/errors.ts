import { contract } from "../../contract/load.js";
import type { Reply } from "../../service/call.js";
import type { Vary } from "./variation.js";

type ErrorFields = Record<string, unknown>;

const moreWords = "This message is long on purpose. ".repeat(60);

/** Replaces a code that only the mock uses. A code of the contract stays. */
export const renameCode: Vary = (reply, { route }) => {
  const { code } = reply.rule;
  const isOurs =
    code !== null && (!contract.errors[code].shown || (code === "service_unavailable" && route === "POST /api/repos"));
  return isOurs
    ? withError(reply, (error) => (error.code === code ? { ...error, code: code.replaceAll("_", "-") } : error))
    : null;
};

/** A long message with special characters. */
export const stretchMessage: Vary = (reply) =>
  withError(reply, (error) => ({ ...error, message: `⚠ ${String(error.message)} ⚠ ${moreWords}` }));

/** Moves the additional fields of an error to another place. */
export const moveDetails: Vary = (reply, { surface }, dice) => {
  const { error } = (reply.body ?? {}) as { error?: ErrorFields };
  if (reply.status < 400 || !error) return null;
  const atTop = dice.happens(2);
  const { errors, required_features: features } = error;
  if (Array.isArray(features)) return withError(reply, (fields) => ({ ...fields, required_features: features.join(" ") }));
  if (Array.isArray(errors) && surface === "rest") {
    const { errors: _, ...rest } = error;
    const body = atTop ? { error: rest, errors } : { error: { ...rest, details: { errors } } };
    return { ...reply, body };
  }
  if (reply.rule.code !== "repo_already_registered") return null;
  const { details, message, ...rest } = error;
  const { repo_name } = details as { repo_name: string };
  return atTop
    ? { ...reply, body: { error: { ...rest, message }, repo_name } }
    : { ...reply, body: { error: { ...rest, message: `${String(message)} It is ${repo_name}.` } } };
};

/** 405 without `Allow`, and the 401 of the tool server without a challenge. */
export const dropHeaders: Vary = (reply) => {
  const { allow, "www-authenticate": challenge, ...headers } = reply.headers;
  return (reply.status === 405 && allow !== undefined) || challenge !== undefined ? { ...reply, headers } : null;
};

/** A longer Retry-After than needed. */
export const delayRetry: Vary = (reply, _, dice) => {
  const { "retry-after": seconds } = reply.headers;
  if (seconds === undefined) return null;
  const longer = Number(seconds) + (dice.pick([1, 2]) ?? 1);
  const delayed = withError(reply, (error) => ("retry_after" in error ? { ...error, retry_after: longer } : error)) ?? reply;
  return { ...delayed, headers: { ...reply.headers, "retry-after": String(longer) } };
};

/** Returns the reply with another error object; null if it has none or nothing changes. */
function withError(reply: Reply, change: (error: ErrorFields) => ErrorFields): Reply | null {
  const { error } = (reply.body ?? {}) as { error?: ErrorFields };
  if (reply.status < 400 || !error) return null;
  const changed = change(error);
  return changed === error ? null : { ...reply, body: { ...(reply.body as object), error: changed } };
}
