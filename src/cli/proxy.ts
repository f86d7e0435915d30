import { join } from "node:path";
import type { Command } from "commander";
import type { RecordingLine } from "../client-report/recording.js";
import { makeDirectory } from "../common/directory.js";
import { formatJson } from "../common/escape/visible.js";
import { type CommandOutcome, createOutcome, outcomes } from "../common/outcomes.js";
import { writeOutputFile } from "../common/user-file.js";
import type { ProxyReport, ProxyServer } from "../proxy/proxy.js";
import { judgeClient, printClientReport } from "./client-report.js";
import { createFlag, parsePort, parseWholeNumber } from "./mock-options.js";
import { printErrors, printJson, printLines, printText } from "./output.js";
import { endProcess, stop } from "./run.js";
import { runCommand } from "./run-command.js";

interface Flags {
  port: number;
  host: string;
  allowHost?: string[];
  timeout: number;
  record?: string;
  out?: string;
  json?: true;
  quiet?: true;
}

/** Adds `counterpart proxy URL`, which passes calls between a client and a real server, and judges both by the contract. */
export function addProxy(program: Command): void {
  program
    .command("proxy")
    .description("pass calls between a client and a server, judge both by the contract, and report at the end")
    .argument("<url>", "address of the server's API host; the proxy forwards /api and /mcp/ below it")
    .argument("[command...]", "a command to run as the client, after --; without one the proxy runs until Ctrl-C")
    .addOption(createFlag("--port <n>", "port of the proxy; 0 takes a free one").argParser(parsePort).default(4020))
    .addOption(createFlag("--host <name>", "address to listen on").default("127.0.0.1"))
    .addOption(
      createFlag("--allow-host <name...>", "more host names that the proxy answers to, such as api.example.test; * for any"),
    )
    .addOption(
      createFlag("--timeout <s>", "seconds without data from the server until the client gets a 504")
        .argParser(parseWholeNumber)
        .default(60),
    )
    .addOption(createFlag("--record <file>", "write each exchange as a line of JSON for `mock --answers`; secrets are masked"))
    .addOption(
      createFlag("--out <dir>", "also write report.json, client-report.html and client-report.junit.xml to this directory"),
    )
    .option("--json", "print one line of JSON when ready, and one with the report")
    .option("--quiet", "print nothing when ready, and no line per request")
    .action(runProxy);
}

async function runProxy(url: string, command: string[], flags: Flags): Promise<void> {
  const mistake = findMistake(url);
  if (mistake !== null) return stop(mistake);
  let hasProblem = false;
  const proxy = await open(url, flags, (sentence) => {
    if (!flags.quiet || !hasProblem) printErrors(`counterpart: ${sentence}`);
    hasProblem = true;
  });
  if ("problem" in proxy) return stop(proxy.problem);
  if (flags.json) printJson({ url: proxy.url, mcp_url: `${proxy.url}/mcp/`, upstream: url });
  else if (!flags.quiet && command.length === 0)
    printLines(`Proxy    ${proxy.url}`, `Server   ${url}`, "Press Ctrl-C to end and to get the report.");
  const ended = command.length > 0 ? await runCommand(command, createEnvironment(proxy)) : await waitUntilStopped();
  await proxy.close();
  const report = proxy.report();
  if ("problem" in ended) return stop(ended.problem);
  await printReport(report, flags);
  endProcess(hasProblem ? createOutcome(outcomes.proxy["exchange-lost"], {}) : computeOutcome(report, url, ended.code));
}

/** Returns the outcome of a report and of the command that was the client. */
function computeOutcome({ requests, server, client }: ProxyReport, url: string, code: number): CommandOutcome {
  const { proxy } = outcomes;
  if (requests > 0 && server.unreachable === requests) return createOutcome(proxy.unreachable, { url });
  if (code !== 0) return createOutcome(proxy["command-failed"], { code, requests }, code);
  if (server.verdict === "findings") return createOutcome(proxy["server-findings"], { count: server.violations.length });
  const outcome = judgeClient(client, proxy);
  if (requests === 0 || outcome.verdict === "failed") return outcome;
  return server.verdict === "nothing-judged"
    ? createOutcome(proxy["nothing-judged"], { requests })
    : createOutcome(proxy.clean, { count: client.findings.length });
}

async function open(
  upstream: string,
  flags: Flags,
  onProblem: (sentence: string) => void,
): Promise<ProxyServer | { problem: string }> {
  const { port, host, allowHost, timeout: timeoutSeconds, record } = flags;
  if (timeoutSeconds === 0) return { problem: "--timeout must be at least 1." };
  const { openProxy } = await import("../proxy/proxy.js");
  try {
    const shows = !flags.quiet && !flags.json && process.stdout.isTTY;
    const onExchange = (line: RecordingLine) => {
      if (shows) printLines(formatExchange(line));
    };
    return await openProxy({
      upstream,
      host,
      allowHost,
      port,
      timeoutSeconds,
      onExchange,
      onProblem,
      ...(record !== undefined && { record }),
    });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "EADDRINUSE") return { problem: `Port ${port} of ${host} is in use. Choose another, or 0 for a free one.` };
    return { problem: message };
  }
}

/** Returns the environment of the command, with the proxy's addresses. */
function createEnvironment({ url }: ProxyServer): NodeJS.ProcessEnv {
  return { ...process.env, COUNTERPART_API_URL: url, COUNTERPART_MCP_URL: `${url}/mcp/` };
}

function waitUntilStopped(): Promise<{ code: number }> {
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => resolve({ code: 0 }));
  });
}

async function printReport(report: ProxyReport, { json, out }: Flags): Promise<void> {
  const { formatProxyReport: proxyText } = await import("../proxy/report-text.js");
  if (json) printJson(report);
  else printText(proxyText(report));
  if (out === undefined) return;
  makeDirectory(out);
  writeOutputFile(join(out, "report.json"), `${formatJson(report)}\n`);
  await printClientReport(report.client, ["html", "junit"], out);
}

/** Returns the line of an exchange for a terminal. */
export function formatExchange({ at, method, url, operation, status, took_ms, failure, broken }: RecordingLine): string {
  const what = url.startsWith("/mcp") ? `${url} ${operation}` : url;
  const why = [failure, ...broken.map(({ clause, why: what }) => `${clause}: ${what}`)].filter(Boolean).join("; ");
  return `${at.slice(11, 19)}  ${method.padEnd(6)} ${what.padEnd(44)}  ${status ?? "---"}  ${String(took_ms).padStart(5)} ms  ${why}`;
}

/** Returns what is wrong with an address, without the address: it may contain a credential. */
function findMistake(text: string): string | null {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (!url || !/^https?:$/.test(url.protocol)) return "The server's address must begin with http:// or https://.";
  if (url.username || url.password) return "The server's address must not contain a credential. The client sends its own.";
  return url.search || url.hash ? "The server's address must not have a query or a fragment." : null;
}
