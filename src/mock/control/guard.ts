import { timingSafeEqual } from "node:crypto";
import { isAddress, isAllowed, isLoopback, readHostName } from "../../common/origins.js";
import type { MockContext } from "../context.js";
import type { IncomingMessage } from "../http/messages.js";

/** Why a request may not use the control plane, as a status and a sentence. */
export interface AccessProblem {
  status: 401 | 403;
  problem: string;
}

/**
 * Returns why a request may not use the control plane, or null. The request must come from this machine or from a page of the mock. If the
 * mock has an admin token, the request must send it.
 */
export function findAccessProblem(context: MockContext, request: IncomingMessage): AccessProblem | null {
  const problem = findOriginProblem(context, request);
  if (problem) return problem;
  const { headers } = request;
  if (context.adminToken === null || isEqual(headers.authorization ?? "", `Bearer ${context.adminToken}`)) return null;
  return { status: 401, problem: "Send the admin token that the mock was started with: Authorization: Bearer <token>." };
}

/**
 * Returns why a request may come from another site, or null: its Host header does not name this mock, or a page of another origin sent it.
 */
export function findOriginProblem(context: MockContext, { headers }: IncomingMessage): AccessProblem | null {
  if (!isOwnHost(context, headers.host)) return { status: 403, problem: "The Host header does not name this mock." };
  // a page of this address is the console, under any accepted name of the mock
  if (headers.origin === undefined || headers.origin === `http://${headers.host}` || isOwnOrigin(context, headers.origin))
    return null;
  return { status: 403, problem: "Pages of another origin may not use the control plane." };
}

/**
 * Returns whether a Host header names this mock. A mock on all interfaces accepts every IP address, because DNS rebinding cannot use one.
 * An allowed name is accepted too; `*` is accepted only if the mock has an admin token.
 */
function isOwnHost({ host, allowHosts, publicNames, adminToken }: MockContext, header: string | undefined): boolean {
  if (header === undefined) return false;
  const name = readHostName(header);
  const isEveryInterface = host === "0.0.0.0" || host === "::";
  const allowed = adminToken === null ? allowHosts.filter((allowHost) => allowHost !== "*") : allowHosts;
  return (
    isLoopback(name) || name === host || (isEveryInterface && isAddress(name)) || isAllowed([...allowed, ...publicNames], header)
  );
}

function isOwnOrigin({ addresses }: MockContext, origin: string): boolean {
  return [addresses.api_url, addresses.app_url, addresses.docs_url].some((url) => {
    const { origin: own, hostname, port } = new URL(url);
    return origin === own || (isLoopback(hostname) && origin === `http://localhost:${port}`);
  });
}

function isEqual(given: string, wanted: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(wanted)];
  return a.length === b.length && timingSafeEqual(a, b);
}
