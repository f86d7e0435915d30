import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll } from "vitest";
import { type Mock, startMock } from "../../src/mock/server.js";
import { type Handler, serve } from "../engine/server.js";
import { type AroundWire, openProxy } from "../mutants/wire.js";
import { counterpartIn, counterpartProcessIn, type Ended } from "./counterpart.js";

/** The options of a run, without the address. */
export interface RunOptions {
  /** More lines of a target file. */
  lines?: string[];
  key?: string;
  args?: string[];
  /** Environment variables that a process reads when it starts. With them the run has a separate process. */
  env?: NodeJS.ProcessEnv;
}

/** A scenario of reads with the key of all scopes. A file is read faster than the whole suite. */
export const LIST = "page-limit";

const open: { close(): unknown }[] = [];
let directory: string;
let mock: Mock;

/** Opens a mock for the runs before the tests of a file. Closes it after them, with everything else that they opened. */
export function openStarts(): void {
  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), "starts-"));
    mock = await startMock({ clock: "frozen" });
  });
  afterAll(async () => {
    await Promise.all(open.splice(0).map((each) => each.close()));
    rmSync(directory, { recursive: true });
    await mock.close();
  });
}

/** Examines a server by a few scenarios, with a target file of these lines if there are any. */
export async function examine(
  url: string,
  { lines = [], key, args = [], env }: RunOptions = {},
): Promise<Ended & { first: string }> {
  const own = ownDirectory();
  const target = join(own, "target.yaml");
  writeFileSync(target, [`base_url: ${url}`, ...lines].join("\n"));
  const where = lines.length > 0 ? ["--target", target] : [url];
  const with_ = { PATH: process.env.PATH, ...(key !== undefined && { COUNTERPART_KEY: key }), ...env };
  const only = args.includes("--only") ? [] : ["--only", LIST];
  const start = env ? counterpartProcessIn : counterpartIn;
  const ended = await start(with_, "verify", ...where, ...only, "--out", join(own, "out"), ...args);
  const [first = ""] = (ended.out || ended.err).split("\n");
  return { ...ended, first };
}

/** A directory that goes after the tests. */
export function ownDirectory(): string {
  return mkdtempSync(join(directory, "start-"));
}

/** Closes something after the tests. */
export function closeLater<T extends { close(): unknown }>(one: T): T {
  open.push(one);
  return one;
}

/** Opens a server that answers with the handler. */
export async function openServer(handler: Handler) {
  return closeLater(await serve(handler));
}

/** The mock's API host behind a proxy that does not describe itself, so the run finds no worlds. */
export async function startBehind(wrapCall: AroundWire = (relayedRequest, send) => send(relayedRequest)): Promise<string> {
  const proxy = await openProxy("api", mock.api_url, async (relayedRequest, send) =>
    relayedRequest.path.startsWith("/__mock/") ? { status: 404, headers: {}, text: "" } : wrapCall(relayedRequest, send),
  );
  return closeLater(proxy).url;
}

/** The address of the mock, which describes itself. */
export const mockUrl = () => mock.api_url;

/** The mock's key of a role. */
export const getKey = (role: string) => mock.keys[role] as string;

/** The line of a target file that names the mock's repositories. */
export const repos = () => [`repos: [${mock.repos.join(", ")}]`];
