/** Ways into a mock of the same process that need no port and no socket: REST, tools and control plane alike. */
export interface InProcess {
  /**
   * Answers a request as the global `fetch` would bring it back, faults of the connection too. A path alone is one of the API host, and
   * so is an address that is none of the mock's.
   */
  fetch: typeof globalThis.fetch;
  /** An undici interceptor by which the mock answers what is sent to `url`: `new Agent().compose(mock.interceptor(url))`. Throws on Bun, which has no undici dispatchers. */
  interceptor(url: string | URL, options?: InterceptOptions): Interceptor;
  /**
   * Lets the mock answer what node's own `fetch`, and all else that uses undici's global dispatcher, sends to `url`. On Bun and Deno it
   * replaces the global `fetch`: other clients there are not intercepted.
   */
  intercept(url: string | URL, options?: InterceptOptions): Interception;
}

/** An interceptor as undici composes them. */
export type Interceptor = <Dispatch extends (options: never, handler: never) => boolean>(dispatch: Dispatch) => Dispatch;

/** What becomes of requests to other addresses. */
export interface InterceptOptions {
  /** They go on, the default, or fail. */
  others?: "pass" | "refuse";
}

/** Requests are answered by a mock, until this ends. */
export interface Interception {
  restore(): void;
  [Symbol.dispose](): void;
}
