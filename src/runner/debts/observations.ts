import { isRecord } from "../scenario/interpolate.js";
import { bodyJson, type Exchange } from "../wire/exchange.js";
import { rowsOf, type Triage } from "./action.js";
import type { Ask, Owed, Undo } from "./debts.js";

/** What a play found observations to be, and made of them. */
export interface ObservationBook {
  /** Reads the observations that an answer shows. */
  see(exchange: Exchange): void;
  /** One is the play's own, made for it: nobody minds if it is closed. */
  own(ref: string): void;
  change(ref: string, act: Triage, by: Owed["by"]): void;
  owed(): Owed[];
}

interface State {
  status: string;
  reason?: string;
  acknowledged: boolean;
  category?: string;
}

interface Changed {
  before: State;
  now: State;
  by: Owed["by"];
  ticket: boolean;
}

/** Most observations a play reads are never touched: what they were is kept only as they were last seen. */
export function openObservations(): ObservationBook {
  const seen = new Map<string, State>();
  const changed = new Map<string, Changed>();
  const owned = new Set<string>();
  return {
    see(exchange) {
      if (exchange.request.method !== "GET") return; // the answer to a change shows what it led to
      for (const [ref, state] of shown(exchange)) if (!changed.has(ref)) seen.set(ref, state);
    },
    own: (ref) => void owned.add(ref),
    change(ref, act, by) {
      // OBS-DISMISS-CLOSES: whatever was not seen was open, or it could not have been closed.
      const unseen = { status: act === "reopen" ? "closed" : "new", acknowledged: false };
      const book = changed.get(ref) ?? { before: seen.get(ref) ?? unseen, now: seen.get(ref) ?? unseen, by, ticket: false };
      changed.set(ref, { ...book, now: after(book.now, act), ticket: book.ticket || act === "publish a ticket of" });
    },
    owed: () => [...changed].flatMap(([ref, change]) => (owned.has(ref) ? ownOwed(ref, change) : owedFor(ref, change))),
  };
}

function after(state: State, act: Triage): State {
  switch (act) {
    case "dismiss":
    case "complete":
      return state.status === "closed"
        ? state
        : { ...state, status: "closed", reason: act === "dismiss" ? "dismissed" : "completed" };
    case "reopen":
      return { status: "new", acknowledged: state.acknowledged };
    case "acknowledge":
      return { ...state, acknowledged: true };
    case "publish a ticket of":
      return state;
    default:
      return act satisfies never;
  }
}

function ownOwed(id: string, { now, by, ticket }: Changed): Owed[] {
  const complete: Undo = { way: "requests", kind: "observation", requests: [{ rest: `POST /api/observations/${id}/complete` }] };
  return [
    ...(now.status === "closed" ? [] : [{ what: "observation made", id, by, undo: complete }]),
    ...ticketOwed(id, by, ticket),
  ];
}

function owedFor(id: string, { before, now, by, ticket }: Changed): Owed[] {
  const owed: Owed[] = ticketOwed(id, by, ticket);
  if (before.status !== now.status || before.reason !== now.reason)
    owed.push({
      what: `observation ${now.status === "closed" ? now.reason : "reopened"}`,
      id,
      by,
      undo: wayBack(id, before, now),
    });
  if (now.acknowledged && !before.acknowledged)
    owed.push({ what: "observation acknowledged", id, by, undo: { way: "none", why: "nothing takes an acknowledgement back" } });
  return owed;
}

function ticketOwed(id: string, by: Owed["by"], ticket: boolean): Owed[] {
  return ticket ? [{ what: "ticket published", id, by, undo: { way: "none", why: "the tracker keeps it" } }] : [];
}

/** The transitions that lead back, OBS-*: to new by reopen, to closed by dismiss or complete; nothing leads to fixed or expired. */
function wayBack(id: string, before: State, now: State): Undo {
  const path = `POST /api/observations/${id}`;
  const reopen = { rest: `${path}/reopen`, json: { reopen_reason: "Put back by the examiner." } };
  if (before.status === "new") return { way: "requests", kind: "observation", requests: [reopen] };
  const close = closing(path, before);
  if (!close) return { way: "none", why: `nothing makes it ${before.reason ?? "closed"} again` };
  return { way: "requests", kind: "observation", requests: now.status === "closed" ? [reopen, close] : [close] };
}

/** The category of a dismissal is not shown in the contract's fields; where it is not, the one that keeps it closed. OBS-REDISCOVER-STAY. */
function closing(path: string, { reason, category = "wont_fix" }: State): Ask | undefined {
  if (reason === "completed") return { rest: `${path}/complete`, json: {} };
  if (reason !== "dismissed") return undefined;
  return { rest: `${path}/dismiss`, json: { dismissal_category: category, dismissal_note: "Put back by the examiner." } };
}

function shown({ response }: Exchange): [string, State][] {
  const body = response && response.status < 300 ? bodyJson(response) : undefined;
  const found = body?.ok && isRecord(body.value) ? [body.value, ...rowsOf(body.value)] : [];
  return found.flatMap(({ ref, status, close_reason, acknowledged_at, dismissal_category }) =>
    typeof ref === "string" && typeof status === "string"
      ? [
          [
            ref,
            {
              status,
              ...(status === "closed" && typeof close_reason === "string" && { reason: close_reason }),
              acknowledged: typeof acknowledged_at === "string",
              ...(typeof dismissal_category === "string" && { category: dismissal_category }),
            },
          ],
        ]
      : [],
  );
}
