import { contract } from "../../contract/load.js";
import type { ServiceResponse } from "../../service/call.js";
import type { VariationFunction } from "./variation.js";

type ErrorFields = Record<string, unknown>;

const moreWords = "This message is long on purpose. ".repeat(60);

/** Replaces a code that only the mock uses. A code of the contract stays. */
export const renameCode: VariationFunction = (response, { route }) => {
  const { code } = response.rule;
  const isOurs =
    code !== null && (!contract.errors[code].shown || (code === "service_unavailable" && route === "POST /api/repos"));
  return isOurs
    ? setErrorFields(response, (error) => (error.code === code ? { ...error, code: code.replaceAll("_", "-") } : error))
    : null;
};

/** A long message with special characters. */
export const stretchMessage: VariationFunction = (response) =>
  setErrorFields(response, (error) => ({ ...error, message: `⚠ ${String(error.message)} ⚠ ${moreWords}` }));

/** Moves the additional fields of an error to another place. */
export const moveDetails: VariationFunction = (response, { surface }, dice) => {
  const { error } = (response.body ?? {}) as { error?: ErrorFields };
  if (response.status < 400 || !error) return null;
  const atTop = dice.happens(2);
  const { errors, required_features: features } = error;
  if (Array.isArray(features))
    return setErrorFields(response, (fields) => ({ ...fields, required_features: features.join(" ") }));
  if (Array.isArray(errors) && surface === "rest") {
    const { errors: _, ...rest } = error;
    const body = atTop ? { error: rest, errors } : { error: { ...rest, details: { errors } } };
    return { ...response, body };
  }
  if (response.rule.code !== "repo_already_registered") return null;
  const { details, message, ...rest } = error;
  const { repo_name } = details as { repo_name: string };
  return atTop
    ? { ...response, body: { error: { ...rest, message }, repo_name } }
    : { ...response, body: { error: { ...rest, message: `${String(message)} It is ${repo_name}.` } } };
};

/** 405 without `Allow`, and the 401 of the tool server without a challenge. */
export const dropHeaders: VariationFunction = (response) => {
  const { allow, "www-authenticate": challenge, ...headers } = response.headers;
  return (response.status === 405 && allow !== undefined) || challenge !== undefined ? { ...response, headers } : null;
};

/** A longer Retry-After than needed. */
export const delayRetry: VariationFunction = (response, _, dice) => {
  const { "retry-after": seconds } = response.headers;
  if (seconds === undefined) return null;
  const longer = Number(seconds) + (dice.pick([1, 2]) ?? 1);
  const delayedServiceResponse =
    setErrorFields(response, (error) => ("retry_after" in error ? { ...error, retry_after: longer } : error)) ?? response;
  return { ...delayedServiceResponse, headers: { ...response.headers, "retry-after": String(longer) } };
};

/** Returns the reply with another error object; null if it has none or nothing changes. */
function setErrorFields(response: ServiceResponse, change: (error: ErrorFields) => ErrorFields): ServiceResponse | null {
  const { error } = (response.body ?? {}) as { error?: ErrorFields };
  if (response.status < 400 || !error) return null;
  const errorFields = change(error);
  return errorFields === error ? null : { ...response, body: { ...(response.body as object), error: errorFields } };
}
