import type { Exchange } from "../http/exchange.js";
import type { Target } from "../target/target.js";

/** What one contract says of what requests do to a server, and of how that is taken back. */
export interface CleanupRules {
  /** Kinds of side effects, in the order in which they are taken back. */
  order: readonly string[];
  /** Opens a reader for the exchanges and events of one scenario, in the order in which they come. */
  openReader(target: Target): ChangeReader;
  /** What a run may make or change, in the order in which a plan names it. */
  planned: readonly PlannedKind[];
}

/** Reads what exchanges and events did to the server. */
export interface ChangeReader {
  /** Reads one exchange; `isOpen` says whether something is still to be taken back of a subject. */
  read(exchange: Exchange, isOpen: (subject: string) => boolean): readonly Change[];
  /** Reads one event that the target was made to have, with what its hook answered. */
  readEvent(event: string, values: Readonly<Record<string, unknown>>, answer: unknown): readonly Change[];
}

/** What is to be taken back of one subject from now on: nothing where it is as it was. */
export interface Change {
  /** Told apart from every other, such as `loan 7`; undefined for one that no answer named. */
  subject: string | undefined;
  sideEffects: readonly SideEffect[];
}

/** Something that was done to the server, and how it is taken back. */
export interface SideEffect {
  /** One of the kinds that `CleanupRules.order` names. */
  kind: string;
  /** In words: "book lent". */
  what: string;
  /** Of what, as reports show it. Empty when no answer named it. */
  id: string;
  undo: Undo;
  /** What the server goes on doing because of it, which has to end first. */
  work?: StartedWork;
}

/** How something is taken back: by requests in this order, by an event of the target, by a tool, or not at all. */
export type Undo =
  | {
      way: "requests";
      requests: readonly UndoRequest[];
      /** What they remove for good, in a word; such requests need leave to destroy. */
      removes?: string;
    }
  | { way: "drive"; event: string; values: Record<string, unknown> }
  | { way: "tool"; purpose: string; arguments: Record<string, unknown> }
  | { way: "none"; why: string };

/** A request in the contract's terms: method and path. */
export interface UndoRequest {
  rest: string;
  json?: Record<string, unknown>;
  /** A read whose answer shows, after a refusal, whether somebody else has taken it back already. */
  alreadyUndone?: { rest: string; shows(body: Record<string, unknown>): boolean };
}

/** Work that goes on at the server: a read that lists it, and the requests that stop what the list shows. */
export interface StartedWork {
  list: string;
  stop(body: Record<string, unknown>): readonly UndoRequest[];
}

/** One kind of thing that a run may make or change. */
export interface PlannedKind {
  /** In words, of many: "books lent". */
  what: string;
  /** Whether a request makes it, by its route or by the purpose of its tool. */
  isMadeBy(request: { method: string; path: string; purpose?: string }): boolean;
  /** Whether that is paid work, so that a request which starts none does not make it either. */
  paid: boolean;
  /** What becomes of it: how it is taken back, or why it stays. */
  fate(target: Target): { after: string; stays: boolean };
}
