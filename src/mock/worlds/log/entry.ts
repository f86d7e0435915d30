import type { ReceivedBody } from "../../http/body.js";

/**
 * One event from outside the world. A world is a function of its configuration and of these events in order. Plain JSON, so that another
 * process can replay it.
 */
export type LogEntry = LogPlace & LogEvent;

/** The position of an event in the log of its world. */
interface LogPlace {
  /** Counted from 1. */
  number: number;
  /** The world time at which it took effect, in milliseconds since 1970. A running clock also moves between events. */
  at: number;
}

/** The events of a world. */
export type LogEvent = { call: LoggedCall } | Continuation | ControlCall | { refused: "outside" };

/** A request to a surface of the world. */
export interface LoggedCall {
  host: "api" | "app";
  method: string;
  url: string;
  /** Alternating names and values. */
  headers: readonly string[];
  /** The address of the caller. */
  ip: string | null;
  received: ReceivedBody;
  /** The client had disconnected before the event took effect. */
  gone?: true;
  /** The id of the session that the request opened. It is random, so a replay cannot draw it again. */
  session?: string;
}

/** A delayed call continues. `resume`: its number. */
export interface Continuation {
  resume: number;
  gone?: true;
}

/** A call to the control plane: `POST /worlds/{id}/reset`. */
export interface ControlCall {
  control: string;
  /** The path variables except the world. */
  params?: Record<string, string>;
  body?: unknown;
  /** The world was reset: as it was created, at a real time, or to the state in the body. */
  begins?: "configuration" | "state";
  wall?: number;
}

/** The response to a call or to an event of the control plane. Without text if nothing was sent. */
export interface LoggedResponse {
  status: number | null;
  headers: Readonly<Record<string, string>>;
  text: string | undefined;
}
