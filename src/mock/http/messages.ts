import type { IncomingHttpHeaders, OutgoingHttpHeaders } from "node:http";

/** The parts of a request that the mock uses. Node's request has them, and so has a request without a socket. */
export interface IncomingMessage {
  readonly method?: string | undefined;
  url?: string | undefined;
  readonly httpVersion: string;
  /** By names in lower case. */
  readonly headers: IncomingHttpHeaders;
  /** Names and values in turn, as they came. */
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

/** The parts of a response that the mock uses, in the same way. */
export interface ServerResponse {
  readonly req: IncomingMessage;
  readonly headersSent: boolean;
  readonly destroyed: boolean;
  readonly writableLength: number;
  readonly socket: Socket | null;
  /** Whether node adds a Date header. */
  sendDate: boolean;
  /** Headers are names and values in turn, or by name. */
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
  /** Closes it in order. */
  end(): unknown;
  /** Closes it after bytes that are no HTTP answer. */
  end(bytes: string): unknown;
}
