import { isRecord } from "../scenario/interpolate.js";

/** Environment variables that a server's description of itself may name: those that are there for it. */
const OURS = /^COUNTERPART_/;
const LOCAL = /^(localhost|127(\.\d+){3}|0\.0\.0\.0|\[::1?\])$/;

/**
 * What in a server's description of itself goes beyond what a server may say: it names no command of this machine, no variable of ours, and no
 * other host. A target file of the user's own may name all of these.
 */
export function overreach(description: unknown, address: string): string[] {
  return [...new Set(found(description, new URL(address).hostname))];
}

function found(value: unknown, host: string): string[] {
  if (typeof value === "string")
    return /^([A-Z]+ )?https?:\/\//.test(value) && !isOn(host, value) ? [`the address ${value.replace(/^[A-Z]+ /, "")}`] : [];
  if (Array.isArray(value)) return value.flatMap((item) => found(item, host));
  if (!isRecord(value)) return [];
  const { command, env } = value;
  return [
    ...(Array.isArray(command) ? [`the command ${command.join(" ").slice(0, 60)}`] : []),
    ...(typeof env === "string" && !OURS.test(env) ? [`the environment variable ${env}`] : []),
    ...Object.values(value).flatMap((item) => found(item, host)),
  ];
}

function isOn(host: string, address: string): boolean {
  const url = address.replace(/^[A-Z]+ /, "");
  if (!URL.canParse(url)) return false;
  const { hostname } = new URL(url);
  return hostname === host || (LOCAL.test(hostname) && LOCAL.test(host));
}
