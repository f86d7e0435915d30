import { type Command, InvalidArgumentError, Option } from "commander";
import { formatCount, formatDuration, formatShortList } from "../common/phrases.js";
import type { Leftover } from "../engine/cleanup/side-effects.js";
import { mcpRevisions } from "../engine/http/mcp-revisions.js";
import type { RunResult, VerifyOptions } from "../engine/run/options.js";
import type { Progress } from "../engine/run/progress.js";
import { judgeOffline } from "./bundle.js";
import { createFlag, parsePort, parseWholeNumber } from "./mock-options.js";
import { printErrors, printJson, printText } from "./output.js";
import { addReportOptions, printResult, type ReportFlags, readOutputOptions } from "./report-forms.js";
import { stop } from "./run.js";
import { startSandbox } from "./start-mock.js";
import { openTicker } from "./ticker.js";

/** The flags of `verify`: the runner's options, the reports, and the modes `--plan`, `--watch` and `--bundle`. */
export type VerifyFlags = Omit<
  VerifyOptions,
  "url" | "only" | "forms" | "out" | "signal" | "onProgress" | "onEstimate" | "onOutage" | "env" | "sandbox"
> &
  ReportFlags & { only: string[]; plan?: true; watch?: true; bundle?: string; publicKey?: string };

/** Adds `counterpart verify URL`, which verifies a server, real or mock, clause by clause. */
export function addVerify(program: Command): void {
  const command = program
    .command("verify")
    .description("verify a server, real or mock, clause by clause")
    .argument("[url]", "address of the API host; --target may name it instead");
  addVerifyOptions(command)
    .option("--plan", "print the requests, cost and duration of a run; send nothing")
    .addOption(
      new Option("--watch", "repeat failures until they pass; wait for a server that is down").conflicts([
        "plan",
        "bundle",
        "resume",
        "shard",
      ]),
    )
    .addOption(new Option("--bundle <dir>", "judge the directory of an earlier run again, offline"))
    .addOption(new Option("--public-key <file>", "with --bundle: public key (PEM) of the signature"))
    .action(verifyOrPlan);
}

async function verifyOrPlan(url: string | undefined, flags: VerifyFlags, command: Command): Promise<void> {
  const { bundle, publicKey } = flags;
  if (bundle !== undefined) return judgeOffline(url, { ...flags, bundle }, command);
  if (publicKey !== undefined) return stop("--public-key needs --bundle DIR.");
  return flags.plan ? showPlan(url, flags) : verifyServer(url, flags);
}

/** Declares the flags about the server, its key, and the profile. */
export function addTargetOptions(command: Command): Command {
  return command
    .addOption(createFlag("--target <file>", "target file: addresses, keys, hooks and bindings of the server"))
    .addOption(
      createFlag(
        "--described-ports <n,…>",
        "more ports of the same host that a server may name in its own description",
      ).argParser(parsePorts),
    )
    .addOption(createFlag("--key <key>", "bearer key of the role full"))
    .addOption(
      createFlag("--mcp-revision <date>", "revision of MCP to use; default: the newest that the server supports").choices(
        mcpRevisions,
      ),
    )
    .addOption(
      createFlag("--profile <name>", "what the run may do to the server; default: full on loopback, read-only elsewhere").choices(
        ["read-only", "safe", "full"],
      ),
    );
}

