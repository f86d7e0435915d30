import { join } from "node:path";
import type { Command } from "commander";
import { shellComment } from "../common/escape/shell.js";
import { visibleLine } from "../common/escape/visible.js";
import { hideNothing } from "../common/masking/mask.js";
import { nearest } from "../common/nearest-names.js";
import { type CatalogueRow, errorCatalogue } from "../contract/catalogue.js";
import { packageRoot } from "../contract/load.js";
import { answerLines, curlLine, isExchange, stepLine } from "../engine/report/exchange-text.js";
import type { VerifyOptions } from "../engine/run/options.js";
import type { ReproduceEvents, Reproduction } from "../engine/run/reproduce.js";
import type { Environment } from "../engine/target/environment.js";
import type { Mock } from "../mock/server.js";
import { recipeFile, recipeOf } from "../suite/error-recipes.js";
import { besideMock } from "./beside-mock.js";
import { errorText } from "./error-text.js";
import { printErrors, printLines, printText } from "./output.js";
import { exitCodes, stop } from "./run.js";
import { addTargetOptions, stopSignal, type VerifyFlags } from "./verify.js";

type Flags = Pick<VerifyFlags, "target" | "key" | "profile"> & { keep?: true };

/** `counterpart reproduce CODE [URL]`: drives a server to one error code, prints how as curl, and says whether it came. */
export function addReproduce(program: Command): void {
  const command = program
    .command("reproduce")
    .description("drive a target to one error code of the catalogue and print the exchange as curl")
    .argument("<code>", "an error code; `counterpart errors` lists them")
    .argument("[url]", "address of its API host; without one and without --target a mock is started");
  addTargetOptions(command)
    .option("--keep", "leave all as it is then, with its keys, until Ctrl-C: the curl lines that are printed work there")
    .action(reproduce);
}

async function reproduce(code: string, url: string | undefined, { keep, ...flags }: Flags): Promise<void> {
  const rows = await errorCatalogue(recipeOf);
  const row = rows.find((one) => one.code === code);
  if (!row) return stop(unknown(code, rows));
  printText(`${errorText(row)}\n\n`);
  if (row.recipe === null) return explain(row);
  const isOwn = url !== undefined || flags.target !== undefined;
  if (isOwn) return execute(row, { ...flags, ...(url !== undefined && { url }) }, { keep, say: (line) => printErrors(line) });
  await besideMock((mock) => execute(row, { ...flags, url: mock.api_url }, { keep, mock }));
}

/** How an error is reproduced. */
interface Manner {
  keep?: true | undefined;
  /** The mock that was started for it, whose keys are no secrets. */
  mock?: Mock;
  say?: (line: string) => void;
}

/** Ctrl-C ends what is under way, or what is kept; then all is taken back. */
async function execute(row: CatalogueRow, options: VerifyOptions, { keep, mock, say }: Manner): Promise<void> {
  const { suite } = await import("../suite/suite.js");
  const { reproduceScenario } = await import("../engine/run/reproduce.js");
  const signal = stopSignal(() => []);
  let printed = false;
  const print = async (came: Reproduction) => {
    if (printed) return;
    printed = true;
    printText(`${[stepTexts(came), visibleLine(conclude(row, came).sentence)].filter((part) => part !== "").join("\n\n")}\n`);
  };
  const onPlayed: ReproduceEvents["onPlayed"] = async (came, environment) => {
    await print(came);
    printText(`\n${keptText(environment, mock)}\n`);
    await aborted(signal);
  };
  const events = { ...(say && { say }), ...(keep && { onPlayed }), ...(keep && mock && { mask: hideNothing }) };
  const came = await reproduceScenario(suite, join(packageRoot, recipeFile(row.code)), { ...options, signal }, events);
  if ("messages" in came) return stop(came.messages, came.exitCode);
  await print(came);
  process.exitCode = conclude(row, came).exitCode;
}

/** Each step as curl lines with what came. */
function stepTexts({ steps }: Reproduction): string {
  return steps
    .map((step, index) => {
      const heading = shellComment(`${index + 1}. ${step.step}: ${stepLine(step)}`);
      return isExchange(step)
        ? [heading, curlLine(step.request), ...answerLines(step).map(({ text }) => visibleLine(text))].join("\n")
        : heading;
    })
    .join("\n\n");
}

/** Where everything still is, and with what to call it. */
function keptText({ world, fresh, keys }: Environment, mock: Mock | undefined): string {
  if (!mock) return `Kept as it is${fresh ? `, in the world ${world},` : ""} until Ctrl-C; then what was made is taken back.`;
  return [
    "Kept as it is until Ctrl-C; the curl lines above work as they stand.",
    `API      ${mock.api_url}`,
    `Tools    ${mock.mcp_url}`,
    `Control  ${mock.api_url}/__mock/worlds/${world} (the clock stands still: POST …/clock/advance {"by":"60s"} moves it)`,
    ...Object.entries(keys)
      .slice(0, 1)
      .map(([role, key]) => `Key      ${key} (${role})`),
  ].join("\n");
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  const alive = setInterval(() => {}, 60_000); // nothing else may keep this process going
  return new Promise((resolve) => {
    signal.addEventListener("abort", () => resolve(clearInterval(alive)), { once: true });
  });
}

/** Without a recipe nothing is sent; what is forced would be no evidence. */
function explain({ code, unreachable, prefer }: CatalogueRow): void {
  printLines(`curl -i 'http://127.0.0.1:4010/api/repos' -H "authorization: Bearer $COUNTERPART_KEY" -H 'prefer: ${prefer}'`, "");
  printLines(`Not tried: ${code} has no recipe (${unreachable}); the request above forces it on a mock.`);
  process.exitCode = exitCodes.inconclusive;
}

function conclude(row: CatalogueRow, { verdict, reason, at, last }: Reproduction): { sentence: string; exitCode: number } {
  const came = last ? `${last.status} ${last.code ?? "without an error code"}` : "nothing";
  switch (verdict) {
    case "passed":
      return { sentence: `Reached: the target answered ${came}.`, exitCode: exitCodes.conforms };
    case "failed": {
      const ours = row.shown ? "" : " The contract does not show this code, so another name is no fault.";
      const why = at?.expected === undefined ? reason : `${at.step}: expected ${at.expected}; came ${at.actual}`;
      return { sentence: `Not reached: the target answered ${came} (${why}).${ours}`, exitCode: exitCodes.findings };
    }
    case "harness-error":
      return { sentence: `The examiner failed: ${reason}.`, exitCode: exitCodes.fault };
    default:
      return { sentence: `It could not be told: ${reason}.${adviceOn(reason)}`, exitCode: exitCodes.inconclusive };
  }
}

/** What to do about steps that were left out. */
function adviceOn(reason: string): string {
  if (reason.includes("which the profile")) return " --profile full allows it.";
  return reason.includes("the target offers no ")
    ? " Name it in a target file (--target); `counterpart target init URL` writes one."
    : "";
}

function unknown(code: string, rows: readonly CatalogueRow[]): string {
  const codes = rows.map((row) => row.code);
  return `There is no error code "${code}"; nearest: ${nearest(code, codes).join(", ")}. All: ${codes.join(", ")}.`;
}
