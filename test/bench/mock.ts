import { join } from "node:path";
import { packageRoot } from "../../src/contract/load.js";
import { type CommandLine, type Server, startServer } from "./processes.js";

/** The command of the package, as it is installed. */
export const cli: string = join(packageRoot, "dist/bundled/cli/main.js");

/** A running mock, and what to call it with. */
export interface MockServer extends Server {
  key: string;
  repo: string;
}

/** The command line of a mock without full buckets: the load needs more requests than a minute allows. */
export function mockLine(port: number, ...more: string[]): CommandLine {
  const ports = ["--port", String(port), "--app-port", "0", "--docs-port", "0"];
  return [process.execPath, cli, "mock", ...ports, "--limits", "off", "--json", ...more];
}

/** Starts a mock in a separate process. */
export async function startMockServer(...more: string[]): Promise<MockServer> {
  const server = await startServer((port) => mockLine(port, ...more), "/__mock/health");
  const { keys, repos } = JSON.parse(await server.firstLine) as { keys: Record<string, string>; repos: string[] };
  return { ...server, key: keys.full!, repo: repos[0]! };
}