/** Declares the flags about the selection, the limits and the reports of a run. */
function addVerifyOptions(command: Command): Command {
  addTargetOptions(command)
    .addOption(new Option("--only <glob|clause|file>", "only these scenarios; repeatable").argParser(collect).default([]))
    .addOption(createFlag("--server-version <text>", "version of the server, which reports and publish name"))
    .addOption(createFlag("--surface <name>", "only this surface").choices(["rest", "mcp", "docs"]))
    .addOption(createFlag("--seed <n>", "seed of all random choices; every report prints it").argParser(parseWholeNumber))
    .addOption(
      createFlag("--runs <n>", "cases per property; default: the property's own number; 0 skips properties").argParser(
        parseWholeNumber,
      ),
    )
    .addOption(createFlag("--shard <i/n>", "the i-th of n parts of the suite").argParser(parseShard))
    .addOption(createFlag("--budget-paid <n>", "maximum number of requests that may start paid work").argParser(parseWholeNumber))
    .addOption(createFlag("--max-wait <seconds>", "longest single wait").argParser(parseWholeNumber))
    .addOption(createFlag("--max-time <seconds>", "longest run").argParser(parseWholeNumber))
    .addOption(
      createFlag(
        "--deadline <time>",
        "end the run in this time, such as 5m; run what judges most clauses first, and leave out what does not fit",
      ).argParser(parseDeadline),
    )
    .addOption(
      createFlag(
        "--wait-for-server <time>",
        "longest wait for a server that goes away during the run, such as 60s or 2m; default: 60s",
      ).argParser(parseDuration),
    )
    .addOption(createFlag("--waivers <file>", "known failures, each with an expiry date (YAML)"))
    .addOption(
      createFlag(
        "--resume <dir|file>",
        "run what an earlier run did not: it was stopped or killed, or had no connection or no time",
      ),
    )
    .addOption(
      createFlag(
        "--claim <claim>",
        "judge only these: an edition, clauses, section:N, profile:NAME or baseline:FILE; others are reported",
      ),
    )
    .addOption(new Option("--save-baseline <file>", "write the clauses that passed, for --claim baseline:FILE"))
    .addOption(createFlag("--second-opinion", "also let Prism judge the REST exchanges, apart from the verdict"))
    .addOption(createFlag("--scenarios <dir>", "another suite than the packaged one"));
  return addReportOptions(command);
}

/** Verifies a server with progress on a terminal, prints the report and sets the exit code. Ctrl-C cleans up first. */
export async function verifyServer(url: string | undefined, flags: VerifyFlags, print = printResult): Promise<void> {
  const { wantsProperties } = await import("../engine/run/selection.js");
  if (isCi(process.env) && flags.seed === undefined && wantsProperties(flags))
    return stop("In CI, properties must draw the same cases again. Give --seed N (or COUNTERPART_SEED), or --runs 0.");
  const { suite } = await import("../suite/suite.js");
  const { verify } = await import("../engine/run/verify.js");
  const { formatProgress: progressLine } = await import("../engine/run/progress.js");
  let getLeftovers: () => readonly Leftover[] = () => [];
  const signal = stopSignal(() => getLeftovers());
  const onStart: VerifyOptions["onStart"] = (ask) => {
    getLeftovers = ask;
  };
  const ticker = openTicker((progress: Progress) => progressLine(progress));
  const options = {
    ...parseOptions(url, flags),
    sandbox: startSandbox,
    signal,
    onStart,
    onProgress: ticker.show,
    onEstimate: announceDuration(flags, ticker.clear),
    onOutage(line: string) {
      ticker.clear();
      printErrors(`counterpart: ${line}`);
    },
  };
  if (flags.watch) return watchFailures(options, (result) => print(result, flags.report, flags.details), ticker.clear);
  const result = await verify(suite, options).finally(ticker.clear);
  await print(result, flags.report, flags.details);
}

/** Runs of at least this length are announced. */
const MIN_ANNOUNCED_MINUTES = 5;

/** The maximum number of clauses that the announcement of a deadline names. */
const MAX_CLAUSES = 5;

/** Announces what a deadline leaves out, or a long run and how to shorten it, unless `--max-time` is given. */
function announceDuration({ maxTime, deadline }: VerifyFlags, clear: () => void): NonNullable<VerifyOptions["onEstimate"]> {
  let isAnnounced = maxTime !== undefined && deadline === undefined;
  return ({ minutes, leftOut }) => {
    if (isAnnounced || (deadline === undefined ? minutes < MIN_ANNOUNCED_MINUTES : !leftOut)) return;
    isAnnounced = true;
    clear();
    if (leftOut) {
      const { scenarios, clauses } = leftOut;
      const judged =
        clauses.length === 0
          ? ""
          : ` No scenario judges ${formatCount(clauses.length, "clause")}: ${formatShortList(clauses, MAX_CLAUSES)}.`;
      return printErrors(
        `counterpart: The deadline of ${formatDuration(deadline ?? 0)} leaves out ${formatCount(scenarios, "scenario")}.${judged} --plan names them; --resume DIR runs them later.`,
      );
    }
    printErrors(
      `counterpart: The scenarios wait about ${Math.round(minutes)} min for rate limits and schedules, because the server's clock cannot be moved. Properties take extra time. --plan says more.`,
    );
    printErrors(
      "counterpart: To shorten the run: --deadline 5m and --resume DIR, --only, --runs N, --shard i/n, or clock in the target file.",
    );
  };
}

