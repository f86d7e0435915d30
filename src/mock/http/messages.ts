import type { IncomingHttpHeaders, OutgoingHttpHeaders } from "node:http";

/** What is asked of a request here. Node's own has it, and so has one that came without a socket. */
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

/** What is asked of a response here, in the same way. */
export interface ServerResponse {
  readonly req: IncomingMessage;
  readonly headersSent: boolean;
  readonly destroyed: boolean;
  readonly writableLength: number;
  readonly socket: Socket | null;
  /** Whether a Date is added that nobody has given. */
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

/** The connection below a response, for whoever breaks it. */
export interface Socket {
  resetAndDestroy(): unknown;
  /** Closes it in order. */
  end(): unknown;
  /** The same behind bytes that are no answer of the response's own. */
  end(bytes: string): unknown;
}
