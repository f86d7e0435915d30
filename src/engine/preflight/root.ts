import type { Wire } from "../http/rest.js";
import { isOfService, readRequest } from "./probe.js";
import type { PreflightRules } from "./rules.js";

/**
 * Removes the base path of the routes from the address of an API host, if the service answers at the shorter address.
 * Sends requests only if the address ends in the base path. Without a key a service may answer 401 on every path. So it also sends the key, if there is one.
 */
export async function tryWithoutBasePath(
  { preflight: rules }: { preflight: PreflightRules },
  wire: Pick<Wire, "send">,
  given: string,
  key?: string,
): Promise<{ address: string; corrections?: string[] }> {
  const address = given.replace(/(?<!\/)\/+$/, "");
  if (!address.endsWith(rules.basePath)) return { address };
  const isService = await isThere(rules, wire, address); // only the service receives the key
  if (isService && key !== undefined && (await isThere(rules, wire, address, key))) return { address };
  const shorter = address.slice(0, -rules.basePath.length);
  if (!(await isThere(rules, wire, shorter))) return { address };
  return { address: shorter, corrections: [`the address of the API host must not end in ${rules.basePath}: using ${shorter}`] };
}

async function isThere(rules: PreflightRules, wire: Pick<Wire, "send">, address: string, key?: string): Promise<boolean> {
  const { response } = await wire.send(readRequest(address, rules.reads[0], key));
  return response !== undefined && (key === undefined ? isOfService(rules, response) : response.status === 200);
}
