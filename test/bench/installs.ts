import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "../../src/contract/load.js";
import { type Figure, figure, ours } from "./figures.js";
import { run } from "./processes.js";
import { installRivals } from "./rivals.js";
import { scratchFolder } from "./scratch.js";
import type { BenchContext, Section } from "./section.js";

/** Measures the size of an installation. */
export const installs: Section = { name: "installs", title: "Installed", measure };

async function measure(bench: BenchContext): Promise<Figure[]> {
  const homes: [string, string][] = [
    [ours, await installOurs(bench)],
    ...installRivals(bench).map(({ name, home }): [string, string] => [name, home]),
  ];
  const figureBy = (what: string, unit: string, pick: (home: string) => number) =>
    figure(what, unit, Object.fromEntries(homes.map(([name, home]) => [name, pick(home)])));
  return [figureBy("size", "MB", getSize), figureBy("packages", "with its own", getPackages)];
}

/** Packs this package and installs it as a user does. */
async function installOurs({ tell }: BenchContext): Promise<string> {
  tell("installing the package");
  const home = scratchFolder();
  await run("load", ["npm", "pack", "--ignore-scripts", "--pack-destination", home], packageRoot);
  const { name, version } = JSON.parse(readFileSync(join(packageRoot, "package.json"), "utf8")) as Record<
    "name" | "version",
    string
  >;
  const options = ["--prefix", home, "--no-audit", "--no-fund", "--ignore-scripts", "--prefer-offline", "--loglevel=error"];
  await run("load", ["npm", "install", ...options, join(home, `${name}-${version}.tgz`)]);
  return home;
}

function getSize(home: string): number {
  return Number(/^\d+/.exec(String(execFileSync("du", ["-sm", join(home, "node_modules")])))?.[0] ?? Number.NaN);
}

function getPackages(home: string): number {
  const lock = JSON.parse(readFileSync(join(home, "node_modules", ".package-lock.json"), "utf8")) as { packages: object };
  return Object.keys(lock.packages).length;
}
