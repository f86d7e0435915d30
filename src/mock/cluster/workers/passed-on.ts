import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { headersByName } from "../../http/headers-by-name.js";
import type { HostName } from "../../http/host-names.js";

/** What a worker tells another of a request that it passes on, beside the method and the body: all as it came. */
export interface PassedOn {
  host: HostName;
  url: string;
  /** Names and values in turn. */
  headers: string[];
  /** The caller's address. */
  ip: string | null;
  /** Whether it is for the default world, whichever its credential names. */
  isForDefault?: true;
}

/** What workers ask each other: the names of their worlds, what the clients of these did, and to forget that. */
const questions = ["worlds", "client-tally", "forget-clients"] as const;
/** One of these questions. */
export type Question = (typeof questions)[number];

/** The header in which that travels, behind what only the workers know. */
export const ticket = "x-counterpart-worker";

/** Serves what other workers pass on. */
type Serve = (passed: PassedOn, request: IncomingMessage, response: ServerResponse) => void;

/** A request that is passed on carries its first line and headers in one header. */
const mostHeadBytes = 262_144;

/** Opens a port of this machine for what other workers pass on; who does not know the secret gets no answer. */
export async function takePassedOn(
  secret: string,
  answers: Record<Question, () => unknown>,
  serve: Serve,
): Promise<{ port: number; close(): void }> {
  const answer = (request: IncomingMessage, response: ServerResponse) => {
    response.once("finish", () => request.resume());
    const [given, text = ""] = String(request.headers[ticket]).split(" ");
    if (given !== secret) request.socket.destroy();
    else if (isQuestion(text)) response.end(JSON.stringify(answers[text]() ?? null));
    else {
      const passed = JSON.parse(Buffer.from(text, "base64url").toString()) as PassedOn;
      serve(passed, asItCame(request, passed), response);
    }
  };
  const server = createServer(
    { maxHeaderSize: mostHeadBytes, requestTimeout: 0, keepAliveTimeout: 0, requireHostHeader: false },
    answer,
  );
  // the sender ends the connection after the answer; ending it earlier would lose the rest of the body
  server.on("connection", (socket) => {
    socket.destroySoon = () => socket.end();
  });
  await new Promise<void>((resolve, reject) => server.once("error", reject).listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

function isQuestion(text: string): text is Question {
  return (questions as readonly string[]).includes(text);
}

/** Returns the header for a request that is passed on to another worker. */
export function ticketFor(secret: string, passed: PassedOn): string {
  return `${secret} ${Buffer.from(JSON.stringify(passed)).toString("base64url")}`;
}

/** Gives a request the head that it had where it arrived. */
function asItCame(request: IncomingMessage, { url, headers, ip }: PassedOn): IncomingMessage {
  request.url = url;
  request.rawHeaders = headers;
  Object.defineProperty(request, "headers", { value: headersByName(headers) });
  // one request at a time is under way on it
  Object.defineProperty(request.socket, "remoteAddress", { value: ip ?? undefined, configurable: true });
  return request;
}
