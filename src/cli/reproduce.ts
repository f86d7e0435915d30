import { join } from "node:path";
import type { Command } from "commander";
import { type CatalogueRow, errorCatalogue } from "../contract/catalogue.js";
import { packageRoot } from "../contract/load.js";
import { nearest } from "../engine/nearest.js";
import type { VerifyOptions } from "../engine/run/options.js";
import type { Reproduction, ShownExchange } from "../engine/run/reproduce.js";
import { recipeFile, recipeOf } from "../suite/error-recipes.js";
import { besideMock } from "./beside-mock.js";
import { errorText } from "./error-text.js";
import { exitCodes, stop } from "./run.js";
import { addTargetOptions, type VerifyFlags } from "./verify.js";

type Flags = Pick<VerifyFlags, "target" | "key" | "profile">;

const mostShown = 2000;

/** `counterpart reproduce CODE [URL]`: drives a server to one error code, prints how as curl, and says whether it came. */
export function addReproduce(program: Command): void {
  const command = program
    .command("reproduce")
    .description("drive a target to one error code of the catalogue and print the exchange as curl")
    .argument("<code>", "an error code; `counterpart errors` lists them")
    .argument("[url]", "address of its API host; without one and without --target a mock is started");
  addTargetOptions(command).action(reproduce);
}

async function reproduce(code: string, url: string | undefined, flags: Flags): Promise<void> {
  const rows = await errorCatalogue(recipeOf);
  const row = rows.find((one) => one.code === code);
  if (!row) return stop(unknown(code, rows));
  console.log(`${errorText(row)}\n`);
  if (row.recipe === null) return explain(row);
  if (url !== undefined || flags.target !== undefined) return execute(row, { ...flags, ...(url !== undefined && { url }) });
  await besideMock((mock) => execute(row, { ...flags, url: mock.api_url }));
}

async function execute(row: CatalogueRow, options: VerifyOptions): Promise<void> {
  const { suite } = await import("../suite/suite.js");
  const { reproduceScenario } = await import("../engine/run/reproduce.js");
  const came = await reproduceScenario(suite, join(packageRoot, recipeFile(row.code)), options);
  if ("messages" in came) return stop(came.messages.join("\n"), came.exitCode);
  for (const exchange of came.exchanges) console.log(exchangeText(exchange));
  const { sentence, exitCode } = conclude(row, came);
  console.log(sentence);
  process.exitCode = exitCode;
}

/** Without a recipe nothing is sent; what is forced would be no evidence. */
function explain({ code, unreachable, prefer }: CatalogueRow): void {
  console.log(`curl -i 'http://127.0.0.1:4010/api/repos' -H "authorization: Bearer $COUNTERPART_KEY" -H 'prefer: ${prefer}'\n`);
  console.log(`Not tried: ${code} has no recipe (${unreachable}); the request above forces it on a mock.`);
  process.exitCode = exitCodes.inconclusive;
}

function conclude(row: CatalogueRow, { verdict, reason, exchanges }: Reproduction): { sentence: string; exitCode: number } {
  const last = exchanges.at(-1);
  const came = `${last?.status} ${last?.code ?? "without an error code"}`;
  switch (verdict) {
    case "passed":
      return { sentence: `Reached: the target answered ${came}.`, exitCode: exitCodes.conforms };
    case "failed": {
      const ours = row.shown ? "" : " The contract does not show this code, so another name is no fault.";
      return { sentence: `Not reached: the target answered ${came} (${reason}).${ours}`, exitCode: exitCodes.findings };
    }
    case "harness-error":
      return { sentence: `The examiner failed: ${reason}.`, exitCode: exitCodes.fault };
    default:
      return { sentence: `It could not be told: ${reason}.`, exitCode: exitCodes.inconclusive };
  }
}

function exchangeText({ curl, times, status, body }: ShownExchange): string {
  const often = times > 1 ? `# ${times} times; the last answer:\n` : "";
  const shown = body.length > mostShown ? `${body.slice(0, mostShown)}… (${body.length} characters)` : body;
  return `${often}${curl}\n${status ?? "no answer"}\n${shown}\n`;
}

function unknown(code: string, rows: readonly CatalogueRow[]): string {
  const codes = rows.map((row) => row.code);
  return `There is no error code "${code}"; nearest: ${nearest(code, codes).join(", ")}. All: ${codes.join(", ")}.`;
}
