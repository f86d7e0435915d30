import { isRecord } from "../scenario/interpolate.js";

const LOCAL = /^(localhost|127(\.\d+){3}|0\.0\.0\.0|\[::1?\])$/;

/**
 * What in a server's description of itself goes beyond what a server may say: it names no command and no variable of this machine, no other
 * host, and no other port of its own but those that the user allows, where something else may listen. A target file of the user's own may
 * name all of these.
 */
export function forbiddenReferences(description: unknown, address: string, ports: readonly number[]): string[] {
  const own = new URL(address);
  return [...new Set(found(description, (url) => isOn(own, url, ports)))];
}

function found(value: unknown, isOwn: (url: string) => boolean): string[] {
  if (typeof value === "string") {
    const url = value.replace(/^[A-Z]+ +/i, "");
    return /^[a-z][a-z0-9+.-]*:\/\//i.test(url) && !isOwn(url) ? [`the address ${url.slice(0, 200)}`] : [];
  }
  if (Array.isArray(value)) return value.flatMap((item) => found(item, isOwn));
  if (!isRecord(value)) return [];
  const { command, env } = value;
  return [
    ...(Array.isArray(command) ? [`the command ${command.join(" ").slice(0, 60)}`] : []),
    ...(typeof env === "string" ? [`the environment variable ${env}`] : []),
    ...Object.values(value).flatMap((item) => found(item, isOwn)),
  ];
}

function isOn(own: URL, address: string, ports: readonly number[]): boolean {
  if (!URL.canParse(address)) return false;
  const url = new URL(address);
  const isHost = url.hostname === own.hostname || (LOCAL.test(url.hostname) && LOCAL.test(own.hostname));
  return isHost && (portOf(url) === portOf(own) || ports.includes(portOf(url)));
}

function portOf({ port, protocol }: URL): number {
  return port === "" ? (protocol === "https:" ? 443 : 80) : Number(port);
}
