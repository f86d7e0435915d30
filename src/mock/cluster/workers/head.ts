import type { HostName } from "../../http/host-names.js";
import { isForEveryWorker, ownerOf, worldAsked } from "./place.js";

/** Returns the index of the worker that a connection is best handed to, by the first bytes on it; null when every worker can serve it. */
export function guessOwner(host: HostName, head: string, count: number): number | null {
  const [, method = "", url = ""] = /^(\S+) (\S+)/.exec(head) ?? [];
  if (isForEveryWorker(host, method, url)) return null;
  const value = (name: string) => new RegExp(`\\r\\n${name}:[ \\t]*([^\\r\\n]*)`, "i").exec(head)?.[1];
  return ownerOf(worldAsked({ host, url, authorization: value("authorization"), cookie: value("cookie") }), count);
}
