import type { RedisClientType } from "@redis/client";
import type { Problem } from "../../../common/problem.js";
import { createNotPersistedError, isNotPersisted } from "../not-persisted.js";
import type { Script } from "./scripts.js";

/** A connection to a Redis or Valkey server. */
export interface Redis {
  /**
   * Runs a script before a time of the store's clock. Repeats it while the connection is lost: running a script twice has the same effect
   * as once. The error says whether the script may have run.
   */
  run(script: Script, keys: string[], first: string | number, ...more: (string | number)[]): Promise<ScriptResult>;
  /** Returns the time of the store in milliseconds. */
  time(): number;
  /** Sends a command. */
  send(...command: (string | number)[]): Promise<unknown>;
  /** Calls back with each message on a channel. */
  listen(channel: string, onMessage: (message: string) => void): Promise<void>;
  isClosed(): boolean;
  close(): void;
}

/** The status, the store's time in milliseconds, and the other results of the script. */
export type ScriptResult = [outcome: string, now: number, ...more: (string | number)[]];

/** Longest time in milliseconds that a mock waits for the store during one response. */
const patienceMs = 1500;
/** A reply may arrive this many milliseconds after the deadline of its script. */
const graceMs = 500;
/** For this many more milliseconds a mock tries to learn whether an unconfirmed write took effect. */
const learningMs = 2000;
const pauseMs = 50;

/** The connections to a store. */
interface Clients {
  /** For commands. */
  client: RedisClientType;
  /** For messages. */
  subscriber: RedisClientType;
  /**
   * Replaces the connection for commands if it is still `silent`. The other end may be down. The timeout does not end such a connection
   * while the mock writes to it.
   */
  replace(silent: RedisClientType): void;
  close(): void;
}

/** Connects to a store. Returns a sentence if it cannot; the sentence never contains the password. */
export async function openRedis(url: string): Promise<Redis | Problem> {
  const address = readAddress(url);
  if ("problem" in address) return address;
  const library = await import("@redis/client").catch(() => null);
  if (!library) return { problem: "--store needs the package @redis/client, which is not installed: npm install @redis/client" };
  const make = () => {
    const client = library.createClient({
      url,
      RESP: 2,
      disableOfflineQueue: true,
      disableClientInfo: true,
      // a connection without traffic would reach the timeout
      pingInterval: 1000,
      socket: {
        connectTimeout: 3000,
        socketTimeout: 5000,
        reconnectStrategy: (tries) => (isUp ? pauseMs : tries < 2 && pauseMs),
      },
    });
    client.on("error", () => {}); // each waiting command rejects
    return client as unknown as RedisClientType;
  };
  let isUp = false;
  const clients: Clients = {
    client: make(),
    subscriber: make(),
    replace(silent) {
      if (clients.client !== silent || !silent.isOpen) return;
      clients.client = make();
      silent.destroy();
      clients.client.connect().catch(() => {});
    },
    close() {
      for (const one of [clients.client, clients.subscriber]) if (one.isOpen) one.destroy();
    },
  };
  const { client, subscriber, close } = clients;
  try {
    await Promise.all([client.connect(), subscriber.connect()]);
    const problem = findVersionProblem(String(await client.sendCommand(["INFO", "server"])), address.shown);
    if (problem) {
      close();
      return problem;
    }
  } catch (error) {
    close();
    return explainError(error, address.shown);
  }
  isUp = true;
  return openConnection(clients);
}

