import { isRecord } from "../scenario/interpolate.js";

const LOCAL_HOST = /^(localhost|127(\.\d+){3}|0\.0\.0\.0|\[::1?\])$/;

/**
 * Returns what a server's description of itself must not contain: commands, environment variables, addresses of other hosts, and ports of the same host
 * that the user does not allow, and a claim. A target file that the user wrote may contain all of these.
 */
export function findForbiddenReferences(description: unknown, address: string, ports: readonly number[]): string[] {
  const ownUrl = new URL(address);
  const claim = [description].flat().some((one) => isRecord(one) && "claim" in one) ? ["a claim"] : [];
  return [...new Set([...listReferences(description, (url) => isOn(ownUrl, url, ports)), ...claim])];
}

function listReferences(value: unknown, isOwn: (url: string) => boolean): string[] {
  if (typeof value === "string") {
    const url = value.replace(/^[A-Z]+ +/i, "");
    return /^[a-z][a-z0-9+.-]*:\/\//i.test(url) && !isOwn(url) ? [`the address ${url.slice(0, 200)}`] : [];
  }
  if (Array.isArray(value)) return value.flatMap((item) => listReferences(item, isOwn));
  if (!isRecord(value)) return [];
  const { command, env } = value;
  return [
    ...(Array.isArray(command) ? [`the command ${command.join(" ").slice(0, 60)}`] : []),
    ...(typeof env === "string" ? [`the environment variable ${env}`] : []),
    ...Object.values(value).flatMap((item) => listReferences(item, isOwn)),
  ];
}

function isOn(ownUrl: URL, address: string, ports: readonly number[]): boolean {
  if (!URL.canParse(address)) return false;
  const url = new URL(address);
  const isHost = url.hostname === ownUrl.hostname || (LOCAL_HOST.test(url.hostname) && LOCAL_HOST.test(ownUrl.hostname));
  return isHost && (readPort(url) === readPort(ownUrl) || ports.includes(readPort(url)));
}

function readPort({ port, protocol }: URL): number {
  return port === "" ? (protocol === "https:" ? 443 : 80) : Number(port);
}
