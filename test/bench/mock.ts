import { fileURLToPath } from "node:url";
import { type CommandLine, type Server, startServer } from "./processes.js";

/** The program of the package. */
export const cli: string = fileURLToPath(new URL("../../src/cli/main.js", import.meta.url));

/** A running mock, and what to call it with. */
export interface MockServer extends Server {
  key: string;
  repo: string;
}

/** The command line of a mock in which no bucket refuses: one minute's worth of requests is over in a moment here. */
export function mockLine(port: number, ...more: string[]): CommandLine {
  const ports = ["--port", String(port), "--app-port", "0", "--docs-port", "0"];
  return [process.execPath, cli, "mock", ...ports, "--limits", "off", "--json", ...more];
}

/** Starts a mock in a process of its own. */
export async function startMockServer(...more: string[]): Promise<MockServer> {
  const server = await startServer((port) => mockLine(port, ...more), "/__mock/health");
  const { keys, repos } = JSON.parse(await server.firstLine) as { keys: Record<string, string>; repos: string[] };
  return { ...server, key: keys.full!, repo: repos[0]! };
}
