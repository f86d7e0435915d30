import type { Exchange } from "../http/exchange.js";
import type { Target } from "../target/target.js";

/** The side effects of one contract's requests, and how to undo them. */
export interface CleanupRules {
  /** Kinds of side effects, in the order in which they are undone. */
  order: readonly string[];
  /** Opens a reader for the exchanges and events of one scenario. They must be passed in the order in which they happen. */
  openReader(target: Target): ChangeReader;
  /** The resources that a run may create or change, in the order of the plan. */
  planned: readonly PlannedKind[];
}

/** Derives the changes on the server from exchanges and events. */
export interface ChangeReader {
  /** Reads one exchange. `isOpen` tells whether a subject has side effects that are not undone yet. */
  read(exchange: Exchange, isOpen: (subject: string) => boolean): readonly Change[];
  /** Reads one event that was triggered at the target, with the response of its hook. */
  readEvent(event: string, values: Readonly<Record<string, unknown>>, response: unknown): readonly Change[];
}

/** The side effects that a subject has from now on. None means that the subject is as it was before the scenario. */
export interface Change {
  /** A unique name, such as `loan 7`; undefined if the response names no subject. */
  subject: string | undefined;
  /** Whether each caller has a separate subject with this name. If so, a removal by one caller leaves the others unchanged. */
  perCaller?: boolean;
  sideEffects: readonly SideEffect[];
}

/** One change on the server, and how to undo it. */
export interface SideEffect {
  /** One of the kinds in `CleanupRules.order`. */
  kind: string;
  /** In words, such as "book lent". */
  what: string;
  /** Id of the subject, as reports show it. Empty if the response names no subject. */
  id: string;
  undo: Undo;
  /** Work that the server still does because of it. The runner stops this work first. */
  work?: StartedWork;
}

/** How to undo a side effect: with requests in this order, with an event of the target, with a tool, or not at all. */
export type Undo =
  | {
      way: "requests";
      requests: readonly UndoRequest[];
      /** The resource that the requests delete, in one word. Such requests need the permission `allow.destructive`. */
      removes?: string;
    }
  | { way: "drive"; event: string; values: Record<string, unknown> }
  | { way: "tool"; purpose: string; arguments: Record<string, unknown> }
  | { way: "none"; why: string };

/** A request, as method and path of the contract. */
export interface UndoRequest {
  rest: string;
  json?: Record<string, unknown>;
  /** A read that is sent after a refusal. `shows` tells from its response whether another client has already undone the side effect. */
  alreadyUndone?: { rest: string; shows(body: Record<string, unknown>): boolean };
}

/** Work in progress at the server. */
export interface StartedWork {
  /** A read that lists the work. */
  list: string;
  /** Returns the requests that stop the listed work. */
  stop(body: Record<string, unknown>): readonly UndoRequest[];
}

/** One kind of resource that a run may create or change. */
export interface PlannedKind {
  /** In words, in the plural, such as "books lent". */
  what: string;
  /** Tells whether a request creates it, by its route or by the purpose of its tool. */
  isMadeBy(request: { method: string; path: string; purpose?: string }): boolean;
  /** Whether it is paid work. If so, a request that starts no paid work does not create it. */
  paid: boolean;
  /** Returns how it is undone on this target, or why it remains. */
  outcome(target: Target): { after: string; stays: boolean };
}
