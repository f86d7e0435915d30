import type { Entry } from "../mock/journal/entry.js";
import { ask, send } from "./ask.js";
import { eventReader } from "./event-stream.js";

/** Who is told what becomes of a journal. */
export interface Follower {
  /** Calls that were not known yet, oldest first; `older` ones lie before all that are known. */
  take(entries: Entry[], where: "newer" | "older"): void;
  /** The journal was begun anew, or taken back: of what is known only the calls up to a number are still in it. */
  cut(to: number): void;
  connect(state: Connection): void;
}

/** Whether calls arrive: yes, not at present, or never again as the world is gone. */
export type Connection = "live" | "lost" | "gone";

/** How many calls are kept in the page. */
export const mostKept = 10_000;

const firstPage = 200;
const pageSize = 1000;
const againMs = 1000;
/** Behind every call: an empty page that says how many there are. */
const beyond = Number.MAX_SAFE_INTEGER;

interface Page {
  total: number;
  next: number | null;
  entries: Entry[];
}

/** Tells a follower all calls of a world, those of the past and those to come, until the signal says stop. */
export async function followJournal(world: string, follower: Follower, stop: AbortSignal): Promise<void> {
  const path = `/worlds/${encodeURIComponent(world)}/journal`;
  let last: number | null = null;
  while (!stop.aborted) {
    await seen(stop);
    const now = await ask<Page>(`GET ${path}?after=${beyond}&limit=1`, undefined, stop);
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
    await pause(againMs, stop);
  }
}

/** Reads what has come since, page by page: a stream that begins far behind would be cut off. Answers the number of the last. */
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

/** Reads what lies before, page by page, the newest first. */
async function readBack(path: string, from: number, total: number, follower: Follower, stop: AbortSignal): Promise<void> {
  const oldest = Math.max(0, total - mostKept);
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
 * Passes calls on until the connection ends, or the page is hidden: a browser has few connections to a host, and more pages may be open.
 * Answers the number of the last.
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
    const read = eventReader();
    for await (const piece of answer.body.pipeThrough(new TextDecoderStream())) {
      const entries = read(piece).map((data) => JSON.parse(data) as Entry);
      for (const entry of entries) {
        if (entry.number <= last) follower.cut(entry.number - 1);
        last = entry.number;
        follower.take([entry], "newer");
      }
    }
  } catch {
    // the connection broke, or was ended from here
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

/** Waits until the page is seen. */
function seen(stop: AbortSignal): Promise<void> {
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
