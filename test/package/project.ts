import { execFile } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { packageRoot } from "../../src/contract/load.js";

/** The exit code of a command, and its output. */
export interface Ended {
  code: number;
  text: string;
}

/** An empty project of somebody else, outside this repository, and what can be done in it. */
export interface Project {
  folder: string;
  /** Copies files of `test/package/project` into it. */
  add(...names: string[]): void;
  run(program: string, args: readonly string[], env?: NodeJS.ProcessEnv): Promise<Ended>;
  remove(): void;
}

/** Of this package. */
export const manifest = JSON.parse(readFileSync(join(packageRoot, "package.json"), "utf8")) as {
  version: string;
  bin: Record<string, string>;
  dependencies: Record<string, string>;
};

/** Files that compile, and that would not compile with a mistake in their names. */
export const types = ["types.mts.txt", "types.cts.txt", "types.ts.txt", "using.mts.txt", "vitest.mts.txt", "vitest.cts.txt"];

const files = join(packageRoot, "test/package/project");

/**
 * Packs what `npm run build` has made and returns the path of the tarball. All test files of a run share one tarball: the first file packs
 * it in the temporary directory of the run, which the run removes, and the others wait for it.
 */
export async function pack(): Promise<string> {
  const folder = join(tmpdir(), "packed");
  const tarball = join(folder, `counterpart-kit-${manifest.version}.tgz`);
  const failure = join(folder, "failure.txt");
  if (mkdirSync(folder, { recursive: true }) === undefined) {
    while (!existsSync(tarball) && !existsSync(failure)) await setTimeout(50);
  } else {
    const unfinished = mkdtempSync(join(folder, "unfinished-"));
    const args = ["pack", "--ignore-scripts", "--silent", "--pack-destination", unfinished];
    const { code, text } = await run(packageRoot, "npm", args);
    if (code === 0) renameSync(join(unfinished, basename(tarball)), tarball);
    else writeFileSync(failure, text);
  }
  if (existsSync(failure)) throw new Error(`npm pack failed: ${readFileSync(failure, "utf8")}`);
  return tarball;
}

/** Returns the paths of the files in the shared tarball, each from the package's root. */
export async function packedFiles(): Promise<string[]> {
  const { code, text } = await run(packageRoot, "tar", ["-tzf", await pack()]);
  if (code !== 0) throw new Error(text);
  return text
    .trimEnd()
    .replace(/^package\//gm, "")
    .split("\n");
}

/** Opens a project with nothing in it. */
export function openProject(): Project {
  const folder = mkdtempSync(join(tmpdir(), "project-"));
  writeFileSync(join(folder, "package.json"), '{ "name": "project", "version": "1.0.0", "private": true }\n');
  return {
    folder,
    add: (...names) => {
      for (const name of names) cpSync(join(files, name), join(folder, name.replace(/\.txt$/, "")));
    },
    run: (program, args, env = {}) => run(folder, program, args, env),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Unpacks the tarball into a project and links only the dependencies of the package. Uses no registry. */
export async function unpack({ folder }: Project, tarball: string): Promise<void> {
  const modules = join(folder, "node_modules");
  mkdirSync(modules);
  const { code, text } = await run(modules, "tar", ["-xzf", tarball]);
  if (code !== 0) throw new Error(text);
  renameSync(join(modules, "package"), join(modules, "counterpart-kit"));
  for (const name of Object.keys(manifest.dependencies)) link(folder, name);
}

/** Puts a package of this repository into a project. */
export function link(folder: string, name: string): void {
  mkdirSync(dirname(join(folder, "node_modules", name)), { recursive: true });
  symlinkSync(join(packageRoot, "node_modules", name), join(folder, "node_modules", name), "junction");
}

/** Returns the bytes that a folder and its content take on a disk, without links. */
export function bytesIn(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + Math.ceil(statSync(join(parentPath, name)).size / 4096) * 4096, 0);
}

/** A tool that is installed by `npm install --prefix test/package`. */
export function toolPath(path: string): string {
  return join(packageRoot, "test/package/node_modules", path);
}

function run(cwd: string, program: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Ended> {
  const { NODE_OPTIONS: _, NODE_ENV: __, VITEST: ___, ...rest } = process.env;
  return new Promise((resolve) => {
    execFile(program, [...args], { cwd, env: { ...rest, ...env }, timeout: 120_000 }, (error, out, err) =>
      resolve({ code: Number(error?.code ?? (error ? 1 : 0)), text: out + err }),
    );
  });
}
