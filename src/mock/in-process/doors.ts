import { type HostName, hosts } from "../hosts.js";
import type { Site } from "../site.js";
import type { HostedWorld } from "../worlds.js";
import type { Destination } from "./carry.js";
import { fetchBy } from "./fetch.js";
import { interceptGlobally, interceptorFor } from "./intercept.js";
import type { InProcess, Interception } from "./interception.js";

/** The ways to a world that need no connection. Whatever names no other world by its credential is meant for this one. */
export function doorsOf(site: Site, hosted: HostedWorld): InProcess {
  const seen = { ...site, worlds: { ...site.worlds, default: hosted } };
  const route = (url: URL): Destination => {
    const name = hostAt(site, url);
    const { host } = new URL(site.addresses[`${name}_url`]);
    const at = url.pathname.startsWith("/__mock") ? site : seen;
    return { host, serve: (request, response) => hosts[name](at, request, response) };
  };
  const own = hostNames.map((name) => site.addresses[`${name}_url`]);
  const interceptor: InProcess["interceptor"] = (url, options = {}) =>
    interceptorFor(route, [new URL(url).origin, ...own], options);
  return {
    fetch: fetchBy(route, site.addresses.api_url),
    interceptor,
    intercept: (url, options) => noteInterception(site, hosted, interceptGlobally(interceptor(url, options))),
  };
}

/** Ends what still intercepts requests for a world, or for any. */
export function endInterceptions({ interceptions }: Site, hosted?: HostedWorld): void {
  for (const [interception, of] of interceptions) if (!hosted || of === hosted.id) interception.restore();
}

const hostNames: HostName[] = ["api", "app", "docs"];

/** The host that has this address; whatever is none of them stands for the service's API host. */
function hostAt({ addresses }: Site, { origin }: URL): HostName {
  return hostNames.find((name) => addresses[`${name}_url`] === origin) ?? "api";
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
