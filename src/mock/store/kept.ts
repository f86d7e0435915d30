import { promisify } from "node:util";
import { inflate } from "node:zlib";
import { loadFixture, nameOfFixture } from "../fixtures.js";
import { returnTo } from "../log/checkpoint.js";
import type { LogEntry } from "../log/entry.js";
import { type Checkpoint, openLog } from "../log/log.js";
import { type Beginning, beginWorld, play, wake } from "../replay/play.js";
import type { Site } from "../site.js";
import type { Founding, HostedWorld } from "../worlds.js";
import type { Redis } from "./redis.js";

/** A state that stands in the store in the place of the log up to a number. */
export interface KeptState {
  number: number;
  begun: number;
  state: Checkpoint;
}

type KeptBeginning = Omit<Beginning, "founding"> & {
  founding: Omit<Founding, "fixture"> & { fixture: Founding["fixture"] | string };
};

const prefix = "counterpart:";
const pageSize = 1000;
const expand = promisify(inflate);

/** Where in the store the mocks say that they are alive. */
export const mockPrefix = `${prefix}mock:`;
/** Where the store says how its mocks were started. */
export const settingsKey = `${prefix}settings`;

/** Where in the store a world is: its hash, its log, the state that its log goes on from, and the names of all worlds. */
export function keysOf(id: string): { meta: string; log: string; base: string; names: string } {
  const own = `${prefix}world:{${id}}`;
  return { meta: own, log: `${own}:log`, base: `${own}:base`, names: `${prefix}worlds` };
}

/** How a world began, as it is kept; a fixture of the package by its name. */
export function keepBeginning({ id, founding, begun }: Beginning): string {
  const kept: KeptBeginning = {
    id,
    founding: { ...founding, fixture: nameOfFixture(founding.fixture) ?? founding.fixture },
    begun,
  };
  return JSON.stringify(kept);
}

/** Makes a world out of what is kept of it, whose clock showed what its log says at a time of the store's. It must be in these hands. */
export async function loadWorld(site: Site, redis: Redis, id: string, at: number): Promise<HostedWorld> {
  const keys = keysOf(id);
  const [beginning, base] = (await Promise.all([redis.send("HGET", keys.meta, "beginning"), redis.send("GET", keys.base)])) as [
    string,
    string | null,
  ];
  const hosted = beginWorld(site, await readBeginning(beginning));
  if (base !== null) goOnFrom(hosted, JSON.parse(String(await expand(Buffer.from(base, "base64")))) as KeptState);
  for (let after = "-"; ; ) {
    const page = (await redis.send("XRANGE", keys.log, after, "+", "COUNT", pageSize)) as [string, [string, string]][];
    for (const [, [, text]] of page) await play(site, hosted, JSON.parse(text) as LogEntry);
    if (page.length < pageSize) break;
    after = `(${page.at(-1)![0]}`;
  }
  wake(hosted);
  const { clock } = hosted;
  const ago = redis.time() - at;
  // it went on while nobody had it
  clock.since.wallMs -= ago;
  if (clock.wait) clock.wait.wallMs -= ago;
  return hosted;
}

function goOnFrom(hosted: HostedWorld, { number, begun, state }: KeptState): void {
  returnTo(hosted, state);
  hosted.begun = begun;
  hosted.log = openLog(state, {}, number);
}

async function readBeginning(text: string): Promise<Beginning> {
  const { founding, ...rest } = JSON.parse(text) as KeptBeginning;
  if (typeof founding.fixture !== "string") return { ...rest, founding: { ...founding, fixture: founding.fixture } };
  const read = await loadFixture(founding.fixture);
  if ("mistakes" in read) throw new Error(read.mistakes.join(" "));
  return { ...rest, founding: { ...founding, fixture: read.fixture } };
}
