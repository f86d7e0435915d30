import { acceptListed, findOptionsProblem, type OptionKinds } from "../../common/option-kinds.js";
import { formatProblem } from "../../common/problem.js";
import type { MockContext } from "../context.js";
import type { HostName } from "../http/host-names.js";
import type { WorldEntry } from "../worlds/worlds.js";
import type { Destination } from "./carry.js";
import { createFetch } from "./fetch.js";
import { createInterceptor, interceptGlobally, requireDispatchers } from "./intercept.js";
import { findOtherRuntime, interceptFetch } from "./intercept-fetch.js";
import type { InProcess, Interception, InterceptOptions } from "./interception.js";

/**
 * Returns the in-process API of a world: requests without a connection. A credential without the name of another world selects this world.
 */
export function createInProcessApi(context: MockContext, worldEntry: WorldEntry): InProcess {
  const seen = { ...context, worlds: { ...context.worlds, default: worldEntry } };
  const places = hostNames.map((name) => ({ name, ...readPlace(context, name) }));
  const route = ({ origin, pathname }: URL): Destination => {
    requireWorld(context, worldEntry);
    // any other address means the API host of the service
    const { name, host } = places.find((place) => place.origin === origin) ?? { name: "api", ...readPlace(context, "api") };
    const at = pathname.startsWith("/__mock") ? context : seen;
    return { host, serve: (request, response) => context.serve(name, at, request, response) };
  };
  const own = places.map(({ origin }) => origin);
  const listOrigins = (url: string | URL) => [readOrigin(url), ...own];
  const response = createFetch(route, context.addresses.api_url);
  const intercept = (url: string | URL, options: InterceptOptions = {}) => {
    checkOptions(options);
    return findOtherRuntime()
      ? interceptFetch(response, listOrigins(url), options)
      : interceptGlobally(createInterceptor(route, listOrigins(url), options));
  };
  return {
    fetch: response,
    interceptor(url, options = {}) {
      requireDispatchers();
      checkOptions(options);
      return createInterceptor(route, listOrigins(url), options);
    },
    intercept: (url, options) => noteInterception(context, worldEntry, intercept(url, options)),
  };
}

/** Ends the interceptions of requests for a world, or for all worlds. */
export function endInterceptions({ interceptions }: MockContext, worldEntry?: WorldEntry): void {
  for (const [interception, of] of interceptions) if (!worldEntry || of === worldEntry.id) interception.restore();
}

/** Throws if the world was deleted or its mock was closed: a client must not get answers that no later check can see. */
export function requireWorld({ isClosed, worlds }: MockContext, worldEntry: WorldEntry): void {
  if (isClosed) throw new Error("The mock was closed. Start another one.");
  if (worldEntry !== worlds.default && worlds.byId.get(worldEntry.id) !== worldEntry)
    throw new Error(`The world '${worldEntry.id}' was deleted.`);
}

/** Validates the options of an interception. With a mistake, requests would reach the real host. */
const interceptKinds: OptionKinds = { others: acceptListed(["pass", "refuse"]) };

function checkOptions(options: InterceptOptions): void {
  const problem = findOptionsProblem(options, interceptKinds);
  if (problem) throw new Error(formatProblem(problem));
}

/** Returns the origin of an http or https address. Throws an error with a sentence for any other value. */
function readOrigin(url: unknown): string {
  const text = typeof url === "string" || url instanceof URL ? String(url) : "";
  if (URL.canParse(text) && /^https?:/i.test(text)) return new URL(text).origin;
  throw new Error("intercept: the url is not valid. Use an http or https address, such as https://api.example.com.");
}

const hostNames: HostName[] = ["api", "app", "docs"];

function readPlace({ addresses }: MockContext, name: HostName): Pick<URL, "origin" | "host"> {
  const { origin, host } = new URL(addresses[`${name}_url`]);
  return { origin, host };
}

function noteInterception({ interceptions }: MockContext, worldEntry: WorldEntry, { restore: end }: Interception): Interception {
  const restore = () => {
    end();
    interceptions.delete(interception);
  };
  const interception = { restore, [Symbol.dispose]: restore };
  interceptions.set(interception, worldEntry.id);
  return interception;
}
