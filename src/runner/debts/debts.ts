import { isRecord } from "../scenario/interpolate.js";
import type { Target } from "../target/target.js";
import type { Exchange } from "../wire/exchange.js";
import { type Action, endedJobs, restAction } from "./action.js";
import { type ObservationBook, openObservations } from "./observations.js";
import { toolAction } from "./tool-action.js";

/** Something that a play did and that is not taken back. */
export interface Owed {
  /** In words: "job started". */
  what: string;
  /** Of what: a job's id, a repository's owner/repo/branch, … Empty when no answer told. */
  id: string;
  /** The credentials it was done with. */
  by: Readonly<Record<string, string>>;
  undo: Undo;
}

/** How it is taken back: by requests (method and path, with a body), by an event of the target, by a tool, or not at all. */
export type Undo =
  | { way: "requests"; kind: UndoKind; requests: readonly Ask[] }
  | { way: "drive"; event: string; values: Record<string, unknown> }
  | { way: "tool"; purpose: string; setting: string }
  | { way: "none"; why: string };

/** What requests can put back. */
export type UndoKind = "job" | "repository" | "observation";

/** A request in the contract's terms. */
export interface Ask {
  rest: string;
  json?: Record<string, unknown>;
}

/** What a run leaves behind, and why. */
export interface Leftover {
  what: string;
  id: string;
  scenario: string;
  why: string;
}

/** The book of one play: what it did to the server, read from its own exchanges, and what of it was taken back. */
export interface Debts {
  scenario: string;
  /** Reads one exchange. */
  heed(exchange: Exchange): void;
  /** Reads one event that the target was made to have, with what its hook answered. */
  driven(event: string, values: Record<string, unknown>, answer: unknown): void;
  /** Repositories that the play registered and that are still there. */
  repositories(): string[];
  owed(): Owed[];
}

/** Opens the book of a play of this scenario. */
export function openDebts(target: Target, scenario: string): Debts {
  const owed = new Map<string, Owed>();
  const observations = openObservations();
  const settle = (on: string, id: unknown) => void owed.delete(`${on} ${id}`);
  const book: Book = { owed, observations, settle, target };
  return {
    scenario,
    heed(exchange) {
      const tool = exchange.request.url === target.urls.mcp || /\/mcp\/?$/.test(exchange.request.url);
      const action = tool ? toolAction(exchange, target) : restAction(exchange, target);
      observations.see(exchange);
      for (const id of endedJobs(exchange)) settle("job", id);
      if (action && (exchange.response || !isUndoing(action))) enter(book, action, credentialsOf(exchange));
    },
    driven(event, values, answer) {
      if (event === "revoke-key") settle("key", values.key_id);
      if (event === "finish-job") settle("job", values.job_id);
      const result = isRecord(answer) && isRecord(answer.result) ? answer.result : {};
      if (event === "find" && typeof result.ref === "string") observations.own(result.ref);
    },
    repositories: () => [...owed].flatMap(([name, { id }]) => (name.startsWith("repository ") && id !== "" ? [id] : [])),
    owed: () => [...owed.values(), ...observations.owed()],
  };
}

interface Book {
  owed: Map<string, Owed>;
  observations: ObservationBook;
  settle(on: string, id: unknown): void;
  target: Target;
}

const UNNAMED: Undo = { way: "none", why: "no answer told its name" };

/** Enters an action: what it did is owed from now on, or no more. */
function enter(book: Book, action: Action, by: Owed["by"]): void {
  const { owed, observations, settle, target } = book;
  const { on, id } = action;
  const name = `${on} ${id ?? `#${owed.size}`}`;
  const again = owed.has(name);
  // A setting that nothing clears is put back by being set again; a reset of what the play registered goes with it.
  const isPutBack = again && action.on === "setting" && action.clearedBy === undefined;
  if (action.on === "observation") observations.change(action.id, action.act, by);
  else if (isUndoing(action) || isPutBack) settle(on, id);
  else if (!(again && on === "repository")) owed.set(name, { ...owedBy(action, target), id: id ?? "", by });
}

function owedBy(action: Exclude<Action, { on: "observation" }>, target: Target): Pick<Owed, "what" | "undo"> {
  const { on, act, id } = action;
  switch (on) {
    case "job":
      return { what: "job started", undo: id === undefined ? UNNAMED : asking("job", `POST /api/jobs/${inPath(id)}/cancel`) };
    case "repository":
      if (act === "reset") return { what: "repository reset", undo: { way: "none", why: "what a reset wipes is gone" } };
      return {
        what: "repository registered",
        undo: id === undefined ? UNNAMED : asking("repository", `DELETE /api/repos/${inPath(id)}`),
      };
    case "key":
      return { what: "key created", undo: id === undefined ? UNNAMED : revoking(target, id) };
    case "setting":
      return { what: "setting changed", undo: clearing(action) };
    default:
      return on satisfies never;
  }
}

/** Without an answer nothing counts as taken back. */
function isUndoing({ act }: Action): boolean {
  return act === "end" || act === "remove" || act === "clear";
}

function asking(kind: "job" | "repository", rest: string): Undo {
  return { way: "requests", kind, requests: [{ rest }] };
}

function clearing({ id, clearedBy }: { id: string; clearedBy?: string }): Undo {
  return clearedBy === undefined
    ? { way: "none", why: "what it was before is not shown" }
    : { way: "tool", purpose: clearedBy, setting: id };
}

/** KEY-REVOKE-ROUTE: how a key is revoked is not shown, so only the target can say. */
function revoking({ drive }: Target, id: string): Undo {
  if (Object.hasOwn(drive, "revoke-key")) return { way: "drive", event: "revoke-key", values: { key_id: id } };
  return { way: "none", why: "the contract shows no way to revoke a key, and the target file has no drive.revoke-key" };
}

/** An id in a path, each of its segments encoded. */
function inPath(id: string): string {
  return id.split("/").map(encodeURIComponent).join("/");
}

function credentialsOf({ request: { headers } }: Exchange): Owed["by"] {
  const { authorization, cookie } = headers;
  return { ...(authorization !== undefined && { authorization }), ...(cookie !== undefined && { cookie }) };
}
