import { type ChildProcess, execFile, execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { main } from "../../../cli/counterpart.js";
import { readGuide } from "../../../meta/guide.js";

/** The programs that the tests of a cluster need on the machine. */
export const debian = {
  name: "redis-server or nginx (apt-get install redis-server nginx)",
  found: ["redis-server", "nginx"].every(isInstalled),
};

/** A program that was started for a test. */
export interface Program {
  process: ChildProcess;
  port: number;
}

const call = promisify(execFile);
const running = new Set<ChildProcess>();
let directory: string | undefined;

/** Starts a separate Redis that stores every write. */
export async function startRedis(port?: number, ...more: string[]): Promise<Program> {
  const at = port ?? (await freePort());
  const keeps = [
    "--appendonly",
    "yes",
    "--appendfsync",
    "everysec",
    "--save",
    "",
    "--dir",
    folder(),
    "--appenddirname",
    `aof-${at}`,
  ];
  const process = start("redis-server", ["--port", String(at), "--bind", "127.0.0.1", ...keeps, ...more]);
  await waitUntil(async () =>
    (await redis(at, ...(more.includes("--requirepass") ? ["-a", "secret"] : []), "PING")).includes("PONG"),
  );
  return { process, port: at };
}

/** Sends a command to a Redis server and returns its reply. */
export async function redis(port: number, ...command: string[]): Promise<string> {
  return (await call("redis-cli", ["-p", String(port), ...command])).stdout.trim();
}

/** Starts a mock that shares the worlds of a store. */
export async function startReplica(store: number, port: number, ...more: string[]): Promise<Program> {
  const ports = ["--port", String(port), "--app-port", "0", "--docs-port", "0", "--json"];
  const process = start(globalThis.process.execPath, [main, "mock", ...ports, "--store", `redis://127.0.0.1:${store}`, ...more]);
  await new Promise<void>((resolve, reject) => {
    process.stdout?.once("data", () => resolve());
    process.once("exit", () => reject(new Error("the mock ended")));
  });
  return { process, port };
}

/** Starts nginx as the guide says, before mocks at other ports. */
export async function startNginx(mocks: readonly number[], port: number): Promise<Program> {
  let text = /```nginx\n([\s\S]+?)```/.exec(readGuide("sharing"))![1]!.replace("listen 8080;", `listen 127.0.0.1:${port};`);
  mocks.forEach((mock, i) => {
    text = text.replace(`127.0.0.1:40${i + 1}0 `, `127.0.0.1:${mock} `);
  });
  const own = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((what) => `${what}_temp_path ${folder()}/${what};`);
  const file = writeFile(`nginx-${port}.conf`, text.replace("http {", `http {\n  access_log off;\n  ${own.join("\n  ")}`));
  const globals = `daemon off; pid ${folder()}/nginx-${port}.pid; error_log stderr crit;`;
  const process = start("nginx", ["-p", folder(), "-c", file, "-g", globals]);
  await waitUntil(async () => (await fetch(`http://127.0.0.1:${port}/__mock/health`)).ok);
  return { process, port };
}

/** Ends a program with a signal, and waits until it has. */
export async function end({ process }: Program, signal: NodeJS.Signals = "SIGTERM"): Promise<void> {
  if (process.exitCode !== null || process.signalCode !== null) return;
  const ended = new Promise((resolve) => process.once("exit", resolve));
  process.kill(signal);
  await ended;
}

/** Ends all programs that still run, and deletes their files. */
export async function endAll(): Promise<void> {
  for (const process of running) await end({ process, port: 0 }, process.spawnfile === "nginx" ? "SIGTERM" : "SIGKILL");
  if (directory) rmSync(directory, { recursive: true, force: true });
  directory = undefined;
}

/** A port that nobody listens on. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Repeats a test until it passes, for at most 30 seconds. */
export async function waitUntil(condition: () => Promise<boolean>): Promise<void> {
  for (let i = 0; i < 600; i++) {
    if (await condition().catch(() => false)) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error("it never was so");
}

/** Writes a file for the programs and returns its path. */
function writeFile(name: string, text: string): string {
  const file = join(folder(), name);
  writeFileSync(file, text);
  return file;
}

function start(command: string, args: string[]): ChildProcess {
  const process = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  process.stderr?.on("data", (text) => (output += String(text)));
  process.stdout?.resume();
  running.add(process);
  process.once("exit", (code) => {
    running.delete(process);
    if (code) console.warn(`${command} ended with ${code}: ${output.slice(0, 2000)}`);
  });
  return process;
}

function folder(): string {
  directory ??= mkdtempSync(join(tmpdir(), "fleet-"));
  return directory;
}

function isInstalled(program: string): boolean {
  try {
    execFileSync("which", [program], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}
