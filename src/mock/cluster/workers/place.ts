import { type HostName, otherHost } from "../../http/host-names.js";
import { readSessionCookie, readWorldName } from "../../worlds/credential.js";

/** The parts of a request that show its world. */
export interface RequestHead {
  host: HostName;
  /** Request target of the request line. */
  url: string;
  authorization: string | undefined;
  cookie: string | undefined;
}

/** The worker that owns the default world and answers for the whole mock. */
export const firstWorker = 0;

/** The name of the default world. */
export const defaultWorld = "default";

/** Returns the name of the world of a request. This is the default world if the request names none or concerns the whole mock. */
export function findWorldName({ host, url, authorization, cookie }: RequestHead): string {
  const path = readPath(url);
  const other = host === "api" ? otherHost.exec(path)?.[1] : undefined;
  const hostName = (other as HostName | undefined) ?? host;
  if (hostName === "docs") return defaultWorld;
  if (hostName === "api" && isControl(path)) return /^\/__mock\/worlds\/([^/]+)/.exec(path)?.[1] ?? defaultWorld;
  return readWorldName(authorization, hostName === "app" ? readSessionCookie(cookie) : undefined) || defaultWorld;
}

/** Returns whether a path of the API host belongs to the control plane. */
export function isControl(path: string): boolean {
  return /^\/__mock(?![^/?])/.test(path);
}

/** Returns whether every worker can answer a request: health and the list of worlds do not depend on the first worker. */
export function isForEveryWorker(host: HostName, method: string, url: string): boolean {
  return host === "api" && /^(GET|HEAD)$/.test(method) && /^\/__mock\/(health|worlds)$/.test(readPath(url));
}

/** Returns the number of the worker that owns a world. It depends only on the name. */
export function findOwner(world: string, count: number): number {
  if (world === defaultWorld) return firstWorker;
  // FNV-1a, with the upper bits mixed in
  let hash = 0x811c9dc5;
  for (let i = 0; i < world.length; i++) hash = Math.imul(hash ^ world.charCodeAt(i), 0x01000193);
  return ((hash ^ (hash >>> 15)) >>> 0) % count;
}

/** Returns the path of a request target. */
function readPath(url: string): string {
  return /^(?:https?:\/\/[^/?]*)?([^?]*)/i.exec(url)?.[1] ?? "";
}
