import type { Command } from "commander";
import { callLine } from "../mock/call-line.js";
import type { Entry } from "../mock/journal-entry.js";
import type { Mock } from "../mock/mock-world.js";
import type { MockOptions } from "../mock/options.js";
import { openMock } from "./beside-mock.js";
import { exportSnapshot } from "./export-snapshot.js";
import { addMockOptions, flag, type MockFlags, mockOptionsOf, portNumber } from "./mock-options.js";
import { exitCodes, stop } from "./run.js";

interface Flags extends MockFlags {
  port: number;
  appPort: number;
  docsPort: number;
  json?: true;
  quiet?: true;
  store?: string;
  publicUrl?: string;
  publicAppUrl?: string;
  publicDocsUrl?: string;
}

/** `counterpart mock`: starts the stand-in server and keeps it running until it is told to end. */
export function addMock(program: Command): void {
  const command = program.command("mock").description("start the stand-in server");
  addMockOptions(command)
    .addOption(flag("--port <n>", "port of the API host, 0 for any free one").argParser(portNumber).default(4010))
    .addOption(flag("--app-port <n>", "port of the web app's host").argParser(portNumber).default(4011))
    .addOption(flag("--docs-port <n>", "port of the docs site").argParser(portNumber).default(4012))
    .addOption(flag("--store <url>", "share the worlds with other mocks by a Redis or Valkey: redis://host:6379"))
    .addOption(flag("--public-url <url>", "where a proxy leads to the API host: what the mock says of its own address"))
    .addOption(flag("--public-app-url <url>", "the same of the web app's host (default: below --public-url)"))
    .addOption(flag("--public-docs-url <url>", "the same of the docs site (default: below --public-url)"))
    .option("--json", "one line of JSON when ready, for programs")
    .option("--quiet", "say nothing when ready, and no line for each call")
    .action(startAndStay);
}

async function startAndStay(flags: Flags): Promise<void> {
  const shows = !flags.quiet && !flags.json && process.stdout.isTTY;
  const onCall = (entry: Entry, world: string) => console.log(callLine(entry, world));
  if (flags.store && flags.exportOnExit)
    return stop("--export-on-exit writes down what one mock has, and with --store the world may be elsewhere: give one of them.");
  const mock = await openMock({ ...optionsOf(flags), ...(shows && { onCall }) }, flags.store);
  if ("problem" in mock) return stop(mock.problem, mock.unreachable ? exitCodes.fault : exitCodes.badInput);
  const end = async () => {
    await mock.close();
    if (flags.exportOnExit) exportSnapshot(mock, flags.exportOnExit);
  };
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void end());
  if (flags.json) console.log(JSON.stringify(readyLine(mock)));
  else if (!flags.quiet) console.log(readyText(mock));
}

function optionsOf(flags: Flags): MockOptions {
  const { port, appPort, docsPort, publicUrl, publicAppUrl, publicDocsUrl } = flags;
  return {
    ...mockOptionsOf(flags),
    ...{ port, appPort, docsPort },
    ...(publicUrl !== undefined && { publicUrl }),
    ...(publicAppUrl !== undefined && { publicAppUrl }),
    ...(publicDocsUrl !== undefined && { publicDocsUrl }),
  };
}

/** What a program needs to know of a mock that is ready. */
function readyLine({ api_url, app_url, docs_url, mcp_url, control_url, keys, sessions, repos }: Mock): object {
  return { api_url, app_url, docs_url, mcp_url, control_url, keys, sessions, repos };
}

function readyText(mock: Mock): string {
  const width = Math.max(...Object.keys(mock.keys).map((role) => role.length));
  const keys = Object.entries(mock.keys).map(([role, key]) => `  ${role.padEnd(width)}  ${key}`);
  const sessions = Object.entries(mock.sessions).map(([role, cookie]) => `  ${role.padEnd(width)}  ${cookie}`);
  return [
    `API      ${mock.api_url}`,
    `App      ${mock.app_url}`,
    `Docs     ${mock.docs_url}`,
    `Tools    ${mock.mcp_url}`,
    `Control  ${mock.control_url} (in a browser: the console)`,
    "",
    "Keys, by what they may do:",
    ...keys,
    "Cookies for the app host:",
    ...sessions,
    "",
    "Try:",
    `  curl -H 'Authorization: Bearer ${mock.keys.full}' ${mock.api_url}/api/repos`,
  ].join("\n");
}
