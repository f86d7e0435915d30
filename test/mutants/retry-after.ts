import { changeMatchingResponses, mutantPerValue } from "./family.js";
import { isRefusedByLimit } from "./helpers/responses.js";
import { resetRoute } from "./helpers/routes.js";
import { getKey, type Mutant, withoutHeader, wrapRoute } from "./mutant.js";

/** Mutants that break a clause of RETRY-AFTER-*. */
export const retryAfterMutants: Mutant[] = [
  ...mutantPerValue(
    "RETRY-AFTER-429",
    "kind of limit",
    "leaves Retry-After out at a reached limit (*) instead of sending it",
    (kind) => changeMatchingResponses(isRefusedByLimit(kind), (response) => withoutHeader(response, "retry-after")),
  ),
  ...mutantPerValue(
    "RETRY-AFTER-429",
    "kind of limit",
    "sends a date in Retry-After at a reached limit (*) instead of seconds",
    (kind) =>
      changeMatchingResponses(isRefusedByLimit(kind), (response, _call, { now }) => ({
        ...response,
        headers: { ...response.headers, "retry-after": new Date(now + 60_000).toUTCString() },
      })),
  ),
  ...mutantPerValue(
    "RETRY-AFTER-HELPS",
    "bucketed route",
    "sends a Retry-After that is too short on * instead of the real wait",
    (route) =>
      wrapRoute(
        route,
        changeMatchingResponses(
          ({ status }) => status === 429,
          (response) => ({ ...response, headers: { ...response.headers, "retry-after": "1" } }),
        ),
      ),
  ),
  {
    name: "sends the wait of the key instead of the longer wait of the full bucket",
    breaks: "RETRY-AFTER-HELPS",
    around: wrapRoute(resetRoute, (world, call, perform) => {
      const response = perform(world, call);
      const key = getKey(world, call);
      const window = world.rates[key?.id ?? ""]?.key;
      if (response.status !== 429 || !window || window.used < (key?.requests_per_minute ?? Number.POSITIVE_INFINITY))
        return response;
      const seconds = Math.ceil((window.since + 60_000 - world.now) / 1000);
      return { ...response, headers: { ...response.headers, "retry-after": String(seconds) } };
    }),
  },
  {
    name: "restarts the hour at each refusal instead of letting it end",
    breaks: "RETRY-AFTER-HELPS",
    around: (world, call, perform) => {
      const response = perform(world, call);
      const window = world.spend[getKey(world, call)?.id ?? ""];
      const { code } = (response.body as { error?: { code?: string } } | undefined)?.error ?? {};
      if (window && code === "rate_limit_budget") window.since = world.now;
      return response;
    },
  },
];
