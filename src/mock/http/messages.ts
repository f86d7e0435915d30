import type { IncomingHttpHeaders, OutgoingHttpHeaders } from "node:http";

/** The parts of a request that the mock uses. A request of Node has them, and so has a request without a socket. */
export interface IncomingMessage {
  readonly method?: string | undefined;
  url?: string | undefined;
  readonly httpVersion: string;
  /** Headers by name in lower case. */
  readonly headers: IncomingHttpHeaders;
  /** Alternating names and values, as they arrived. */
  readonly rawHeaders: string[];
  readonly socket: {
    readonly remoteAddress?: string | undefined;
    readonly destroyed?: boolean;
    once?(event: "end" | "close", listener: () => void): unknown;
  };
  on(event: "data", listener: (bytes: Buffer) => void): this;
  on(event: "end" | "close", listener: () => void): this;
  off(event: "data", listener: (bytes: Buffer) => void): this;
  off(event: "end" | "close", listener: () => void): this;
  pause(): this;
  resume(): this;
  destroy(): this;
}

/** The parts of a response that the mock uses. */
export interface ServerResponse {
  readonly req: IncomingMessage;
  readonly headersSent: boolean;
  readonly destroyed: boolean;
  readonly writableLength: number;
  readonly socket: Socket | null;
  /** Whether Node adds a Date header. */
  sendDate: boolean;
  /** Writes the head. Headers are alternating names and values, or an object by name. */
  writeHead(status: number, headers?: string[] | OutgoingHttpHeaders): this;
  flushHeaders(): void;
  write(bytes: string | Uint8Array): boolean;
  end(bytes?: string | Uint8Array): this;
  destroy(): this;
  on(event: "close" | "drain", listener: () => void): this;
  once(event: "close" | "drain", listener: () => void): this;
}

/** The connection of a response, for faults that break it. */
export interface Socket {
  resetAndDestroy(): unknown;
  /** Closes it normally. */
  end(): unknown;
  /** Writes bytes that are not valid HTTP, then closes it. */
  end(bytes: string): unknown;
}
