import { rmSync, writeFileSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { type Command, Option } from "commander";
import { escapeShellComment, quoteForShell } from "../common/escape/shell.js";
import { escapeLine } from "../common/escape/visible.js";
import { hideNothing } from "../common/masking/mask.js";
import { findNearest } from "../common/nearest-names.js";
import { type CommandOutcome, createOutcome, outcomes } from "../common/outcomes.js";
import { createPrivateFile } from "../common/user-file.js";
import { type CatalogueRow, createErrorCatalogue, isErrorCode } from "../contract/error-catalogue.js";
import { contract, packageRoot } from "../contract/load.js";
import type { Check } from "../engine/execute/check.js";
import { formatCurlCommand, formatResponse, isExchange, summarizeStep } from "../engine/report/exchange-text.js";
import type { VerifyOptions } from "../engine/run/options.js";
import type { NamedSecrets, ReproduceEvents, Reproduction } from "../engine/run/reproduce.js";
import type { Environment } from "../engine/target/environment.js";
import type { Mock } from "../mock/server.js";
import { findRecipeName, RECIPES_FILE, readRecipe } from "../suite/error-recipes.js";
import { OTHER_STATUSES } from "../suite/statements/errors.js";
import { formatErrorRow } from "./catalogues.js";
import { printErrors, printLines, printText } from "./output.js";
import { endProcess, stop } from "./run.js";
import { runWithMock } from "./start-mock.js";
import { addTargetOptions, stopSignal, type VerifyFlags } from "./verify.js";

type Flags = Pick<VerifyFlags, "target" | "key" | "profile"> & KeepFlags;

/** The flags `--keep` and `--keys`. */
interface KeepFlags {
  keep?: true | undefined;
  keys?: string | undefined;
}

/** The default file for the keys of a kept world. */
const KEYS_FILE = "counterpart-keys.sh";

/** The value of `--keys` that prints the keys. */
const PRINT_KEYS = "-";

/** Adds `counterpart reproduce CODE [URL]`, which drives a server to one error code and prints the exchange as curl. */
export function addReproduce(program: Command): void {
  const command = program
    .command("reproduce")
    .description("drive a target to one error code of the catalogue and print the exchange as curl")
    .argument("<code>", "an error code; `counterpart errors` lists them")
    .argument("[url]", "address of the API host; without it and without --target, a mock is started");
  addTargetOptions(command)
    .option("--keep", "keep the state and the keys until Ctrl-C, so that the printed curl lines work")
    .addOption(
      new Option(
        "--keys <file>",
        `with --keep and a server (URL or --target): new file for the keys that the curl lines need, readable by you only; ${PRINT_KEYS} prints them; default: ${KEYS_FILE}`,
      ),
    )
    .action(reproduce);
}

async function reproduce(code: string, url: string | undefined, { keep, keys, ...flags }: Flags): Promise<void> {
  if (keys !== undefined && !keep) return stop("--keys needs --keep.");
  const rows = await createErrorCatalogue(readRecipe);
  const row = rows.find((catalogueRow) => catalogueRow.code === code);
  if (!row) return stop(describeUnknownCode(code, rows));
  printText(`${formatErrorRow(row)}\n\n`);
  if (row.recipe === null) return explain(row);
  const isOwn = url !== undefined || flags.target !== undefined;
  const file = isOwn && keep && keys !== PRINT_KEYS ? (keys ?? KEYS_FILE) : undefined;
  const created = file === undefined ? undefined : createFile(file);
  if (typeof created === "string") return stop(created);
  if (isOwn) {
    const target = { ...flags, ...(url !== undefined && { url }) };
    return execute(row, target, { keep, file: created, onLine: (line) => printErrors(line) }).finally(() => removeFile(file));
  }
  await runWithMock((mock) => execute(row, { ...flags, url: mock.api_url }, { keep, mock }));
}

/** A new file for keys, and its open descriptor. */
interface KeysFile {
  path: string;
  descriptor: number;
}

/** Options of a reproduction. */
interface Options {
  keep?: true | undefined;
  /** The file for the keys of a kept world. Without it they are printed. */
  file?: KeysFile | undefined;
  /** The mock that was started for it. Its keys are not secret. */
  mock?: Mock;
  onLine?: (line: string) => void;
}

/** Runs the recipe of an error. Ctrl-C, or the end of the terminal, ends it or its `--keep`; then the cleanup runs. */
async function execute(row: CatalogueRow, options: VerifyOptions, { keep, file, mock, onLine }: Options): Promise<void> {
  const { suite } = await import("../suite/suite.js");
  const { reproduceScenario } = await import("../engine/run/reproduce.js");
  const signal = stopSignal(() => [], ["SIGHUP", "SIGINT", "SIGTERM"]);
  let isPrinted = false;
  const print = async (result: Reproduction) => {
    if (isPrinted) return;
    isPrinted = true;
    const sentence = escapeLine(conclude(row, result).sentence);
    const parts = [formatSteps(result), ...(keep ? [] : [listNeededKeys(result)]), sentence];
    printText(`${parts.filter((part) => part !== "").join("\n\n")}\n`);
  };
  const onEnd: ReproduceEvents["onEnd"] = async (result, environment, secrets) => {
    await print(result);
    if (mock) printText(`\n${describeKeptMock(environment, mock)}\n`);
    else printText(`\n${describeKeptWorld(listExports(result, secrets), environment, file)}\n`);
    await waitForAbort(signal);
  };
  const events = { ...(onLine && { onLine }), ...(keep && { onEnd }), ...(keep && mock && { mask: hideNothing }) };
  const recipe = { file: join(packageRoot, RECIPES_FILE), name: findRecipeName(row.code) };
  const result = await reproduceScenario(suite, recipe, { ...options, signal }, events);
  if ("messages" in result) return stop(result.messages, result.exitCode);
  await print(result);
  endProcess(conclude(row, result), true);
}

/** Returns each step as a curl line with its response. */
function formatSteps({ steps }: Reproduction): string {
  return steps
    .map((step, index) => {
      const heading = escapeShellComment(`${index + 1}. ${step.step}: ${summarizeStep(step)}`);
      return isExchange(step)
        ? [heading, formatCurlCommand(step.request), ...formatResponse(step).map(({ text }) => escapeLine(text))].join("\n")
        : heading;
    })
    .join("\n\n");
}

function formatCurlLines(steps: Reproduction["steps"]): string {
  return steps.flatMap((step) => (isExchange(step) ? formatCurlCommand(step.request) : [])).join("\n");
}

/** Returns the line about the keys that curl lines need, if they are those of a world. Without `--keep`, that world is deleted. */
function listNeededKeys({ steps, worldVariables }: Reproduction): string {
  const used = new Set(formatCurlLines(steps).match(/(?<=\$)COUNTERPART_\w+/g));
  const worldVariable = worldVariables.find((name) => used.has(name));
  if (worldVariable === undefined) return "";
  return `The lines above need $${worldVariable}, a key of a world that is deleted now. With another key they would act on another workspace. --keep keeps the world and its keys.`;
}

/** Returns the commands that set the variables of the curl lines. */
function listExports({ steps }: Reproduction, secrets: NamedSecrets): string[] {
  const names = new Set(formatCurlLines(steps).match(/(?<=\$)COUNTERPART_\w+/g));
  return [...names].flatMap((name) => {
    const value = secrets.get(name);
    return value === undefined ? [] : [`export ${name}=${quoteForShell(value)}`];
  });
}

/** Writes the commands that set the variables of the curl lines to a file. Returns the lines about what is kept, and the commands without a file. */
function describeKeptWorld(commands: readonly string[], { world, fresh }: Environment, file: KeysFile | undefined): string {
  const kept = `The state is kept${fresh ? ` in the world ${world}` : ""} until Ctrl-C. Then it is deleted`;
  if (file === undefined) return [`${kept}. The curl lines above work after these commands:`, ...commands].join("\n");
  const { path, descriptor } = file;
  writeFileSync(descriptor, `${commands.join("\n")}\n`); // check the descriptor, because the path can lead to another file by now
  const place = isAbsolute(path) ? path : `./${path}`;
  return `${kept}, and so is ${escapeLine(path)} with its keys. The curl lines above work after this command:\n. ${quoteForShell(place)}`;
}

/** Creates an empty file that only the user can read. Returns a sentence if that fails. */
function createFile(file: string): KeysFile | string {
  try {
    const descriptor = createPrivateFile(file);
    process.once("exit", () => removeFile(file)); // also after a second Ctrl-C
    return { path: file, descriptor };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === "EEXIST"
      ? `${file}: exists already. Remove it, or name a new file with --keys FILE.`
      : `${file}: cannot be created (${code}). Name another file with --keys FILE.`;
  }
}

function removeFile(file: string | undefined): void {
  if (file !== undefined) rmSync(file, { force: true });
}

/** Returns the lines about what `--keep` keeps of a mock: addresses, world and key. */
function describeKeptMock({ world, keys }: Environment, mock: Mock): string {
  return [
    "The state is kept until Ctrl-C. The curl lines above work.",
    `API      ${mock.api_url}`,
    `Tools    ${mock.mcp_url}`,
    `Control  ${mock.api_url}/__mock/worlds/${world} (the clock is frozen: POST …/clock/advance {"by":"60s"} moves it)`,
    ...Object.entries(keys)
      .slice(0, 1)
      .map(([role, key]) => `Key      ${key} (${role})`),
  ].join("\n");
}

function waitForAbort(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  const alive = setInterval(() => {}, 60_000); // keeps the process running
  return new Promise((resolve) => {
    signal.addEventListener("abort", () => resolve(clearInterval(alive)), { once: true });
  });
}

/** Prints how to force an error that has no recipe. It sends nothing, because a forced response is not evidence. */
function explain({ code, unreachable, prefer }: CatalogueRow): void {
  printLines(`curl -i 'http://127.0.0.1:4010/api/repos' -H "authorization: Bearer $COUNTERPART_KEY" -H 'prefer: ${prefer}'`, "");
  const outcome = createOutcome(outcomes.reproduce["no-recipe"], { code, why: String(unreachable) });
  printLines(outcome.sentence);
  endProcess(outcome, true);
}

function conclude(row: CatalogueRow, { verdict, reason, skippedBy, at, isAtLastStep, last }: Reproduction): CommandOutcome {
  const responseText = last ? `${last.status} ${last.code ?? "without an error code"}` : "nothing";
  const isJudged = at !== undefined && at.blocked_by === undefined && isAtLastStep;
  const otherOutcome = isJudged ? describeOtherResult(row, at.verdict, last) : undefined;
  if (otherOutcome !== undefined)
    return createOutcome(outcomes.reproduce["reached-otherwise"], { came: responseText, why: otherOutcome });
  switch (verdict) {
    case "passed":
      return createOutcome(outcomes.reproduce.reached, { came: responseText });
    case "failed": {
      const why = at?.expected === undefined ? reason : `${at.step}: expected ${at.expected}; got ${at.actual}`;
      return createOutcome(outcomes.reproduce["not-reached"], { came: responseText, why, isShown: row.shown });
    }
    case "harness-error":
      return createOutcome(outcomes.reproduce["runner-fault"], { why: reason });
    default:
      return createOutcome(outcomes.reproduce.inconclusive, { why: reason, advice: findAdvice(skippedBy) });
  }
}

/**
 * Returns why the response of the last step is the error under another name; undefined if it is not. The contract allows another status, or does not show
 * the name. A name that the contract shows means another error.
 */
function describeOtherResult(
  { code, status, shown }: CatalogueRow,
  verdict: Check["verdict"],
  last: Reproduction["last"],
): string | undefined {
  const otherErrorRow =
    last?.code === undefined || last.code === code || !isErrorCode(last.code) ? undefined : contract.errors[last.code];
  if (!last || otherErrorRow?.shown) return undefined;
  if (last.status === OTHER_STATUSES[code]) return `The contract allows ${last.status} instead of ${status} ${code}.`;
  if (shown || last.status !== status || last.code === undefined) return undefined;
  if (otherErrorRow && verdict !== "failed") return undefined; // such as a lack of credit, which the step does not judge
  return `The contract does not show the name ${code}, so the target may use another.`;
}

/** Returns what the user can do so that the scenario is executed. */
function findAdvice(skippedBy: Reproduction["skippedBy"]): string {
  if (skippedBy === undefined) return "";
  return skippedBy === "profile"
    ? " --profile full allows it."
    : " Pass the target file with --target; `counterpart target init URL` writes one.";
}

function describeUnknownCode(code: string, rows: readonly CatalogueRow[]): string {
  const codes = rows.map((row) => row.code);
  return `There is no error code "${code}". Closest: ${findNearest(code, codes).join(", ")}. All: ${codes.join(", ")}.`;
}