/** Prints the report after each run of everything, and what changed between them. */
async function watchFailures(
  options: VerifyOptions,
  print: (result: RunResult) => Promise<void>,
  clear: () => void,
): Promise<void> {
  const { suite } = await import("../suite/suite.js");
  const { watch } = await import("../engine/run/watch/watch.js");
  const rounds = openTicker((line: string) => line);
  const result = await watch(suite, options, {
    onReport(runResult) {
      clear();
      return print(runResult);
    },
    onLine(line) {
      clear();
      printErrors(line);
    },
    onRound: (round, failing) => rounds.show(`round ${round}: ${failing} failing`),
  }).finally(clear);
  if (!result.report) await print(result);
}

/** Tells whether the process runs in CI: most CI systems set this variable. */
function isCi({ CI = "" }: NodeJS.ProcessEnv): boolean {
  return !["", "0", "false"].includes(CI);
}

/** Prints the plan as text, or as JSON with `--report json`. */
async function showPlan(url: string | undefined, flags: VerifyFlags): Promise<void> {
  const { suite } = await import("../suite/suite.js");
  const { planRun: plan } = await import("../engine/run/plan/plan.js");
  const { formatPlan: planText } = await import("../engine/run/plan/plan-text.js");
  const found = await plan(suite, { ...parseOptions(url, flags), sandbox: startSandbox });
  if (!("plan" in found)) return stop(found.messages, found.exitCode);
  if (flags.report.includes("json")) printJson(found.plan);
  else printText(planText(found.plan));
}

function parseOptions(url: string | undefined, flags: VerifyFlags): VerifyOptions {
  const { report: _, plan: __, watch: ___, bundle: ____, publicKey: _____, details: ______, ...options } = flags;
  return { ...options, ...readOutputOptions(flags), ...(url !== undefined && { url }) };
}

/** Exit codes of a process that a signal ended, as shells use them. */
const EXIT_CODE_BY_SIGNAL = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;

/** The signals that stop a run. SIGHUP is not one of them, because a run that `nohup` started must outlive its terminal. */
const STOP_SIGNALS: readonly (keyof typeof EXIT_CODE_BY_SIGNAL)[] = ["SIGINT", "SIGTERM"];

/**
 * Returns a signal that Ctrl-C or SIGTERM aborts: the run then ends after its current steps and the cleanup. A second one ends the process at once
 * and prints what is left on the server. `signals`: other signals than these two.
 */
export function stopSignal(leftoversOf: () => readonly Leftover[], signals = STOP_SIGNALS): AbortSignal {
  const controller = new AbortController();
  const onSignal = (signal: keyof typeof EXIT_CODE_BY_SIGNAL) => {
    if (!controller.signal.aborted) {
      printErrors("", "counterpart: Stopping and cleaning up. Press Ctrl-C again to leave everything as it is.");
      return controller.abort();
    }
    for (const { what, id, why } of leftoversOf())
      printErrors(`counterpart: left behind: ${what}: ${id || "id unknown"}: ${why}`);
    process.exit(EXIT_CODE_BY_SIGNAL[signal]);
  };
  for (const signal of signals) process.on(signal, onSignal);
  return controller.signal;
}

function collect(value: string, earlier: string[]): string[] {
  return [...earlier, value];
}

function parsePorts(text: string): number[] {
  return text.split(",").map((part) => parsePort(part.trim()));
}

function parseDuration(text: string): number {
  const [, number, unit] = /^(\d{1,6})(s|m)?$/.exec(text) ?? [];
  if (number === undefined) throw new InvalidArgumentError('It must be a number of seconds or minutes, such as "60s" or "2m".');
  return Number(number) * (unit === "m" ? 60 : 1);
}

function parseDeadline(text: string): number {
  const time = parseDuration(text);
  if (time === 0) throw new InvalidArgumentError("It must be at least 1s.");
  return time;
}

function parseShard(text: string): { index: number; of: number } {
  const [, index, of] = (/^(\d{1,4})\/(\d{1,4})$/.exec(text) ?? []).map(Number);
  if (index === undefined || of === undefined || index < 1 || index > of) {
    throw new InvalidArgumentError("It must be i/n with 1 <= i <= n, such as 2/4.");
  }
  return { index, of };
}
