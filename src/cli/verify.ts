import { type Command, InvalidArgumentError, Option } from "commander";
import type { Leftover } from "../engine/cleanup/side-effects.js";
import type { RunResult, VerifyOptions } from "../engine/run/options.js";
import type { Progress } from "../engine/run/progress.js";
import { startSandbox } from "./beside-mock.js";
import { judgeAgain } from "./bundle.js";
import { flag, portNumber, wholeNumber } from "./mock-options.js";
import { printErrors, printJson, printText } from "./output.js";
import { addReportOptions, outputOptions, printResult, type ReportFlags } from "./report-forms.js";
import { stop } from "./run.js";
import { openTicker } from "./ticker.js";

/** The flags of `verify`, as commander hands them over: the examiner's options, what is reported, and whether it is only planned. */
export type VerifyFlags = Omit<
  VerifyOptions,
  "url" | "only" | "forms" | "out" | "signal" | "onProgress" | "onEstimate" | "env" | "sandbox"
> &
  ReportFlags & { only: string[]; plan?: true; watch?: true; bundle?: string; publicKey?: string };

/** `counterpart verify URL`: examines a server, real or mock, and says clause by clause what it found. */
export function addVerify(program: Command): void {
  const command = program
    .command("verify")
    .description("examine a server, real or mock")
    .argument("[url]", "address of its API host; --target may name it instead");
  addVerifyOptions(command)
    .option("--plan", "say what would be played, what it would cost and how long it would take; send nothing")
    .addOption(
      new Option("--watch", "play what fails again and again until it passes; a server that is down is waited for").conflicts([
        "plan",
        "bundle",
        "resume",
        "shard",
      ]),
    )
    .addOption(new Option("--bundle <dir>", "judge again what an earlier run has written there, without asking any server"))
    .addOption(new Option("--public-key <file>", "with --bundle: public key (PEM) that its signature must be of"))
    .action(act);
}

async function act(url: string | undefined, flags: VerifyFlags, command: Command): Promise<void> {
  const { bundle, publicKey } = flags;
  if (bundle !== undefined) return judgeAgain(url, { ...flags, bundle }, command);
  if (publicKey !== undefined) return stop("--public-key goes with --bundle DIR");
  return flags.plan ? showPlan(url, flags) : examine(url, flags);
}

/** Declares the flags that say which server is meant, with which key, and what may be done to it. */
export function addTargetOptions(command: Command): Command {
  return command
    .addOption(flag("--target <file>", "target file: addresses, keys, hooks and bindings of the server"))
    .addOption(
      flag("--described-ports <n,…>", "ports of its host that a server's own description may name, beside its own").argParser(
        ports,
      ),
    )
    .addOption(flag("--key <key>", "bearer key of the role full"))
    .addOption(
      flag("--profile <name>", "what may be done to the server; default: full on loopback, read-only elsewhere").choices([
        "read-only",
        "safe",
        "full",
      ]),
    );
}

/** Declares the flags that say what is examined, how, and what is written. */
function addVerifyOptions(command: Command): Command {
  addTargetOptions(command)
    .addOption(new Option("--only <glob|clause|file>", "only these scenarios; repeatable").argParser(collect).default([]))
    .addOption(flag("--surface <name>", "only this surface").choices(["rest", "mcp", "docs"]))
    .addOption(flag("--seed <n>", "seed of everything that is drawn; printed in every report").argParser(wholeNumber))
    .addOption(flag("--runs <n>", "cases of each property; default: what each asks for, 0 tries none").argParser(wholeNumber))
    .addOption(flag("--shard <i/n>", "the i-th of n parts of the suite").argParser(shardNumber))
    .addOption(flag("--budget-paid <n>", "most requests that may start paid work").argParser(wholeNumber))
    .addOption(flag("--max-wait <seconds>", "longest single wait").argParser(wholeNumber))
    .addOption(flag("--max-time <seconds>", "longest run").argParser(wholeNumber))
    .addOption(flag("--waivers <file>", "failures that are known and lived with until a day (YAML)"))
    .addOption(flag("--resume <dir|file>", "go on from the report of a run that was stopped or ran out of time"))
    .addOption(flag("--claim <edition>", "edition of the suite to be judged by; what came after it is reported and not scored"))
    .addOption(flag("--second-opinion", "let Prism judge the REST exchanges too; reported apart from the verdict"))
    .addOption(flag("--scenarios <dir>", "another suite than the one that ships"));
  return addReportOptions(command);
}

