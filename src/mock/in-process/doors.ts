import type { HostName } from "../host-names.js";
import { serveHost } from "../hosts.js";
import type { Site } from "../site.js";
import type { HostedWorld } from "../worlds.js";
import type { Destination } from "./carry.js";
import { fetchBy } from "./fetch.js";
import { interceptGlobally, interceptorFor, requireDispatchers } from "./intercept.js";
import { interceptFetch, otherRuntime } from "./intercept-fetch.js";
import type { InProcess, Interception, InterceptOptions } from "./interception.js";

/** The ways to a world that need no connection. Whatever names no other world by its credential is meant for this one. */
export function doorsOf(site: Site, hosted: HostedWorld): InProcess {
  const seen = { ...site, worlds: { ...site.worlds, default: hosted } };
  const places = hostNames.map((name) => ({ name, ...placeOf(site, name) }));
  const route = ({ origin, pathname }: URL): Destination => {
    // whatever is no address of the mock's own stands for the service's API host
    const { name, host } = places.find((place) => place.origin === origin) ?? { name: "api", ...placeOf(site, "api") };
    const at = pathname.startsWith("/__mock") ? site : seen;
    return { host, serve: (request, response) => serveHost(name, at, request, response) };
  };
  const own = places.map(({ origin }) => origin);
  const originsOf = (url: string | URL) => [new URL(url).origin, ...own];
  const answer = fetchBy(route, site.addresses.api_url);
  const intercept = (url: string | URL, options: InterceptOptions = {}) =>
    otherRuntime()
      ? interceptFetch(answer, originsOf(url), options)
      : interceptGlobally(interceptorFor(route, originsOf(url), options));
  return {
    fetch: answer,
    interceptor(url, options = {}) {
      requireDispatchers();
      return interceptorFor(route, originsOf(url), options);
    },
    intercept: (url, options) => noteInterception(site, hosted, intercept(url, options)),
  };
}

/** Ends what still intercepts requests for a world, or for any. */
export function endInterceptions({ interceptions }: Site, hosted?: HostedWorld): void {
  for (const [interception, of] of interceptions) if (!hosted || of === hosted.id) interception.restore();
}

const hostNames: HostName[] = ["api", "app", "docs"];

function placeOf({ addresses }: Site, name: HostName): Pick<URL, "origin" | "host"> {
  const { origin, host } = new URL(addresses[`${name}_url`]);
  return { origin, host };
}

function noteInterception({ interceptions }: Site, hosted: HostedWorld, { restore: end }: Interception): Interception {
  const restore = () => {
    end();
    interceptions.delete(interception);
  };
  const interception = { restore, [Symbol.dispose]: restore };
  interceptions.set(interception, hosted.id);
  return interception;
}
