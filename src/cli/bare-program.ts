import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Command } from "commander";
import { packageRoot } from "../contract/load.js";

/** Of this package. */
const { version: packageVersion } = JSON.parse(readFileSync(join(packageRoot, "package.json"), "utf8")) as { version: string };

/** The command line without any command. */
export function bareProgram(): Command {
  return new Command("counterpart")
    .description("A stand-in server for one code-analysis service, and an examiner for servers that claim to be it.")
    .version(packageVersion, "--version", "the version of this toolkit")
    .showHelpAfterError("(add --help for what is possible)");
}
