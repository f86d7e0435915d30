import type { Exchange } from "../http/exchange.js";
import type { Target } from "../target/target.js";
import type { Change, CleanupRules, SideEffect } from "./rules.js";

/** The headers that authenticate a request. */
export type Credentials = Readonly<Record<string, string>>;

/** A side effect that is not undone yet. */
export interface OpenSideEffect extends SideEffect {
  /** The credentials of the request that caused it. */
  credentials: Credentials;
}

/** A side effect that a run could not undo. */
export interface Leftover {
  what: string;
  id: string;
  scenario: string;
  why: string;
}

/** Work that a run has started and that may cost money. */
export type StartedItem = Omit<Leftover, "why">;

/** The side effects of one scenario, read from its exchanges and events. */
export interface SideEffects {
  scenario: string;
  /** Reads one exchange. Returns what it created or changed. */
  record(exchange: Exchange): StartedItem[];
  /** Reads one event that was triggered at the target, with the response of its hook. */
  recordEvent(event: string, values: Readonly<Record<string, unknown>>, response: unknown): void;
  /** Returns the side effects that are not undone yet, in the order in which they must be undone. */
  open(): OpenSideEffect[];
}

/** Opens the empty list of side effects of one scenario. */
export function openSideEffects(rules: CleanupRules, target: Target, scenario: string): SideEffects {
  const bySubject = new Map<string, { subject: string; credentials: Credentials; sideEffects: readonly SideEffect[] }>();
  const reader = rules.openReader(target);
  let unnamed = 0;
  const apply = ({ subject = `#${unnamed++}`, perCaller, sideEffects }: Change, credentials: Credentials) => {
    const name = perCaller ? JSON.stringify([subject, credentials]) : subject;
    const first = bySubject.get(name)?.credentials ?? credentials;
    if (sideEffects.length === 0) bySubject.delete(name);
    else bySubject.set(name, { subject, credentials: first, sideEffects });
  };
  return {
    scenario,
    record(exchange) {
      const credentials = readCredentials(exchange);
      const changes = reader.read(exchange, (subject) => [...bySubject.values()].some((one) => one.subject === subject));
      for (const change of changes) apply(change, credentials);
      return changes.flatMap(({ sideEffects }) => sideEffects.map(({ what, id }) => ({ what, id, scenario })));
    },
    recordEvent(event, values, response) {
      for (const change of reader.readEvent(event, values, response)) apply(change, {});
    },
    open: () =>
      [...bySubject.values()]
        .flatMap(({ credentials, sideEffects }) => sideEffects.map((sideEffect) => ({ ...sideEffect, credentials })))
        .sort((a, b) => rules.order.indexOf(a.kind) - rules.order.indexOf(b.kind)),
  };
}

/** Returns the leftovers that a run would have if it ended now. */
export function listLeftovers(scenarios: Iterable<SideEffects>): Leftover[] {
  return [...scenarios].flatMap((sideEffects) =>
    sideEffects
      .open()
      .map((openSideEffect) => createLeftover(openSideEffect, sideEffects.scenario, "the run ended before it was undone")),
  );
}

/** Returns the leftover for a side effect that remains. A side effect that cannot be undone names its own reason. */
export function createLeftover({ what, id, undo }: SideEffect, scenario: string, why: string): Leftover {
  return { what, id, scenario, why: undo.way === "none" ? undo.why : why };
}

function readCredentials({ request: { headers } }: Exchange): Credentials {
  const { authorization, cookie } = headers;
  return { ...(authorization !== undefined && { authorization }), ...(cookie !== undefined && { cookie }) };
}
