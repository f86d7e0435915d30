import { bodyText, type Failure, type WireResponse } from "../http/exchange.js";
import { describeAnswer, isOfService, nameOf, type PreflightContext, probe, readRequest, type Stop } from "./probe.js";

/** Whether the service answers at the address of its API host. Sends no credential: the address may be anybody's. */
export async function checkAddress(context: PreflightContext): Promise<Stop | undefined> {
  const { run, rules } = context;
  const { api } = run.target.urls;
  const { reads } = rules.preflight;
  const heard: string[] = [];
  for (const path of reads) {
    const request = readRequest(api, path);
    const result = await probe(run, request);
    if ("stop" in result) return result.stop;
    if ("failure" in result) return (await otherScheme(context)) ?? unreachable(api, result.failure);
    const { response } = result;
    if (isOfService(rules.preflight, response) || asksForKey(response)) return undefined;
    const elsewhere = redirected(api, nameOf(request), response);
    if (elsewhere) return elsewhere;
    heard.push(`${nameOf(request)} answered ${describeAnswer(rules.answers, response)}`);
    if (response.status >= 500 && path === reads.at(-1))
      return { exitCode: 3, why: `The server is out of order, or it is not the service: ${heard.join("; ")}.` };
  }
  const other = await otherScheme(context);
  return other ?? { exitCode: 2, why: `${heard[0]}, which is not the service: ${await hint(context)}.` };
}

/** Whether somebody without a key is turned away, if not in the words of the service: those words are what is examined. */
function asksForKey(response: WireResponse): boolean {
  const { status, headers } = response;
  if (status !== 401 || /^basic/i.test(headers["www-authenticate"] ?? "")) return false;
  return !bodyText(response).trimStart().startsWith("<");
}

function redirected(api: string, name: string, { status, headers }: WireResponse): Stop | undefined {
  const to = headers.location;
  if (status < 300 || status > 399 || to === undefined || !URL.canParse(to, api)) return undefined;
  const { origin } = new URL(to, api);
  const advice = origin === new URL(api).origin ? "the API host answers there itself" : `if that is the API host, give ${origin}`;
  return {
    exitCode: 2,
    why: `${name} answered ${status} to ${new URL(to, api).href}; redirects are not followed, for the sake of the key: ${advice}.`,
  };
}

/** Whether the other of http and https is spoken at this address. */
async function otherScheme({ run, rules }: PreflightContext): Promise<Stop | undefined> {
  const { api } = run.target.urls;
  const [spoken, other] = api.startsWith("https:") ? ["https", "http"] : ["http", "https"];
  const address = api.replace(spoken, other);
  const { response, failure } = await run.wire.send(readRequest(address, rules.preflight.reads[0]), run.signal);
  // a certificate that is not trusted is one all the same
  const speaks = (response && isOfService(rules.preflight, response)) || (other === "https" && failure?.kind === "tls");
  return speaks ? { exitCode: 2, why: `${api} speaks ${other}, not ${spoken}: give ${address}.` } : undefined;
}

function unreachable(api: string, { kind, message }: Failure): Stop {
  const why = `${api} cannot be examined: ${message}.`;
  switch (kind) {
    case "refused":
    case "dns":
      return { exitCode: 4, why: `${why} Start the server, or give another address.` };
    case "tls":
    case "no-tls":
      return { exitCode: 4, why: `${why} If the certificate is yours, name its authority's file in NODE_EXTRA_CA_CERTS.` };
    case "timeout":
      return { exitCode: 3, why: `${why} If it is that slow, raise timing.request_timeout_s in the target file.` };
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

/** Where the service is instead, if that can be found. */
async function hint(context: PreflightContext): Promise<string> {
  const { basePath } = context.rules.preflight;
  return (await atShorter(context)) ?? `give the address of the API host, without ${basePath}`;
}

/** The advice to leave a path out, if the service answers without it: often one too many was given. With a key it must take the key there. */
export async function atShorter({ run, rules }: PreflightContext, key?: string): Promise<string | undefined> {
  const { api } = run.target.urls;
  const { basePath, reads } = rules.preflight;
  const { origin, pathname } = new URL(api);
  const plain = api.endsWith(basePath) ? api.slice(0, -basePath.length) : api;
  const shorter = [...new Set([plain, origin])].filter((address) => address !== api);
  for (const address of shorter) {
    const { response } = await run.wire.send(readRequest(address, reads[0], key), run.signal);
    if (response && (key === undefined ? isOfService(rules.preflight, response) : response.status === 200))
      return `it is at ${address}, so give that, without ${pathname}`;
  }
  return undefined;
}
