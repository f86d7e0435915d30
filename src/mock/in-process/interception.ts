/** Uses a mock of the same process without a port or socket: REST, tools and control plane. */
export interface InProcess {
  /**
   * Answers a request as the global `fetch` does, with faults of the connection. A path, and an address that does not belong to the mock,
   * mean the API host.
   */
  fetch: typeof globalThis.fetch;
  /**
   * Returns an undici interceptor. The mock answers requests to `url`: `new Agent().compose(mock.interceptor(url))`. Throws on Bun, which
   * has no undici dispatchers.
   */
  interceptor(url: string | URL, options?: InterceptOptions): Interceptor;
  /**
   * Lets the mock answer requests to `url` of Node's own `fetch` and of all clients on undici's global dispatcher. On Bun and Deno it
   * replaces the global `fetch`: other clients there are not intercepted.
   */
  intercept(url: string | URL, options?: InterceptOptions): Interception;
}

/** An interceptor of undici. */
export type Interceptor = <Dispatch extends (options: never, handler: never) => boolean>(dispatch: Dispatch) => Dispatch;

/** The treatment of requests to other addresses. */
export interface InterceptOptions {
  /** They continue (the default) or fail. */
  others?: "pass" | "refuse";
}

/** A mock answers the requests until this interception ends. */
export interface Interception {
  restore(): void;
  [Symbol.dispose](): void;
}
