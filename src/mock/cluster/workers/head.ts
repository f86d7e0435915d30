import type { HostName } from "../../http/host-names.js";
import { findOwner, findWorldName, isForEveryWorker } from "./place.js";

/** Returns the index of the worker for a connection by its first bytes; null if every worker can serve it. */
export function findOwnerByHead(host: HostName, head: string, count: number): number | null {
  const [, method = "", url = ""] = /^(\S+) (\S+)/.exec(head) ?? [];
  if (isForEveryWorker(host, method, url)) return null;
  const value = (name: string) => new RegExp(`\\r\\n${name}:[ \\t]*([^\\r\\n]*)`, "i").exec(head)?.[1];
  return findOwner(findWorldName({ host, url, authorization: value("authorization"), cookie: value("cookie") }), count);
}
