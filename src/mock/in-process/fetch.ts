import { STATUS_CODES } from "node:http";
import { type Call, carry, type Destination, type Receiver, type ResponseHead } from "./carry.js";

/** Returns where requests to an address go. */
export type Route = (url: URL) => Destination;

/** A request, which a redirect repeats. */
interface FetchRequest extends Omit<Call, "target"> {
  url: URL;
}

const maxRedirects = 20;
/** The headers that fetch sends by default. */
const usual = { accept: "*/*", "accept-language": "*", "sec-fetch-mode": "cors", "user-agent": "node" };

/** Returns a `fetch` without a connection. `base`: the address for a path without a host. */
export function createFetch(route: Route, base: string): typeof fetch {
  return async (input, init) => {
    const request = new Request(typeof input === "string" ? new URL(input, base) : input, init);
    const signal = init?.signal ?? (input instanceof Request ? input.signal : null);
    signal?.throwIfAborted();
    const body = await readBody(request, init);
    const headers = readHeaders(request, body);
    let fetchRequest: FetchRequest = { url: new URL(request.url), method: request.method, headers, body };
    for (let hops = 0; hops <= maxRedirects; hops++) {
      const response = await send(route, fetchRequest, signal);
      const location = readRedirect(response);
      if (location === null || request.redirect === "manual") return setAddress(response, fetchRequest.url, hops > 0);
      if (request.redirect === "error") throw createFailureError(new Error("unexpected redirect"));
      fetchRequest = forward(fetchRequest, response.status, new URL(location, fetchRequest.url));
    }
    throw createFailureError(new Error("redirect count exceeded"));
  };
}

/** Returns a text body without reading the request's stream. */
async function readBody(request: Request, init: RequestInit | undefined): Promise<Buffer | null> {
  if (typeof init?.body === "string") return Buffer.from(init.body);
  return request.body ? Buffer.from(await request.arrayBuffer()) : null;
}

function readHeaders(request: Request, body: Buffer | null): string[] {
  const headers = [...request.headers].flat();
  for (const [name, value] of Object.entries(usual)) if (!request.headers.has(name)) headers.push(name, value);
  if (body) headers.push("content-length", String(body.length));
  return headers;
}

function send(route: Route, fetchRequest: FetchRequest, signal: AbortSignal | null): Promise<Response> {
  const { url, ...call } = fetchRequest;
  return new Promise((resolve, reject) => {
    const receiver = createReceiver(resolve, reject, () => leave());
    const leave = carry(route(url), { ...call, target: url.pathname + url.search }, receiver);
    signal?.addEventListener(
      "abort",
      () => {
        leave();
        receiver.abort(signal.reason);
      },
      { once: true },
    );
  });
}

/** Returns the Response for a response: complete at once, or as a stream. */
function createReceiver(
  resolve: (response: Response) => void,
  reject: (reason: unknown) => void,
  leave: () => void,
): Receiver & { abort(reason: unknown): void } {
  let stream: ReadableStreamDefaultController<Uint8Array> | null = null;
  const abort = (reason: unknown) => (stream ? stream.error(reason) : reject(reason));
  return {
    begin(head, whole) {
      const start = (controller: ReadableStreamDefaultController<Uint8Array>) => {
        stream = controller;
      };
      resolve(createResponse(head, whole === undefined ? new ReadableStream({ start, cancel: leave }) : whole));
    },
    piece: (bytes) => stream?.enqueue(bytes),
    end: () => stream?.close(),
    fail: (error) => abort(stream ? new TypeError("terminated", { cause: error }) : createFailureError(error)),
    abort,
  };
}

function createResponse({ status, headers }: ResponseHead, body: Buffer | ReadableStream<Uint8Array> | null): Response {
  const pairs: [string, string][] = [];
  for (let i = 0; i < headers.length; i += 2) pairs.push([headers[i] ?? "", headers[i + 1] ?? ""]);
  return new Response(body as ConstructorParameters<typeof Response>[0], {
    status,
    statusText: STATUS_CODES[status] ?? "",
    headers: pairs,
  });
}

function readRedirect({ status, headers }: Response): string | null {
  return [301, 302, 303, 307, 308].includes(status) ? headers.get("location") : null;
}

/** Returns the request that follows a redirect. Some redirects change the method to GET. */
function forward(fetchRequest: FetchRequest, status: number, url: URL): FetchRequest {
  const redirectedRequest = status === 303 ? fetchRequest.method !== "HEAD" : status < 303 && fetchRequest.method === "POST";
  return redirectedRequest ? { ...fetchRequest, url, method: "GET", body: null } : { ...fetchRequest, url };
}

/** Sets the address of a response, which the constructor of Response cannot set. */
function setAddress(response: Response, { href }: URL, redirected: boolean): Response {
  return Object.defineProperties(response, { url: { value: href }, redirected: { value: redirected } });
}

function createFailureError(cause: Error): TypeError {
  return new TypeError("fetch failed", { cause });
}
