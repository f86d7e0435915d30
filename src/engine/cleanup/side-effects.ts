import type { Exchange } from "../http/exchange.js";
import type { Target } from "../target/target.js";
import type { Change, CleanupRules, SideEffect } from "./rules.js";

/** What shows a server who sends a request. */
export type Credentials = Readonly<Record<string, string>>;

/** Something that is still to be taken back. */
export interface OpenSideEffect extends SideEffect {
  /** The credentials it was done with. */
  by: Credentials;
}

/** What a run leaves behind, and why. */
export interface Leftover {
  what: string;
  id: string;
  scenario: string;
  why: string;
}

/** Something that a run has started and that may cost. */
export type StartedItem = Omit<Leftover, "why">;

/** What one scenario did to the server, read from its own exchanges and events, as far as it is not taken back. */
export interface SideEffects {
  scenario: string;
  /** Reads one exchange: what it made or changed. */
  record(exchange: Exchange): StartedItem[];
  /** Reads one event that the target was made to have, with what its hook answered. */
  driven(event: string, values: Readonly<Record<string, unknown>>, answer: unknown): void;
  /** What is still to be taken back, in the order in which that is done. */
  left(): OpenSideEffect[];
}

/** Opens the book of one scenario: nothing is done yet. */
export function openSideEffects(rules: CleanupRules, target: Target, scenario: string): SideEffects {
  const open = new Map<string, { by: Credentials; sideEffects: readonly SideEffect[] }>();
  const reader = rules.openReader(target);
  let unnamed = 0;
  const enter = ({ subject, sideEffects }: Change, by: Credentials) => {
    const name = subject ?? `#${unnamed++}`;
    const first = open.get(name)?.by ?? by;
    if (sideEffects.length === 0) open.delete(name);
    else open.set(name, { by: first, sideEffects });
  };
  return {
    scenario,
    record(exchange) {
      const by = credentialsOf(exchange);
      const changes = reader.read(exchange, (subject) => open.has(subject));
      for (const change of changes) enter(change, by);
      return changes.flatMap(({ sideEffects }) => sideEffects.map(({ what, id }) => ({ what, id, scenario })));
    },
    driven(event, values, answer) {
      for (const change of reader.readEvent(event, values, answer)) enter(change, {});
    },
    left: () =>
      [...open.values()]
        .flatMap(({ by, sideEffects }) => sideEffects.map((one) => ({ ...one, by })))
        .sort((a, b) => rules.order.indexOf(a.kind) - rules.order.indexOf(b.kind)),
  };
}

/** What would be left if nothing more were taken back. */
export function currentLeftovers(books: Iterable<SideEffects>): Leftover[] {
  return [...books].flatMap((book) =>
    book.left().map((one) => leftover(one, book.scenario, "the run was ended before it was taken back")),
  );
}

/** A side effect that stays, for this reason where it has none of its own. */
export function leftover({ what, id, undo }: SideEffect, scenario: string, why: string): Leftover {
  return { what, id, scenario, why: undo.way === "none" ? undo.why : why };
}

function credentialsOf({ request: { headers } }: Exchange): Credentials {
  const { authorization, cookie } = headers;
  return { ...(authorization !== undefined && { authorization }), ...(cookie !== undefined && { cookie }) };
}
