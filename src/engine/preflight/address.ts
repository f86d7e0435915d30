import { type Failure, readBodyText, type WireResponse } from "../http/exchange.js";
import { findListeningFailure } from "../http/listening.js";
import {
  describeResponse,
  formatRequestName,
  isOfService,
  type PreflightContext,
  probe,
  readRequest,
  type Stop,
} from "./probe.js";

/** Returns a stop if the service does not answer at the address of the API host. Sends no key, because another party may own the address. */
export async function checkAddress(context: PreflightContext): Promise<Stop | undefined> {
  const { run, rules } = context;
  const { api } = run.target.urls;
  const { reads } = rules.preflight;
  const responses: string[] = [];
  for (const path of reads) {
    const request = readRequest(api, path);
    const result = await probe(run, request);
    if ("stop" in result) return result.stop;
    if ("failure" in result) return (await tryOtherScheme(context)) ?? createUnreachableStop(api, result.failure);
    const { response } = result;
    if (isOfService(rules.preflight, response) || requiresKey(response)) return undefined;
    const stopElsewhere = redirectStop(api, formatRequestName(request), response);
    if (stopElsewhere) return stopElsewhere;
    responses.push(`${formatRequestName(request)} answered ${describeResponse(rules.answers, response)}`);
    if (response.status >= 500 && path === reads.at(-1))
      return { exitCode: 3, why: `The server is broken, or it is not the service: ${responses.join("; ")}.` };
  }
  const otherStop = await tryOtherScheme(context);
  return otherStop ?? { exitCode: 2, why: `${responses[0]}, which is not the service: ${await findHint(context)}.` };
}

/** Returns a stop if no response comes from the address of the API host. Sends no key. */
export async function checkReachable(context: PreflightContext): Promise<Stop | undefined> {
  const { run, rules } = context;
  const { api } = run.target.urls;
  const result = await probe(run, readRequest(api, rules.preflight.reads[0]));
  return "failure" in result ? ((await tryOtherScheme(context)) ?? createUnreachableStop(api, result.failure)) : undefined;
}

/**
 * Returns why no server can be reached at an address, as a message of the preflight; undefined if a server listens there. Sends
 * no request.
 */
export async function checkListening(api: string): Promise<string | undefined> {
  const failure = await findListeningFailure(api);
  return failure && createUnreachableStop(api, failure).why;
}

/** Returns whether an API refuses a request without a key. Excludes HTML pages and Basic authentication. Scenarios judge the refusal. */
function requiresKey(response: WireResponse): boolean {
  const { status, headers } = response;
  if (status !== 401 || /^basic/i.test(headers["www-authenticate"] ?? "")) return false;
  return !readBodyText(response).trimStart().startsWith("<");
}

function redirectStop(api: string, name: string, { status, headers }: WireResponse): Stop | undefined {
  const to = headers.location;
  if (status < 300 || status > 399 || to === undefined || !URL.canParse(to, api)) return undefined;
  const { origin } = new URL(to, api);
  const advice =
    origin === new URL(api).origin ? "the API host must answer this request itself" : `if that is the API host, use ${origin}`;
  return {
    exitCode: 2,
    why: `${name} answered ${status} with a redirect to ${new URL(to, api).href}. The runner does not follow redirects, to protect the key: ${advice}.`,
  };
}

/** Returns a stop if the server uses http where the address says https, or https where it says http. */
async function tryOtherScheme({ run, rules }: PreflightContext): Promise<Stop | undefined> {
  const { api } = run.target.urls;
  const [given, other] = api.startsWith("https:") ? ["https", "http"] : ["http", "https"];
  const address = api.replace(given, other);
  const { response, failure } = await run.wire.send(readRequest(address, rules.preflight.reads[0]), run.signal);
  // an untrusted certificate also shows that the server uses TLS
  const isAnswering = (response && isOfService(rules.preflight, response)) || (other === "https" && failure?.kind === "tls");
  return isAnswering ? { exitCode: 2, why: `${api} speaks ${other}, not ${given}: give ${address}.` } : undefined;
}

function createUnreachableStop(api: string, { kind, message }: Failure): Stop {
  const why = `${api} cannot be examined: ${message}.`;
  switch (kind) {
    case "refused":
    case "dns":
      return { exitCode: 4, why: `${why} Start the server, or give another address.` };
    case "tls":
    case "no-tls":
      return {
        exitCode: 4,
        why: `${why} If you trust the certificate, set NODE_EXTRA_CA_CERTS to the certificate file of its authority.`,
      };
    case "timeout":
      return { exitCode: 3, why: `${why} If the server is slow, increase timing.request_timeout_s in the target file.` };
    case "reset":
    case "too-large":
    case "protocol":
    case "aborted":
    case "withheld":
      return { exitCode: 3, why };
    default:
      return kind satisfies never;
  }
}

/** Returns advice to give a shorter address: one where the service answers, otherwise one without the base path. */
async function findHint(context: PreflightContext): Promise<string> {
  const { basePath } = context.rules.preflight;
  return (await adviseShorterAddress(context)) ?? `give the address of the API host, without ${basePath}`;
}

/** Returns the advice to remove the path of the address, if the service answers without it. With a `key`, the service must answer 200. */
export async function adviseShorterAddress({ run, rules }: PreflightContext, key?: string): Promise<string | undefined> {
  const { api } = run.target.urls;
  const { basePath, reads } = rules.preflight;
  const { origin, pathname } = new URL(api);
  const plain = api.endsWith(basePath) ? api.slice(0, -basePath.length) : api;
  const shorter = [...new Set([plain, origin])].filter((address) => address !== api);
  for (const address of shorter) {
    const { response } = await run.wire.send(readRequest(address, reads[0], key), run.signal);
    if (response && (key === undefined ? isOfService(rules.preflight, response) : response.status === 200))
      return `the service is at ${address}: give this address, without ${pathname}`;
  }
  return undefined;
}
