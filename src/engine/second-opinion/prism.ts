import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

/** The package that has the validator. */
export const PACKAGE = "@stoplight/prism-cli";

/** What listens on a loopback port until it is closed. */
export interface Listener {
  url: string;
  close(): Promise<void>;
}

/** How long the validator may take to start: it is heavy, and the machine may be busy. */
const START_MS = 60_000;
/** Run in the child before Prism: it outlives a Ctrl-C, for tidying up, but never us, whose end closes its input. */
const CHILD_HABITS = 'process.on("SIGINT",()=>{});process.stdin.on("close",()=>process.exit()).resume()';

/** The program of the installed validator and its version; undefined when it is not installed. */
export function findPrism(): { cli: string; version: string } | undefined {
  for (const from of [import.meta.url, join(process.cwd(), "package.json")]) {
    const require = createRequire(from);
    try {
      const { version } = require(`${PACKAGE}/package.json`) as { version: string };
      return { cli: require.resolve(PACKAGE), version };
    } catch {
      // it may be installed beside whoever calls us, as with npx
    }
  }
  return undefined;
}

/**
 * Starts Prism's validating proxy as a child process on a free port, or says why it did not start. The document is a file, as what Prism fetches
 * with does not run on newer nodes; it stays as long as Prism does, which watches it and would begin anew.
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
  const habits = ["--import", `data:text/javascript,${encodeURIComponent(CHILD_HABITS)}`];
  const proxy = ["proxy", document, upstream, "--errors=false", "--cors=false", "--host", "127.0.0.1", "--port", "0"];
  const child = spawn(process.execPath, [...habits, cli, ...proxy], { stdio: ["pipe", "pipe", "ignore"] });
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()).once("error", () => resolve()));
  const close = async () => {
    child.kill();
    await ended;
  };
  const started = await untilListening(child);
  if (!("url" in started)) await close();
  return "url" in started ? { ...started, close } : started;
}

async function untilListening(child: ChildProcess): Promise<{ url: string } | { why: string }> {
  const lines = createInterface(child.stdout!);
  let last = "it ended without a word";
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
    child.stdout!.resume(); // what it says of each request would fill the pipe
  }
}
