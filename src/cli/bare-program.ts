import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Command } from "commander";
import { packageRoot } from "../contract/load.js";

const { version: packageVersion } = JSON.parse(readFileSync(join(packageRoot, "package.json"), "utf8")) as { version: string };

/** Returns the command line without any command. */
export function createBareProgram(): Command {
  return new Command("counterpart")
    .description("A mock server for one code-analysis service, and a conformance runner for servers that implement its contract.")
    .version(packageVersion, "--version", "the version of this toolkit")
    .showHelpAfterError("(--help lists the options)");
}