function openConnection(clients: Clients): Redis {
  // at least this many milliseconds the store's clock is ahead of this clock
  let ahead = Number.NEGATIVE_INFINITY;
  let aheadFrom = 0;
  const attempt = async ({ text, sha }: Script, keys: string[], args: string[]): Promise<ScriptResult> => {
    const { client } = clients;
    const rest = [String(keys.length), ...keys, ...args];
    const sent = performance.now();
    const response = await client
      .sendCommand(["EVALSHA", sha, ...rest])
      .catch((error: Error) =>
        error.message.startsWith("NOSCRIPT") ? client.sendCommand(["EVAL", text, ...rest]) : Promise.reject(error),
      );
    const got = response as unknown as ScriptResult;
    const came = performance.now();
    // clocks drift, so this is measured again; a slow answer is imprecise
    if (came - sent < 100 && (came - aheadFrom > 60_000 || got[1] - came > ahead)) [ahead, aheadFrom] = [got[1] - came, came];
    return got;
  };
  const answered = <T>(ms: number, work: () => Promise<T>): Promise<T> => {
    const { client } = clients;
    return runWithin(ms, work(), () => clients.replace(client));
  };
  return {
    async run(script, keys, first, ...more) {
      const deadline = performance.now() + patienceMs;
      const storeDeadline = ahead === Number.NEGATIVE_INFINITY ? 2 ** 52 : Math.floor(deadline + ahead);
      const args = [first, storeDeadline, ...more].map(String);
      let until = deadline;
      /** Whether a failed attempt may have taken effect. */
      let isUnknown = false;
      for (;;) {
        try {
          const maxMs = Math.max(until, deadline + graceMs) - performance.now();
          const response = await answered(maxMs, () => attempt(script, keys, args));
          if (response[0] === "lost" && isUnknown) throw createNotPersistedError("the store cannot tell what it did", true);
          return response;
        } catch (error) {
          if (isNotPersisted(error)) throw error;
          if (script.showsEarlier && !isResponse(error) && !wasNotSent(error)) {
            isUnknown = true;
            until = deadline + learningMs;
          }
          if (isResponse(error) || performance.now() + pauseMs > until) throw createNotPersistedError(String(error), isUnknown);
          await new Promise((resolve) => setTimeout(resolve, pauseMs));
        }
      }
    },
    time: () => Math.round(performance.now() + ahead),
    send: (...command) =>
      answered(patienceMs, () => clients.client.sendCommand(command.map(String))).catch((error: unknown) =>
        Promise.reject(createNotPersistedError(String(error))),
      ),
    listen: (channel, onMessage) => clients.subscriber.subscribe(channel, onMessage).then(() => {}),
    isClosed: () => !clients.client.isOpen,
    close: clients.close,
  };
}

/** Returns whether the store itself refused. It would refuse the command again. */
function isResponse(error: unknown): boolean {
  return error instanceof Error && /^[A-Z]{3,} /.test(error.message);
}

/** Returns whether the client refused a command because it had no connection to the store. */
function wasNotSent(error: unknown): boolean {
  return error instanceof Error && ["ClientOfflineError", "ClientClosedError"].includes(error.constructor.name);
}

async function runWithin<T>(ms: number, work: Promise<T>, onLate: () => void): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new Error("the store does not answer"));
      onLate();
    }, ms);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

/** Returns the address without its password. */
function readAddress(url: string): { shown: string } | Problem {
  const form =
    "write redis://host[:port][/database], or rediss:// for TLS, with user:password and @ before the host where needed";
  if (!URL.canParse(url)) return { problem: `--store is not an address of a Redis or Valkey server: ${form}.` };
  const { protocol, host, pathname, hostname } = new URL(url);
  if (!["redis:", "rediss:"].includes(protocol)) return { problem: `--store cannot be '${protocol}//…': ${form}.` };
  if (!hostname || !/^(\/\d{0,4})?$/.test(pathname))
    return { problem: `--store is not an address of a Redis or Valkey server: ${form}.` };
  return { shown: `${protocol}//${host}${pathname}` };
}

function findVersionProblem(info: string, shown: string): Problem | null {
  const version = /^redis_version:(\d+)(\.\d+)*/m.exec(info);
  if (!version || Number(version[1]) >= 5) return null;
  return { problem: `The store at ${shown} is of version ${version[0].slice("redis_version:".length)}; streams came with 5.0.` };
}

function explainError(error: unknown, shown: string): Problem {
  const errorText = error instanceof Error ? error.message || String((error as NodeJS.ErrnoException).code) : String(error);
  if (/^(WRONGPASS|NOAUTH|NOPERM)|password|AUTH/i.test(errorText))
    return { problem: `The store at ${shown} refuses the name or password in --store.` };
  if (/^[A-Z]{3,} /.test(errorText)) return { problem: `The store at ${shown} refuses: ${errorText}.` };
  return { problem: `The store at ${shown} cannot be reached: ${errorText}.`, unreachable: true };
}
