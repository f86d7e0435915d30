import { constants, copyFileSync, lstatSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Argument, type Command } from "commander";
import { escapeLine, formatJson } from "../common/escape/visible.js";
import { packageRoot } from "../contract/load.js";
import { printText } from "./output.js";
import { stop } from "./run.js";

/** The example projects by name, each a folder of `fixtures/examples`. */
const projects = ["client-python", "client-typescript", "vendor", "ci", "agent"];

/** Adds `counterpart new PROJECT [folder]`, which copies an example project and prints how to run it. */
export function addNew(program: Command): void {
  program
    .command("new")
    .description("copy an example project, which runs as it is")
    .addArgument(new Argument("<project>", "the example").choices(projects))
    .argument("[folder]", "the folder to write into; default: a folder with the name of the example")
    .action((project: string, folder: string = project) => copyProject(project, folder));
}

function copyProject(project: string, folder: string): void {
  const source = join(packageRoot, "fixtures/examples", project);
  const files = readdirSync(source, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(source.length + 1));
  const copies = files.map((file) => [join(source, file), join(folder, findTargetName(file))] as const);
  const problem = copyAll(copies, folder);
  if (problem === null)
    printText(`Wrote ${copies.length} files into ${escapeLine(folder)}.\n\n${readFileSync(join(source, "README.md"), "utf8")}`);
  else stop(`${problem} Name another folder.`);
}

/** Copies files. Returns the problem if a file exists, or a broken link, or if the folder cannot be written. */
function copyAll(copies: readonly (readonly [from: string, to: string])[], folder: string): string | null {
  try {
    const existing = copies.flatMap(([, to]) => (lstatSync(to, { throwIfNoEntry: false }) ? [formatJson(to)] : []));
    if (existing.length > 0) return `${existing.join(", ")} exists, and nothing was written.`;
    for (const [from, to] of copies) {
      mkdirSync(dirname(to), { recursive: true });
      copyFileSync(from, to, constants.COPYFILE_EXCL);
    }
    return null;
  } catch (error) {
    return `Cannot write into ${formatJson(folder)}: ${(error as Error).message}.`;
  }
}

/** The package holds `_package.json`, because a file `package.json` would make a folder of the package a package itself. */
function findTargetName(file: string): string {
  return file === "_package.json" ? "package.json" : file;
}
