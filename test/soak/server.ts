import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { main } from "../cli/counterpart.js";

/** The memory of a server after a garbage collection, in MB. */
export interface Memory {
  heap: number;
  rss: number;
}

/** A mock in a separate process. */
export interface Server {
  url: string;
  mcp: string;
  control: string;
  memory(): Promise<Memory>;
  died(): boolean;
  stop(): Promise<void>;
}

/** Sends its memory use to the parent process on request. */
const MEMORY_REPORTER = 'process.on("message",()=>{gc();gc();process.send(process.memoryUsage())});process.channel.unref();';
/** Keeps every deleted world: a leak, which shows that the measurement finds one. */
const MEMORY_LEAK =
  "const kept=[];const {delete:remove}=Map.prototype;Map.prototype.delete=function(k){if(/^w\\d+$/.test(k))kept.push(this.get(k));return remove.call(this,k)};";
const ports = ["--port", "0", "--app-port", "0", "--docs-port", "0"];

/** Starts a mock that tells its memory; with `leak` one that loses it. */
export async function startServer(leak: boolean): Promise<Server> {
  const preloadModule = `data:text/javascript,${encodeURIComponent(leak ? MEMORY_REPORTER + MEMORY_LEAK : MEMORY_REPORTER)}`;
  const child = spawn(process.execPath, ["--expose-gc", "--import", preloadModule, main, "mock", ...ports, "--json", "--quiet"], {
    stdio: ["ignore", "pipe", "inherit", "ipc"],
    detached: true, // a Ctrl-C is for the load; the server goes when the load has ended
  });
  process.once("exit", () => child.kill("SIGKILL"));
  const ready = await Promise.race([firstLine(child), once(child, "exit").then(() => null)]);
  if (ready === null) throw new Error("the mock ended before it was ready");
  const { api_url, mcp_url, control_url } = JSON.parse(ready) as Record<"api_url" | "mcp_url" | "control_url", string>;
  return {
    url: api_url,
    mcp: mcp_url,
    control: control_url,
    memory: () => getMemory(child),
    died: () => child.exitCode !== null || child.signalCode !== null,
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill();
      await once(child, "exit");
    },
  };
}

async function firstLine(child: ChildProcess): Promise<string> {
  const [line] = (await once(createInterface({ input: child.stdout! }), "line")) as [string];
  return line;
}

async function getMemory(child: ChildProcess): Promise<Memory> {
  child.send("memory");
  const [{ heapUsed, rss }] = (await once(child, "message")) as [NodeJS.MemoryUsage];
  return { heap: heapUsed / 1e6, rss: rss / 1e6 };
}
