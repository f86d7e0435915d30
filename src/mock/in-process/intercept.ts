import { createRequire } from "node:module";
import type { Dispatcher } from "undici";
import { carry } from "./carry.js";
import { createReceiver } from "./dispatch-handler.js";
import type { Route } from "./fetch.js";
import { findOtherRuntime, findRefusedOrigin } from "./intercept-fetch.js";
import type { Interception, InterceptOptions, Interceptor } from "./interception.js";

type DispatchOptions = Dispatcher.DispatchOptions & { query?: Record<string, string> };

/** Returns an interceptor for undici: a mock answers requests to these origins. Requests to other origins continue or are refused. */
export function createInterceptor(route: Route, origins: readonly string[], { others = "pass" }: InterceptOptions): Interceptor {
  return <Dispatch extends (options: never, handler: never) => boolean>(dispatch: Dispatch) => {
    const intercepted = (options: DispatchOptions, handler: Dispatcher.DispatchHandler) => {
      const origin = new URL(String(options.origin)).origin;
      if (!origins.includes(origin)) {
        if (others === "pass") return dispatch(options as never, handler as never);
        createReceiver(handler, () => {}).fail(findRefusedOrigin(origin, origins));
        return true;
      }
      void respond(route, options, handler);
      return true;
    };
    return intercepted as unknown as Dispatch;
  };
}

/** Throws on Bun, because its undici has no dispatchers. */
export function requireDispatchers(): void {
  if (findOtherRuntime() === "Bun")
    throw new Error("An interceptor needs undici, and Bun replaces undici. Use intercept(url) or mock.fetch instead.");
}

/** Adds an interceptor to the global dispatcher of undici, which Node's own fetch and undici use. */
export function interceptGlobally(interceptor: Interceptor): Interception {
  // loaded at the first use, so that a mock starts faster
  const undici = createRequire(import.meta.url)("undici") as typeof import("undici");
  const before = undici.getGlobalDispatcher();
  let isOver = false;
  const ours = before.compose((dispatch) => {
    const intercepted = interceptor(dispatch);
    return (options, handler) => (isOver ? dispatch : intercepted)(options, handler);
  });
  undici.setGlobalDispatcher(ours);
  const restore = () => {
    isOver = true;
    // another program may have replaced the dispatcher since then; its dispatcher stays and this one intercepts nothing more
    if (undici.getGlobalDispatcher() === ours) undici.setGlobalDispatcher(before);
  };
  return { restore, [Symbol.dispose]: restore };
}

async function respond(route: Route, options: DispatchOptions, handler: Dispatcher.DispatchHandler): Promise<void> {
  let leave = () => {};
  const receiver = createReceiver(handler, () => leave());
  try {
    const { method, origin, path, query } = options;
    const url = new URL(path, String(origin));
    for (const [name, value] of Object.entries(query ?? {})) url.searchParams.append(name, value);
    const body = await readBytes(options.body);
    const headers = flattenHeaders(options.headers);
    if (body && !headers.some((name) => name.toLowerCase() === "content-length"))
      headers.push("content-length", String(body.length));
    leave = carry(route(url), { method, target: url.pathname + url.search, headers, body }, receiver);
  } catch (error) {
    receiver.fail(error as Error);
  }
}

/** Accepts every body that undici accepts, for a Response. */
async function readBytes(body: unknown): Promise<Buffer | null> {
  if (body === null || body === undefined) return null;
  return typeof body === "string"
    ? Buffer.from(body)
    : Buffer.from(await new Response(body as ConstructorParameters<typeof Response>[0]).arrayBuffer());
}

function flattenHeaders(headers: DispatchOptions["headers"]): string[] {
  if (!headers) return [];
  if (Array.isArray(headers) && typeof headers[0] !== "object") return headers.map(String);
  const pairs = Symbol.iterator in headers ? [...(headers as Iterable<[string, unknown]>)] : Object.entries(headers);
  return pairs.flatMap(([name, value]) => [value ?? []].flat().flatMap((one) => [name, String(one)]));
}
