import { batch, computed, effect, signal } from "@preact/signals";
import type { Entry } from "../mock/journal/entry.js";
import { ask, type Outcome } from "./ask.js";
import { choose, type Wish } from "./filter.js";
import { type Connection, followJournal, mostKept } from "./follow.js";

/** The rooms of the console, in the order of their tabs. */
export const tabs = ["traffic", "state", "keys", "faults", "drives", "errors", "worlds", "report"] as const;
/** One of them. */
export type TabName = (typeof tabs)[number];

/** A world as the control plane describes it. */
export interface WorldFace {
  id: string;
  keys: Record<string, string>;
  sessions: Record<string, string>;
  repos: string[];
  calls: number;
}

const [hashWorld, hashTab] = location.hash.slice(1).split("/").map(decoded);

/** The world that is looked at. */
export const worldId = signal(hashWorld || "default");
/** The room that is open. */
export const tab = signal<TabName>(tabs.find((name) => name === hashTab) ?? "traffic");
/** The calls that are known, oldest first. */
export const entries = signal<readonly Entry[]>([]);
/** Whether more arrive. */
export const connection = signal<Connection>("lost");
/** Which of them are shown. */
export const wish = signal<Wish>({ words: "", kind: null });
/** Those that are shown, oldest first. */
export const shown = computed(() => choose(entries.value, wish.value));
/** The number of the call that is looked at. */
export const selected = signal<number | null>(null);
/** The last thing that was done from here, said aloud too. */
export const notice = signal<{ text: string; wrong: boolean } | null>(null);
/** Changes whenever something may have happened in the world. */
export const pulse = signal(0);
/** What the mock can do, by its own list. */
export const routes = signal<ReadonlySet<string>>(new Set());
/** Where the mock explains its control plane. */
export const explorer = signal("");
/** Where the mock answers calls: its API and, for people signed in, the app. */
export const addresses = signal<readonly string[]>([location.origin]);
/** The world itself, its keys for one. */
export const world = signal<WorldFace | null>(null);
/** The fault that the composer of faults begins with. */
export const wantedFault = signal<object | null>(null);

/** The path of something of the world that is looked at. */
export function here(rest = ""): string {
  return `/worlds/${encodeURIComponent(worldId.value)}${rest}`;
}

/** Does something to the mock, says what came of it and has everything looked at anew. */
export async function act<Value>(on: string, body: unknown, say: (value: Value) => string): Promise<Outcome<Value>> {
  const outcome = await ask<Value>(on, body);
  notice.value = "problem" in outcome ? { text: outcome.problem, wrong: true } : { text: say(outcome.value), wrong: false };
  pulse.value++;
  return outcome;
}

/** Forgets the calls behind a number: the world's journal has them no more. */
export function cutTo(last: number): void {
  batch(() => {
    entries.value = entries.value.filter(({ number }) => number <= last);
    if (selected.value !== null && selected.value > last) selected.value = null;
  });
}

/** Looks at another world. */
export function enter(id: string): void {
  batch(() => {
    worldId.value = id;
    selected.value = null;
    notice.value = { text: `Now in the world ${id}.`, wrong: false };
    pulse.value++;
  });
}

/** Learns what the mock is, and follows the world that is looked at. To be called once a token is there, and again with another. */
export function begin(): () => void {
  void learn();
  const stopFollowing = effect(() => {
    const id = worldId.value;
    const stop = new AbortController();
    batch(() => {
      entries.value = [];
      world.value = null;
    });
    void followJournal(id, follower(stop.signal), stop.signal);
    return () => stop.abort();
  });
  const stopNaming = effect(() => {
    history.replaceState(null, "", `#${encodeURIComponent(worldId.value)}/${tab.value}`);
  });
  return () => {
    stopFollowing();
    stopNaming();
  };
}

async function learn(): Promise<void> {
  const root = await ask<{ routes: { route: string }[]; explorer: string }>("GET /");
  if ("value" in root) {
    routes.value = new Set(root.value.routes.map(({ route }) => route));
    explorer.value = root.value.explorer;
  }
  const target = await ask<{ app_url: string }>("GET /target");
  if ("value" in target) addresses.value = [location.origin, target.value.app_url];
}

/** Gathers what arrives until the next frame, so that a burst is drawn once. */
function follower(stop: AbortSignal) {
  let older: Entry[] = [];
  let newer: Entry[] = [];
  let waiting = false;
  const flush = () => {
    waiting = false;
    if (stop.aborted) return;
    const hadNews = newer.length > 0;
    entries.value = [...older, ...entries.value, ...newer].slice(-mostKept);
    older = [];
    newer = [];
    if (hadNews) pulse.value++;
  };
  const wake = () => {
    if (waiting) return;
    waiting = true;
    // no frame comes while the page is hidden
    if (document.hidden) setTimeout(flush, 100);
    else requestAnimationFrame(flush);
  };
  return {
    take(some: Entry[], where: "newer" | "older") {
      if (where === "newer") newer.push(...some);
      else older = [...some, ...older];
      wake();
    },
    cut(to: number) {
      older = older.filter(({ number }) => number <= to);
      newer = newer.filter(({ number }) => number <= to);
      cutTo(to);
    },
    connect(state: Connection) {
      connection.value = state;
      pulse.value++;
    },
  };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return "";
  }
}
