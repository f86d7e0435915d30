import type { Run } from "../play/run.js";
import type { Failure, WireResponse } from "../wire/exchange.js";
import { describeAnswer, isOfService, nameOf, probe, READS, readOf, type Stop } from "./probe.js";

/** Whether the service answers at the address of its API host. Sends no credential: the address may be anybody's. */
export async function checkAddress(run: Run): Promise<Stop | undefined> {
  const { api } = run.target.urls;
  const heard: string[] = [];
  for (const path of READS) {
    const request = readOf(api, path);
    const probed = await probe(run, request);
    if ("stop" in probed) return probed.stop;
    if ("failure" in probed) return (await otherScheme(run)) ?? unreachable(api, probed.failure);
    const { response } = probed;
    if (isOfService(response)) return undefined;
    const elsewhere = redirected(api, nameOf(request), response);
    if (elsewhere) return elsewhere;
    heard.push(`${nameOf(request)} answered ${describeAnswer(response)}`);
    if (response.status >= 500 && path === READS.at(-1))
      return { exitCode: 3, why: `The server is out of order, or it is not the service: ${heard.join("; ")}.` };
  }
  return (await otherScheme(run)) ?? { exitCode: 2, why: `${heard[0]}, which is not the service: ${await hint(run)}.` };
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
async function otherScheme(run: Run): Promise<Stop | undefined> {
  const { api } = run.target.urls;
  const [spoken, other] = api.startsWith("https:") ? ["https", "http"] : ["http", "https"];
  const address = api.replace(spoken, other);
  const { response, failure } = await run.wire.send(readOf(address, READS[0]), run.signal);
  // a certificate that is not trusted is one all the same
  const speaks =
    (response && isOfService(response)) || (other === "https" && failure?.kind === "tls" && !/version/.test(failure.message));
  return speaks ? { exitCode: 2, why: `${api} speaks ${other}, not ${spoken}: give ${address}.` } : undefined;
}

function unreachable(api: string, { kind, message }: Failure): Stop {
  const why = `${api} cannot be examined: ${message}.`;
  switch (kind) {
    case "refused":
    case "dns":
      return { exitCode: 4, why: `${why} Start the server, or give another address.` };
    case "tls":
      return { exitCode: 4, why: `${why} If the certificate is yours, name its authority's file in NODE_EXTRA_CA_CERTS.` };
    case "timeout":
      return { exitCode: 3, why: `${why} If it is that slow, raise timing.request_timeout_s in the target file.` };
    case "reset":
    case "too-large":
    case "protocol":
    case "aborted":
      return { exitCode: 3, why };
    default:
      return kind satisfies never;
  }
}

/** Where the service is instead, if that can be found. */
async function hint(run: Run): Promise<string> {
  return (await atShorter(run)) ?? "give the address of the API host, without /api";
}

/** The advice to leave a path out, if the service answers without it: often one too many was given. With a key it must take the key there. */
export async function atShorter(run: Run, key?: string): Promise<string | undefined> {
  const { api } = run.target.urls;
  const { origin, pathname } = new URL(api);
  const shorter = [...new Set([api.replace(/\/api$/, ""), origin])].filter((address) => address !== api);
  for (const address of shorter) {
    const { response } = await run.wire.send(readOf(address, READS[0], key), run.signal);
    if (response && (key === undefined ? isOfService(response) : response.status === 200))
      return `it is at ${address}, so give that, without ${pathname}`;
  }
  return undefined;
}
