import type { Command } from "commander";
import { formatProblemLines } from "../common/problem.js";
import { addMockOptions, type MockFlags, parseMockOptions } from "./mock-options.js";
import { stop } from "./run.js";
import { startSilentMock } from "./start-mock.js";

/** Adds `counterpart mcp`, which serves this toolkit's tools to a coding agent over standard input and output. */
export function addMcp(program: Command): void {
  const command = program
    .command("mcp")
    .description(
      "serve the mock's control plane and verify, reproduce, show and clauses as MCP tools on standard input and output",
    )
    .argument("[url]", "API address of a running mock; without it, a mock is started on free ports");
  addMockOptions(command).action(serveTools);
}

async function serveTools(url: string | undefined, flags: MockFlags, command: Command): Promise<void> {
  if (url !== undefined && !(URL.canParse(url) && /^https?:\/\//.test(url)))
    return stop(`"${url}" is not an address. Use one such as http://127.0.0.1:4010.`);
  const mock = url === undefined ? await startSilentMock(parseMockOptions(flags)) : undefined;
  if (mock && "problem" in mock) return stop(formatProblemLines(mock));
  const apiUrl = mock?.api_url ?? url!.replace(/\/$/, "");
  const { openAgentServer } = await import("./mcp/agent-server.js");
  const server = await openAgentServer(command.parent!, apiUrl, flags.adminToken);
  for (const end of ["end", "close"])
    process.stdin.once(end, () => {
      void server.close(); // aborts the tools that run
      void mock?.close();
    });
}
