import { batch, computed, effect, signal } from "@preact/signals";
import type { Entry } from "../mock/journal/read-entry.js";
import { ask, type Outcome } from "./ask.js";
import { type CallFilter, filterCalls, noFilter } from "./filter.js";
import { type Connection, followJournal, maxKeptEntries } from "./follow.js";

/** The views of the console, in the order of their tabs. */
export const tabs = ["traffic", "state", "keys", "faults", "drives", "errors", "worlds", "report"] as const;
/** A view of the console. */
export type TabName = (typeof tabs)[number];

/** A world as the control plane describes it. */
export interface WorldView {
  id: string;
  keys: Record<string, string>;
  sessions: Record<string, string>;
  repos: string[];
  calls: number;
}

const [hashWorld, hashTab] = location.hash.slice(1).split("/").map(decodeName);

/** The selected world. */
export const worldId = signal(hashWorld || "default");
/** The open view. */
export const tab = signal<TabName>(tabs.find((name) => name === hashTab) ?? "traffic");
/** The calls that the page has, oldest first. */
export const entries = signal<readonly Entry[]>([]);
/** Whether new calls arrive. */
export const connection = signal<Connection>("lost");
/** The filter of the calls. */
export const callFilter = signal<CallFilter>(noFilter);
/** The calls that the filter shows, oldest first. */
export const shownEntries = computed(() => filterCalls(entries.value, callFilter.value));
/** The number of the selected call. */
export const selected = signal<number | null>(null);
/** The last action of the user. Screen readers announce it. */
export const notice = signal<{ text: string; wrong: boolean } | null>(null);
/** Changes when the world may have changed. */
export const revision = signal(0);
/** The mock's list of its control plane. */
export const routes = signal<ReadonlySet<string>>(new Set());
/** The address of the control plane's reference. */
export const explorer = signal("");
/** The addresses of the API host and the app host. */
export const addresses = signal<readonly string[]>([location.origin]);
/** The selected world with its keys. */
export const world = signal<WorldView | null>(null);
/** The fault that the form begins with. */
export const initialFault = signal<object | null>(null);

/** Returns a control-plane path of the selected world. */
export function buildWorldPath(rest = ""): string {
  return `/worlds/${encodeURIComponent(worldId.value)}${rest}`;
}

/** Sends a change to the mock, shows the result and reloads every view. */
export async function sendChange<Value>(on: string, body: unknown, say: (value: Value) => string): Promise<Outcome<Value>> {
  const outcome = await ask<Value>(on, body);
  notice.value = "problem" in outcome ? { text: outcome.problem, wrong: true } : { text: say(outcome.value), wrong: false };
  revision.value++;
  return outcome;
}

/** Drops the calls after a number, which the world's journal no longer has. */
export function dropCallsAfter(last: number): void {
  batch(() => {
    entries.value = entries.value.filter(({ number }) => number <= last);
    if (selected.value !== null && selected.value > last) selected.value = null;
  });
}

/** Shows a call in the list of all calls. */
export function showCall(number: number): void {
  batch(() => {
    callFilter.value = noFilter;
    selected.value = number;
    tab.value = "traffic";
  });
}

/** Selects another world. */
export function selectWorld(id: string): void {
  batch(() => {
    worldId.value = id;
    selected.value = null;
    notice.value = { text: `The world ${id} is selected.`, wrong: false };
    revision.value++;
  });
}

/** Loads the description of the mock and follows the selected world. Call it when a token is set. */
export function start(): () => void {
  void loadDescription();
  const stopFollowing = effect(() => {
    const id = worldId.value;
    const stop = new AbortController();
    batch(() => {
      entries.value = [];
      world.value = null;
    });
    void followJournal(id, createFollower(stop.signal), stop.signal);
    return () => stop.abort();
  });
  const stopNaming = effect(() => {
    void tab.value;
    notice.value = null; // a message is about the view that caused it
  });
  const stopAddressing = effect(() => {
    history.replaceState(null, "", `#${encodeURIComponent(worldId.value)}/${tab.value}`);
  });
  return () => {
    stopFollowing();
    stopNaming();
    stopAddressing();
  };
}

async function loadDescription(): Promise<void> {
  const root = await ask<{ routes: { route: string }[]; explorer: string }>("GET /");
  if ("value" in root) {
    routes.value = new Set(root.value.routes.map(({ route }) => route));
    explorer.value = root.value.explorer;
  }
  const target = await ask<{ app_url: string }>("GET /target");
  if ("value" in target) addresses.value = [location.origin, target.value.app_url];
}

/** Returns a function that collects items until the next frame, so that a burst is drawn once. */
function createFollower(stop: AbortSignal) {
  let older: Entry[] = [];
  let newer: Entry[] = [];
  let waiting = false;
  const flush = () => {
    waiting = false;
    if (stop.aborted) return;
    const hasNewItems = newer.length > 0;
    entries.value = [...older, ...entries.value, ...newer].slice(-maxKeptEntries);
    older = [];
    newer = [];
    if (hasNewItems) revision.value++;
  };
  const wake = () => {
    if (waiting) return;
    waiting = true;
    // a hidden page gets no frames
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
      dropCallsAfter(to);
    },
    connect(state: Connection) {
      connection.value = state;
      revision.value++;
    },
  };
}

function decodeName(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return "";
  }
}
