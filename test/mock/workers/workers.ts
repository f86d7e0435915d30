import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { main } from "../../cli/counterpart.js";

/** A mock of several processes that was started for a test. */
export interface Workers {
  url: string;
  keys: Record<string, string>;
  child: ChildProcess;
  /** What its front has said on standard error. */
  said(): string;
  /** Process ids of its workers now. */
  pids(): number[];
  /** Fulfilled when its front has ended, with the exit code and how long that took from now, in milliseconds. */
  end(signal: NodeJS.Signals): Promise<{ code: number | null; ms: number }>;
}

const running = new Set<ChildProcess>();

/** Starts a mock of so many processes on free ports. */
export async function startWorkers(count: number, ...more: string[]): Promise<Workers> {
  const args = ["mock", "--workers", String(count), "--port", "0", "--app-port", "0", "--docs-port", "0", "--json", ...more];
  const child = spawn(process.execPath, [main, ...args], { stdio: ["ignore", "pipe", "pipe"] });
  running.add(child);
  let said = "";
  child.stderr.on("data", (text) => {
    said += String(text);
  });
  const ended = once(child, "exit");
  const line = await Promise.race([once(child.stdout, "data"), ended.then(() => Promise.reject(new Error(said)))]);
  const { api_url, keys } = JSON.parse(String(line)) as { api_url: string; keys: Record<string, string> };
  return {
    url: api_url,
    keys,
    child,
    said: () => said,
    pids: () => childrenOf(child.pid!),
    async end(signal) {
      const begun = performance.now();
      child.kill(signal);
      const [code] = (await ended) as [number | null];
      running.delete(child);
      return { code, ms: performance.now() - begun };
    },
  };
}

/** Ends whatever still runs; its workers end with it. */
export function endWorkers(): void {
  for (const child of running) child.kill("SIGKILL");
  running.clear();
}

/** Whether a process is there, and not only its exit code. */
export function isAlive(pid: number): boolean {
  try {
    return !execFileSync("ps", ["-o", "stat=", "-p", String(pid)], { encoding: "utf8" }).startsWith("Z");
  } catch {
    return false;
  }
}

function childrenOf(pid: number): number[] {
  const out = execFileSync("ps", ["-A", "-o", "pid=,ppid=,stat="], { encoding: "utf8" });
  const rows = out
    .trim()
    .split("\n")
    .map((row) => row.trim().split(/\s+/));
  return rows.flatMap(([own, parent, stat]) => (Number(parent) === pid && !stat?.startsWith("Z") ? [Number(own)] : []));
}
