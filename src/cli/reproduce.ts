import { join } from "node:path";
import type { Command } from "commander";
import { shellComment } from "../common/escape/shell.js";
import { visibleLine } from "../common/escape/visible.js";
import { hideNothing } from "../common/masking/mask.js";
import { nearest } from "../common/nearest-names.js";
import { type CommandOutcome, outcomeIn, outcomes } from "../common/outcomes.js";
import { type CatalogueRow, errorCatalogue } from "../contract/error-catalogue.js";
import { packageRoot } from "../contract/load.js";
import { curlCommand, isExchange, responseLines, stepSummary } from "../engine/report/exchange-text.js";
import type { VerifyOptions } from "../engine/run/options.js";
import type { ReproduceEvents, Reproduction } from "../engine/run/reproduce.js";
import type { Environment } from "../engine/target/environment.js";
import type { Mock } from "../mock/server.js";
import { RECIPES, recipeName, recipeOf } from "../suite/error-recipes.js";
import { errorText } from "./catalogues.js";
import { printErrors, printLines, printText } from "./output.js";
import { end, stop } from "./run.js";
import { withMock } from "./start-mock.js";
import { addTargetOptions, stopSignal, type VerifyFlags } from "./verify.js";

type Flags = Pick<VerifyFlags, "target" | "key" | "profile"> & { keep?: true };

/** Adds `counterpart reproduce CODE [URL]`, which drives a server to one error code and prints the exchange as curl. */
export function addReproduce(program: Command): void {
  const command = program
    .command("reproduce")
    .description("drive a target to one error code of the catalogue and print the exchange as curl")
    .argument("<code>", "an error code; `counterpart errors` lists them")
    .argument("[url]", "address of the API host; without it and without --target, a mock is started");
  addTargetOptions(command)
    .option("--keep", "keep the state and the keys until Ctrl-C, so that the printed curl lines work")
    .action(reproduce);
}

async function reproduce(code: string, url: string | undefined, { keep, ...flags }: Flags): Promise<void> {
  const rows = await errorCatalogue(recipeOf);
  const row = rows.find((one) => one.code === code);
  if (!row) return stop(unknownCodeMessage(code, rows));
  printText(`${errorText(row)}\n\n`);
  if (row.recipe === null) return explain(row);
  const isOwn = url !== undefined || flags.target !== undefined;
  if (isOwn) return execute(row, { ...flags, ...(url !== undefined && { url }) }, { keep, onLine: (line) => printErrors(line) });
  await withMock((mock) => execute(row, { ...flags, url: mock.api_url }, { keep, mock }));
}

/** Options of a reproduction. */
interface Options {
  keep?: true | undefined;
  /** The mock that was started for it. Its keys are not secret. */
  mock?: Mock;
  onLine?: (line: string) => void;
}

/** Plays the recipe of an error. Ctrl-C ends it or its `--keep`; then the cleanup runs. */
async function execute(row: CatalogueRow, options: VerifyOptions, { keep, mock, onLine }: Options): Promise<void> {
  const { suite } = await import("../suite/suite.js");
  const { reproduceScenario } = await import("../engine/run/reproduce.js");
  const signal = stopSignal(() => []);
  let printed = false;
  const print = async (result: Reproduction) => {
    if (printed) return;
    printed = true;
    printText(`${[stepTexts(result), visibleLine(conclude(row, result).sentence)].filter((part) => part !== "").join("\n\n")}\n`);
  };
  const onPlayed: ReproduceEvents["onPlayed"] = async (result, environment) => {
    await print(result);
    printText(`\n${keptText(environment, mock)}\n`);
    await waitForAbort(signal);
  };
  const events = { ...(onLine && { onLine }), ...(keep && { onPlayed }), ...(keep && mock && { mask: hideNothing }) };
  const recipe = { file: join(packageRoot, RECIPES), name: recipeName(row.code) };
  const result = await reproduceScenario(suite, recipe, { ...options, signal }, events);
  if ("messages" in result) return stop(result.messages, result.exitCode);
  await print(result);
  end(conclude(row, result), true);
}

/** Returns each step as a curl line with its answer. */
function stepTexts({ steps }: Reproduction): string {
  return steps
    .map((step, index) => {
      const heading = shellComment(`${index + 1}. ${step.step}: ${stepSummary(step)}`);
      return isExchange(step)
        ? [heading, curlCommand(step.request), ...responseLines(step).map(({ text }) => visibleLine(text))].join("\n")
        : heading;
    })
    .join("\n\n");
}

/** Returns the lines about what `--keep` keeps: addresses, world and key. */
function keptText({ world, fresh, keys }: Environment, mock: Mock | undefined): string {
  if (!mock) return `The state stays${fresh ? ` in the world ${world}` : ""} until Ctrl-C. Then the created things are deleted.`;
  return [
    "The state stays until Ctrl-C. The curl lines above work.",
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

/** Prints how to force an error that has no recipe. It sends nothing, because a forced answer is not evidence. */
function explain({ code, unreachable, prefer }: CatalogueRow): void {
  printLines(`curl -i 'http://127.0.0.1:4010/api/repos' -H "authorization: Bearer $COUNTERPART_KEY" -H 'prefer: ${prefer}'`, "");
  const outcome = outcomeIn(outcomes.reproduce["no-recipe"], { code, why: String(unreachable) });
  printLines(outcome.sentence);
  end(outcome, true);
}

function conclude(row: CatalogueRow, { verdict, reason, skippedBy, at, last }: Reproduction): CommandOutcome {
  const came = last ? `${last.status} ${last.code ?? "without an error code"}` : "nothing";
  switch (verdict) {
    case "passed":
      return outcomeIn(outcomes.reproduce.reached, { came });
    case "failed": {
      const why = at?.expected === undefined ? reason : `${at.step}: expected ${at.expected}; got ${at.actual}`;
      return outcomeIn(outcomes.reproduce["not-reached"], { came, why, isShown: row.shown });
    }
    case "harness-error":
      return outcomeIn(outcomes.reproduce["runner-fault"], { why: reason });
    default:
      return outcomeIn(outcomes.reproduce.inconclusive, { why: reason, advice: adviceOn(skippedBy) });
  }
}

/** Returns what the user can do so that the scenario is executed. */
function adviceOn(skippedBy: Reproduction["skippedBy"]): string {
  if (skippedBy === undefined) return "";
  return skippedBy === "profile"
    ? " --profile full allows it."
    : " Pass the target file with --target; `counterpart target init URL` writes one.";
}

function unknownCodeMessage(code: string, rows: readonly CatalogueRow[]): string {
  const codes = rows.map((row) => row.code);
  return `There is no error code "${code}". Closest: ${nearest(code, codes).join(", ")}. All: ${codes.join(", ")}.`;
}
