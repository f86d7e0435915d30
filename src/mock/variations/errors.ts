import { contract } from "../../contract/load.js";
import type { Reply } from "../../service/call.js";
import type { Vary } from "./variation.js";

type ErrorFields = Record<string, unknown>;

const moreWords = "More could be said of this, and at some length. ".repeat(60);

/** A code of our own becomes another word; one that the text names stays. */
export const renameCode: Vary = (reply, { route }) => {
  const { code } = reply.rule;
  const isOurs =
    code !== null && (!contract.errors[code].shown || (code === "service_unavailable" && route === "POST /api/repos"));
  return isOurs
    ? withError(reply, (error) => (error.code === code ? { ...error, code: code.replaceAll("_", "-") } : error))
    : null;
};

/** A message that is long, and not of plain letters. */
export const stretchMessage: Vary = (reply) =>
  withError(reply, (error) => ({ ...error, message: `⚠ ${String(error.message)} ⚠ ${moreWords}` }));

/** What an error adds stands elsewhere. */
export const moveDetails: Vary = (reply, { surface }, dice) => {
  const { error } = (reply.body ?? {}) as { error?: ErrorFields };
  if (reply.status < 400 || !error) return null;
  const atTop = dice.falls(2);
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

/** A wait that is a little longer than needed. */
export const delayRetry: Vary = (reply, _, dice) => {
  const { "retry-after": seconds } = reply.headers;
  if (seconds === undefined) return null;
  const longer = Number(seconds) + (dice.pick([1, 2]) ?? 1);
  const delayed = withError(reply, (error) => ("retry_after" in error ? { ...error, retry_after: longer } : error)) ?? reply;
  return { ...delayed, headers: { ...reply.headers, "retry-after": String(longer) } };
};

/** The reply with another error object; null where it has none, or the same. */
function withError(reply: Reply, change: (error: ErrorFields) => ErrorFields): Reply | null {
  const { error } = (reply.body ?? {}) as { error?: ErrorFields };
  if (reply.status < 400 || !error) return null;
  const changed = change(error);
  return changed === error ? null : { ...reply, body: { ...(reply.body as object), error: changed } };
}
