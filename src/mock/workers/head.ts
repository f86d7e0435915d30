import type { HostName } from "../host-names.js";
import { ownerOf, worldAsked } from "./place.js";

/** Which of so many workers a connection is best handed to, by the first bytes on it. Whoever gets it sees to what else comes. */
export function guessOwner(host: HostName, head: string, count: number): number {
  const [, url = ""] = /^\S+ (\S+)/.exec(head) ?? [];
  const value = (name: string) => new RegExp(`\\r\\n${name}:[ \\t]*([^\\r\\n]*)`, "i").exec(head)?.[1];
  return ownerOf(worldAsked({ host, url, authorization: value("authorization"), cookie: value("cookie") }), count);
}
