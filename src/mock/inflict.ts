import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Reply } from "../service/call.js";
import { refuseOutside } from "./answer.js";
import { catchUp } from "./clock.js";
import { readDuration } from "./durations.js";
import { type Fault, refusalOf, type SocketFault } from "./faults.js";
import type { HostedWorld } from "./worlds.js";

/** The call that a fault strikes, over REST or of a tool. */
interface Subject {
  hosted: HostedWorld;
  response: ServerResponse;
}

/** What a faulty call can still do: the work itself, and its end. */
interface Steps {
  perform(): Reply;
  finish(reply: Reply): void;
}

/** Lets a fault strike a call: waits, does the work where the fault says so, then answers wrongly, breaks off, or answers after all. */
export function inflict(fault: Fault, subject: Subject, steps: Steps): void {
  const delayMs = fault.delay === undefined ? 0 : (readDuration(fault.delay) ?? 0);
  // who gives up waiting does not call the request back: it is worked on and noted all the same
  if (delayMs > 0) setTimeout(() => strike(fault, subject, steps), delayMs).unref();
  else strike(fault, subject, steps);
}

function strike(fault: Fault, { hosted, response }: Subject, { perform, finish }: Steps): void {
  catchUp(hosted.clock);
  const answer = refusalOf(fault);
  const isDelayOnly = !answer && !fault.socket;
  const done = (fault.performs ?? isDelayOnly) ? perform() : null;
  const wrong = answer ?? { refusal: { code: "internal_error" as const }, status: 500 };
  const reply = done && isDelayOnly ? done : refuseOutside(hosted.world, wrong.refusal, wrong.status);
  finish(done ? { ...reply, changes: done.changes } : reply);
  if (fault.socket && response.socket) breakOff(response.socket, fault.socket);
}

function breakOff(socket: Socket, fault: SocketFault): void {
  switch (fault) {
    case "CONNECTION_RESET_BY_PEER":
      socket.resetAndDestroy();
      return;
    case "EMPTY_RESPONSE":
      socket.end();
      return;
    case "MALFORMED_RESPONSE_CHUNK":
      socket.end("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\nzz\r\nno chunk");
      return;
    case "RANDOM_DATA_THEN_CLOSE":
      socket.end("lskdu018973t09sylgasjkfg1][]'./.sdlv");
      return;
    default:
      fault satisfies never;
  }
}
