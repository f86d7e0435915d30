import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Command } from "commander";
import { packageRoot } from "../contract/load.js";
import { addCatalogues } from "./catalogues.js";
import { addDemo } from "./demo.js";
import { addDiff } from "./diff.js";
import { addExec } from "./exec.js";
import { addMerge } from "./merge.js";
import { addMock } from "./mock.js";
import { addProxy } from "./proxy.js";
import { addReplay } from "./replay.js";
import { addReproduce } from "./reproduce.js";
import { addShow } from "./show.js";
import { addTarget } from "./target.js";
import { addVerify } from "./verify.js";

/** Of this package. */
const { version: packageVersion } = JSON.parse(readFileSync(join(packageRoot, "package.json"), "utf8")) as { version: string };

/** The command line as commander knows it: each parses once. */
export function commandLine(): Command {
  const program = new Command("counterpart")
    .description("A stand-in server for one code-analysis service, and an examiner for servers that claim to be it.")
    .version(packageVersion, "--version", "the version of this toolkit")
    .showHelpAfterError("(add --help for what is possible)");

  addMock(program);
  addExec(program);
  addProxy(program);
  addTarget(program);
  addVerify(program);
  addDemo(program);
  addReproduce(program);
  addReplay(program);
  addShow(program);
  addMerge(program);
  addDiff(program);
  addCatalogues(program);
  return program;
}
