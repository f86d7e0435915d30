import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { main } from "../../../cli/counterpart.js";

/** A mock of several processes that was started for a test. */
export interface Workers {
  url: string;
  keys: Record<string, string>;
  child: ChildProcess;
  /** Returns the output of its front on standard error. */
  said(): string;
  /** Process ids of its workers now. */
  pids(): number[];
  /** Fulfilled when its front has ended, with the exit code and how long that took from now, in milliseconds. */
  end(signal: NodeJS.Signals): Promise<{ code: number | null; ms: number }>;
}

const running = new Set<ChildProcess>();

/** Starts a mock of this many processes on free ports. */
export function startWorkers(count: number, ...more: string[]): Promise<Workers> {
  return startWorkersIn({}, count, ...more);
}

/** Starts a mock of this many processes on free ports, with additional environment variables. */
export async function startWorkersIn(env: Record<string, string>, count: number, ...more: string[]): Promise<Workers> {
  const args = ["mock", "--workers", String(count), "--port", "0", "--app-port", "0", "--docs-port", "0", "--json", ...more];
  const child = spawn(process.execPath, [main, ...args], { stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, ...env } });
  running.add(child);
  let output = "";
  child.stderr.on("data", (text) => {
    output += String(text);
  });
  const ended = once(child, "exit");
  const line = await Promise.race([once(child.stdout, "data"), ended.then(() => Promise.reject(new Error(output)))]);
  const { api_url, keys } = JSON.parse(String(line)) as { api_url: string; keys: Record<string, string> };
  return {
    url: api_url,
    keys,
    child,
    said: () => output,
    pids: () => getChildren(child.pid!).sort((a, b) => a - b),
    async end(signal) {
      const begun = performance.now();
      child.kill(signal);
      const [code] = (await ended) as [number | null];
      running.delete(child);
      return { code, ms: performance.now() - begun };
    },
  };
}

/** Ends all mocks that still run, and their workers with them. */
export function endWorkers(): void {
  for (const child of running) child.kill("SIGKILL");
  running.clear();
}

/** Returns whether a process still runs, so that it is not only an unread exit code. */
export function isAlive(pid: number): boolean {
  return processes().some((one) => one.pid === pid);
}

function getChildren(parent: number): number[] {
  return processes().flatMap((one) => (one.parent === parent ? [one.pid] : []));
}

/** Tells whether a child runs its own program. Between fork and exec it still has that of its parent, which waits for it. */
export function runsOwnProgram(pid: number, parent: number): boolean {
  const [own, other] = [pid, parent].map((one) =>
    existsSync("/proc/self/cmdline")
      ? readFileSync(`/proc/${one}/cmdline`, "utf8")
      : execFileSync("ps", ["-o", "args=", "-p", String(one)], { encoding: "utf8" }),
  );
  return own !== other;
}

/** The processes of this machine that run. */
function processes(): { pid: number; parent: number }[] {
  const rows = existsSync("/proc/self/stat")
    ? rowsOfProc()
    : execFileSync("ps", ["-A", "-o", "pid=,stat=,ppid="], { encoding: "utf8" });
  return rows.split("\n").flatMap((row) => {
    const [, pid, state, parent] = /^\s*(\d+)\s+(\S+)\s+(\d+)/.exec(row) ?? [];
    return state === undefined || state.startsWith("Z") ? [] : [{ pid: Number(pid), parent: Number(parent) }];
  });
}

function rowsOfProc(): string {
  const ids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  const rows = ids.map((id) => {
    try {
      return readFileSync(`/proc/${id}/stat`, "utf8").replace(/\(.*\) /s, "");
    } catch {
      return ""; // it has ended since
    }
  });
  return rows.join("\n");
}
