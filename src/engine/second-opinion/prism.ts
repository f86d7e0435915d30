import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

/** The package of the validator. */
export const PRISM_PACKAGE = "@stoplight/prism-cli";

/** A server on a loopback port. */
export interface Listener {
  url: string;
  close(): Promise<void>;
}

/** Time limit for the start of the validator. It is a large program, and the machine may be busy. */
const START_MS = 60_000;
/** Runs in the child process before Prism. The child ignores Ctrl-C, which leaves time for clean-up, and exits when its parent exits. */
const CHILD_SETUP = 'process.on("SIGINT",()=>{});process.stdin.on("close",()=>process.exit()).resume()';

/** Finds the program of the installed validator and its version. Returns undefined if it is not installed. */
export function findPrism(): { cli: string; version: string } | undefined {
  for (const from of [import.meta.url, join(process.cwd(), "package.json")]) {
    const require = createRequire(from);
    try {
      const { version } = require(`${PRISM_PACKAGE}/package.json`) as { version: string };
      return { cli: require.resolve(PRISM_PACKAGE), version };
    } catch {
      // with npx, it may be installed in the project in the working directory
    }
  }
  return undefined;
}

/**
 * Starts Prism's validating proxy as a child process on a free port, or returns why it did not start. The document is a file, because
 * Prism cannot fetch it on newer versions of Node. Prism watches the file and restarts if it changes, so the file stays until `close`.
 */
export async function startPrism(cli: string, document: object, upstream: string): Promise<Listener | { why: string }> {
  const directory = await mkdtemp(join(tmpdir(), "counterpart-"));
  const file = join(directory, "openapi.json");
  const remove = () => rm(directory, { recursive: true, force: true });
  const unwritten = await writeFile(file, JSON.stringify(document)).catch((error: Error) => error.message);
  const started = unwritten === undefined ? await spawnProxy(cli, file, upstream) : { why: `${file}: ${unwritten}` };
  if (!("url" in started)) {
    await remove();
    return started;
  }
  return { ...started, close: () => started.close().finally(remove) };
}

async function spawnProxy(cli: string, document: string, upstream: string): Promise<Listener | { why: string }> {
  const setup = ["--import", `data:text/javascript,${encodeURIComponent(CHILD_SETUP)}`];
  const proxy = ["proxy", document, upstream, "--errors=false", "--cors=false", "--host", "127.0.0.1", "--port", "0"];
  const child = spawn(process.execPath, [...setup, cli, ...proxy], { stdio: ["pipe", "pipe", "ignore"] });
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()).once("error", () => resolve()));
  const close = async () => {
    child.kill();
    await ended;
  };
  const started = await waitUntilListening(child);
  if (!("url" in started)) await close();
  return "url" in started ? { ...started, close } : started;
}

async function waitUntilListening(child: ChildProcess): Promise<{ url: string } | { why: string }> {
  const lines = createInterface(child.stdout!);
  let last = "it exited without a message";
  const timer = setTimeout(() => {
    last = `it does not listen after ${START_MS / 1000} s`;
    child.kill("SIGKILL");
  }, START_MS);
  try {
    for await (const line of lines) {
      last = line;
      const url = /listening on (http:\S+)/.exec(line)?.[1];
      if (url) return { url };
    }
    return { why: last };
  } finally {
    clearTimeout(timer);
    child.stdout!.resume(); // the log of Prism would fill the pipe
  }
}
