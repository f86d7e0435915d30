import type { Entry } from "../mock/journal/read-entry.js";
import { ask, send } from "./ask.js";
import { createEventReader } from "./event-stream.js";

/** Callbacks for changes of a journal. */
export interface Follower {
  /** New calls, oldest first. With `older`, they come before all known calls. */
  take(entries: Entry[], where: "newer" | "older"): void;
  /** The journal was cleared or rewound: of the known calls, it has only those up to a number. */
  cut(to: number): void;
  connect(state: Connection): void;
}

/** The state of the connection: live, interrupted, or ended because the world is deleted. */
export type Connection = "live" | "lost" | "gone";

/** The maximum number of calls that the page keeps. */
export const maxKeptEntries = 10_000;

const firstPage = 200;
const pageSize = 1000;
const retryMs = 1000;
/** A number above that of every call. Its page is empty and has the total number of calls. */
const afterEveryCall = Number.MAX_SAFE_INTEGER;

interface Page {
  total: number;
  next: number | null;
  entries: Entry[];
}

/** Passes all past and future calls of a world to a follower, until the signal aborts. */
export async function followJournal(world: string, follower: Follower, stop: AbortSignal): Promise<void> {
  const path = `/worlds/${encodeURIComponent(world)}/journal`;
  let last: number | null = null;
  while (!stop.aborted) {
    await waitUntilVisible(stop);
    const now = await ask<Page>(`GET ${path}?after=${afterEveryCall}&limit=1`, undefined, stop);
    if (stop.aborted) return;
    if ("problem" in now) follower.connect(now.status === 404 ? "gone" : "lost");
    else {
      if (last !== null && now.value.total < last) {
        follower.cut(0);
        last = null;
      }
      if (last === null) {
        last = Math.max(0, now.value.total - firstPage);
        void readBack(path, last, now.value.total, follower, stop);
      }
      last = await stream(path, await catchUp(path, last, follower, stop), follower, stop);
      if (document.hidden) continue;
      if (!stop.aborted) follower.connect("lost");
    }
    await pause(retryMs, stop);
  }
}

/** Reads newer calls page by page, because the mock cuts off a stream that begins far behind. Returns the number of the last call. */
async function catchUp(path: string, after: number, follower: Follower, stop: AbortSignal): Promise<number> {
  let last = after;
  for (;;) {
    const page = await ask<Page>(`GET ${path}?after=${last}&limit=${pageSize}`, undefined, stop);
    if ("problem" in page) return last;
    follower.take(page.value.entries, "newer");
    last = page.value.entries.at(-1)?.number ?? last;
    if (page.value.next === null) return last;
  }
}

/** Reads older calls page by page, the newest first. */
async function readBack(path: string, from: number, total: number, follower: Follower, stop: AbortSignal): Promise<void> {
  const oldest = Math.max(0, total - maxKeptEntries);
  for (let end = from; end > oldest && !stop.aborted; end -= pageSize) {
    const begin = Math.max(oldest, end - pageSize);
    const page = await ask<Page>(`GET ${path}?after=${begin}&limit=${end - begin}`, undefined, stop);
    if ("problem" in page) return;
    const older = page.value.entries.filter(({ number }) => number <= end);
    if (older.length === 0) return;
    follower.take(older, "older");
  }
}

/**
 * Passes calls to the follower until the connection ends or the page is hidden, because a browser has few connections to a host.
 * Returns the number of the last call.
 */
async function stream(path: string, after: number, follower: Follower, stop: AbortSignal): Promise<number> {
  let last = after;
  const ended = new AbortController();
  const hide = () => document.hidden && ended.abort();
  document.addEventListener("visibilitychange", hide);
  try {
    const answer = await send(`GET ${path}/stream?after=${after}`, undefined, { signal: AbortSignal.any([stop, ended.signal]) });
    if (!answer.ok || !answer.body) return last;
    follower.connect("live");
    const read = createEventReader();
    for await (const piece of answer.body.pipeThrough(new TextDecoderStream())) {
      const entries = read(piece).map((data) => JSON.parse(data) as Entry);
      for (const entry of entries) {
        if (entry.number <= last) follower.cut(entry.number - 1);
        last = entry.number;
        follower.take([entry], "newer");
      }
    }
  } catch {
    // the connection has failed, or this page has closed it
  } finally {
    document.removeEventListener("visibilitychange", hide);
  }
  return last;
}

function pause(ms: number, stop: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    stop.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

/** Waits until the page is visible. */
function waitUntilVisible(stop: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const look = () => {
      if (document.hidden && !stop.aborted) return;
      document.removeEventListener("visibilitychange", look);
      resolve();
    };
    document.addEventListener("visibilitychange", look);
    stop.addEventListener("abort", look);
    look();
  });
}