/** Runs the examiner with progress on a terminal, prints the report and sets the exit code. Ctrl-C tidies up first. */
export async function examine(url: string | undefined, flags: VerifyFlags, print = printResult): Promise<void> {
  const { wantsProperties } = await import("../engine/run/selection.js");
  if (isAutomatic(process.env) && flags.seed === undefined && wantsProperties(flags))
    return stop("in CI the cases of properties must be the same again: give --seed N (or COUNTERPART_SEED), or --runs 0");
  const { suite } = await import("../suite/suite.js");
  const { verify } = await import("../engine/run/verify.js");
  const { progressLine } = await import("../engine/run/progress.js");
  let left: () => readonly Leftover[] = () => [];
  const signal = stopSignal(() => left());
  const onStart: VerifyOptions["onStart"] = (ask) => {
    left = ask;
  };
  const ticker = openTicker((progress: Progress) => progressLine(progress));
  const options = {
    ...optionsOf(url, flags),
    sandbox: startSandbox,
    signal,
    onStart,
    onProgress: ticker.show,
    onEstimate: tellDuration(flags),
  };
  if (flags.watch) return watchOver(options, (result) => print(result, flags.report, flags.details), ticker.clear);
  const result = await verify(suite, options).finally(ticker.clear);
  await print(result, flags.report, flags.details);
}

/** Nobody need be told of less. */
const LONG_MINUTES = 5;

/** Says that a run will be long before it is, and what makes it shorter, unless it was said how long it may be. */
function tellDuration({ maxTime }: VerifyFlags): (minutes: number) => void {
  let isTold = maxTime !== undefined;
  return (minutes) => {
    if (minutes < LONG_MINUTES || isTold) return;
    isTold = true;
    printErrors(
      `counterpart: the scenarios wait about ${Math.round(minutes)} min for rates and schedules of a server whose clock cannot be moved; properties fill these waits and come on top, and --plan says more.`,
    );
    printErrors(
      "counterpart: --max-time S ends in good time, and --resume DIR goes on; --only, --runs N and --shard i/n do a part; clock in a target file moves time.",
    );
  };
}

/** Prints the report of the whole each time that it was played, and in between what has changed. */
async function watchOver(options: VerifyOptions, print: (result: RunResult) => Promise<void>, clear: () => void): Promise<void> {
  const { suite } = await import("../suite/suite.js");
  const { watch } = await import("../engine/run/watch/watch.js");
  const rounds = openTicker((line: string) => line);
  const result = await watch(suite, options, {
    onReport(whole) {
      clear();
      return print(whole);
    },
    say(line) {
      clear();
      printErrors(line);
    },
    onRound: (round, failing) => rounds.show(`played again ${round} times, ${failing} failing`),
  }).finally(clear);
  if (!result.report) await print(result);
}

/** Whether a machine asks: most CI systems say so by this variable. */
function isAutomatic({ CI = "" }: NodeJS.ProcessEnv): boolean {
  return !["", "0", "false"].includes(CI);
}

/** For machines with `--report json`. */
async function showPlan(url: string | undefined, flags: VerifyFlags): Promise<void> {
  const { suite } = await import("../suite/suite.js");
  const { plan } = await import("../engine/run/plan/plan.js");
  const { planText } = await import("../engine/run/plan/plan-text.js");
  const found = await plan(suite, { ...optionsOf(url, flags), sandbox: startSandbox });
  if (!("plan" in found)) return stop(found.messages, found.exitCode);
  if (flags.report.includes("json")) printJson(found.plan);
  else printText(planText(found.plan));
}

function optionsOf(url: string | undefined, flags: VerifyFlags): VerifyOptions {
  const { report: _, plan: __, watch: ___, bundle: ____, publicKey: _____, details: ______, ...options } = flags;
  return { ...options, ...outputOptions(flags), ...(url !== undefined && { url }) };
}

/** Exit codes of a process that a signal ended, as shells give them. */
const ENDED_BY = { SIGINT: 130, SIGTERM: 143 } as const;

/**
 * Ctrl-C, or a CI system's SIGTERM, ends the run after the steps under way and their tidying up; a second ends it at once, and says what is left
 * on the server.
 */
export function stopSignal(left: () => readonly Leftover[]): AbortSignal {
  const controller = new AbortController();
  const onSignal = (signal: keyof typeof ENDED_BY) => {
    if (!controller.signal.aborted) {
      printErrors("", "counterpart: stopping; tidying up what was created (Ctrl-C again to leave it)");
      return controller.abort();
    }
    for (const { what, id, why } of left())
      printErrors(`counterpart: left behind: ${what}: ${id || "no answer named it"}: ${why}`);
    process.exit(ENDED_BY[signal]);
  };
  for (const signal of Object.keys(ENDED_BY) as (keyof typeof ENDED_BY)[]) process.on(signal, onSignal);
  return controller.signal;
}

function collect(value: string, earlier: string[]): string[] {
  return [...earlier, value];
}

function ports(text: string): number[] {
  return text.split(",").map((part) => portNumber(part.trim()));
}

function shardNumber(text: string): { index: number; of: number } {
  const [, index, of] = (/^(\d{1,4})\/(\d{1,4})$/.exec(text) ?? []).map(Number);
  if (index === undefined || of === undefined || index < 1 || index > of) {
    throw new InvalidArgumentError("It must be i/n with 1 <= i <= n, such as 2/4.");
  }
  return { index, of };
}
