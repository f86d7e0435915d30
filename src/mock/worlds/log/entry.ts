import type { ReceivedBody } from "../../http/body.js";

/**
 * One event that came from outside the world. A world is a function of its configuration and of these events in their order.
 * Plain JSON, so that another process can play it.
 */
export type LogEntry = LogPlace & LogAct;

/** Where an act stands in its world's log. */
interface LogPlace {
  /** 1 for the first. */
  number: number;
  /** The world's time at which it took effect, in milliseconds since 1970: a clock that follows the wall moves between the acts. */
  at: number;
}

/** The events of a world. */
export type LogAct = { call: LoggedCall } | Strike | ControlAct | { refused: "outside" };

/** A request to one of its surfaces, as it came. */
export interface LoggedCall {
  host: "api" | "app";
  method: string;
  url: string;
  /** Names and values in turn. */
  headers: readonly string[];
  /** The address of the connection's other end. */
  ip: string | null;
  received: ReceivedBody;
  /** Its client was no longer there when it took effect. */
  gone?: true;
  /** The id of the session that it was given, which nobody could draw again. */
  session?: string;
}

/** A call that a fault delayed goes on; `resume` is its number. */
export interface Strike {
  resume: number;
  gone?: true;
}

/** A call to the control plane: `POST /worlds/{id}/reset`. */
export interface ControlAct {
  control: string;
  /** The path's variables but the world. */
  params?: Record<string, string>;
  body?: unknown;
  /** The world began anew: as it was created, at a time of the wall, or as the body says. */
  begins?: "configuration" | "state";
  wall?: number;
}

/** What a call or an act of control was answered; without text where nothing was sent. */
export interface LoggedAnswer {
  status: number | null;
  headers: Readonly<Record<string, string>>;
  text: string | undefined;
}
