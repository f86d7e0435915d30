import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, relative, sep } from "node:path";
import { type Plugin, type RolldownOutput, rolldown } from "rolldown";
import { packageRoot } from "../../src/contract/load.js";

/** Packages that are bundled with the command line, though they are installed. */
const NEEDED = ["commander", "ipaddr.js"];

/** The source of the docs site's explorer. */
const EXPLORER = "rapidoc";

/** Packages that the explorer names and does not contain: an empty one of the lock file, and one for servers. */
const NOT_IN_BROWSERS = ["empty-npm-package", "@lit-labs/ssr-dom-shim"];

/**
 * Puts into the package what it uses of packages that would bring much along that nobody needs, or take long to find: the explorer's script,
 * the official MCP SDK in the place of `src/mcp-sdk` and ajv in that of `src/ajv`, each with its licence; the console, whose program is all of `src/console` and its view library;
 * and the command line once more in few files, which is what starts when the command is called.
 */
export async function bundle(): Promise<void> {
  const folder = join(packageRoot, "dist/bundled");
  mkdirSync(folder, { recursive: true });
  const { dependencies, peerDependencies } = JSON.parse(readFileSync(join(packageRoot, "package.json"), "utf8")) as {
    dependencies: object;
    peerDependencies: object;
  };
  const script = createRequire(import.meta.url).resolve(EXPLORER);
  writeFileSync(join(folder, "explorer.js"), readFileSync(script));
  const packages = [
    ...packagesIn(await bundleInPlace("mcp-sdk", ["client", "server", "stdio"], Object.keys(dependencies))),
    ...packagesIn(await bundleInPlace("ajv", ["ajv"], [])),
    ...packagesIn(await bundleConsole(folder)),
    ...packagesIn(await bundleCommand(join(folder, "cli"), Object.keys({ ...dependencies, ...peerDependencies }))),
    ...packagesBelow(join(packageRoot, "node_modules", EXPLORER)),
  ];
  writeFileSync(
    join(folder, "LICENSES.txt"),
    [...new Set(packages)]
      .map(getLicence)
      .concat(readFileSync(`${script}.LICENSE.txt`, "utf8"))
      .join("\n\n"),
  );
}

/** Bundles modules of a folder of `src`, but for the packages that are installed, into the place where they were compiled to. */
async function bundleInPlace(folder: string, names: string[], installed: string[]): Promise<RolldownOutput> {
  const build = await rolldown({
    input: names.map((name) => join(packageRoot, `src/${folder}/${name}.ts`)),
    platform: "node",
    external: (id) => installed.some((name) => id === name || id.startsWith(`${name}/`)),
  });
  return build.write({ dir: join(packageRoot, "dist/src", folder), chunkFileNames: "[name].js", comments: { legal: true } });
}

async function bundleConsole(folder: string): Promise<RolldownOutput> {
  const source = join(packageRoot, "src/console");
  for (const file of ["console.html", "console.css"]) copyFileSync(join(source, file), join(folder, file));
  const build = await rolldown({
    input: join(source, "main.tsx"),
    platform: "browser",
    resolve: { extensionAlias: { ".js": [".ts", ".js"], ".jsx": [".tsx"] } },
  });
  return build.write({ file: join(folder, "console.js"), minify: true });
}

/**
 * Bundles the compiled command line: some hundreds of modules take longer to find than to run. Of the packages that are installed it holds
 * those that every command needs.
 */
async function bundleCommand(folder: string, installed: string[]): Promise<RolldownOutput> {
  rmSync(folder, { recursive: true, force: true });
  const apart = installed.filter((name) => !NEEDED.includes(name));
  const build = await rolldown({
    input: join(packageRoot, "dist/src/cli/main.js"),
    platform: "node",
    plugins: [staysInPlace(folder)],
    external: (id) => apart.some((name) => id === name || id.startsWith(`${name}/`)),
  });
  const minify = { mangle: false, compress: false, codegen: { removeWhitespace: true } };
  return build.write({ dir: folder, chunkFileNames: "[name].js", comments: false, minify });
}

/** Lets a module find files in its source folder although its bundle is in another folder. */
function staysInPlace(folder: string): Plugin {
  return {
    name: "stays-in-place",
    transform(code, id) {
      if (!code.includes("import.meta.") || id.includes("node_modules")) return null;
      const file = relative(folder, id).replaceAll(sep, "/");
      return code
        .replaceAll("import.meta.url", `new URL(${JSON.stringify(file)}, import.meta.url).href`)
        .replaceAll("import.meta.dirname", `(import.meta.dirname + ${JSON.stringify(`/${dirname(file)}`)})`);
    },
  };
}

/** The folders of the packages whose code is in a bundle. */
function packagesIn({ output }: RolldownOutput): string[] {
  const files = output.flatMap((part) => (part.type === "chunk" ? part.moduleIds : []));
  const folders = files.flatMap((file) => /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/.exec(file)?.[0] ?? []);
  return [...new Set(folders)].sort();
}

/** The folder of a package that is bundled already, and of each package that it needs. */
function packagesBelow(folder: string, found = new Set<string>()): string[] {
  found.add(folder);
  const { dependencies = {} } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as {
    dependencies?: Record<string, string>;
  };
  for (const name of Object.keys(dependencies)) {
    const own = join(folder, "node_modules", name);
    const place = existsSync(own) ? own : join(packageRoot, "node_modules", name);
    const { name: installed } = JSON.parse(readFileSync(join(place, "package.json"), "utf8")) as { name: string };
    if (!NOT_IN_BROWSERS.includes(installed) && !found.has(place)) packagesBelow(place, found);
  }
  return [...found];
}

function getLicence(folder: string): string {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Record<string, string>;
  const file = existsSync(folder) && readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
  if (!file) throw new Error(`${name} has no licence that could be shipped with it: ${dirname(folder)}`);
  return `${name} ${version} (${license})\n\n${readFileSync(join(folder, file), "utf8").trim()}`;
}
