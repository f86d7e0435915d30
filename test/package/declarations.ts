import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { packageRoot } from "../../src/contract/load.js";
import { type Declaration, readModule, renamed } from "./declaration-module.js";

/** The entry points of the package: `src/index.ts` and `src/vitest.ts`. */
export const entryPoints = ["index", "vitest"] as const;

const compiled = join(packageRoot, "dist");
const published = join(packageRoot, "dist/types");

/**
 * Writes `dist/types`: of the compiled declarations those that can be reached by name from what can be imported. They ask for no file that is
 * not packed: where the sources take a type from a JSON file of `spec/`, it is spelled out.
 */
export function writeDeclarations(): void {
  rmSync(published, { recursive: true, force: true });
  const reachedReach: Reach = new Map();
  for (const door of entryPoints) {
    const file = join(compiled, `src/${door}.d.ts`);
    for (const { name } of readModule(file).declarations) reach(reachedReach, file, name);
  }
  for (const [file, names] of reachedReach)
    write(relative(compiled, file), file.endsWith(".json") ? jsonTypes(file) : getPart(file, names));
}

/** For projects whose compiler settings do not know `using`. */
const disposal = '/// <reference lib="esnext.disposable" />';

/** The names that are needed of each file. */
type Reach = Map<string, Set<string>>;

function reach(reachedReach: Reach, file: string, name: string): void {
  const names = reachedReach.get(file) ?? new Set();
  if (names.has(name)) return;
  reachedReach.set(file, names.add(name));
  if (file.endsWith(".json")) return;
  const { declarations, imports } = readModule(file);
  const foundDeclarations = declarations.filter((declaration) => declaration.name === name);
  if (foundDeclarations.length === 0) throw new Error(`${file} declares no ${name}`);
  for (const { from } of foundDeclarations) if (from) reach(reachedReach, getFile(file, from.module), from.name);
  for (const word of foundDeclarations.flatMap(wordsIn)) {
    if (declarations.some((declaration) => declaration.name === word)) reach(reachedReach, file, word);
    const from = imports.get(word);
    if (!from) continue;
    names.add(word);
    if (from.module.startsWith(".")) reach(reachedReach, getFile(file, from.module), from.name);
  }
}

/** Returns the words of a declaration without comments. They include every name that it can refer to. */
function wordsIn({ text, from }: Declaration): string[] {
  return from ? [] : (text.replace(/\/\*[\s\S]*?\*\//g, "").match(/[A-Za-z_$][\w$]*/g) ?? []);
}

function getFile(from: string, module: string): string {
  const path = join(dirname(from), module);
  return path.endsWith(".json") ? path : path.replace(/\.js$/, ".d.ts");
}

/** Returns the needed declarations of a file, with the imports that they need. */
function getPart(file: string, names: ReadonlySet<string>): string {
  const { declarations, imports } = readModule(file);
  const askedImports = [...imports].filter(([local]) => names.has(local));
  const lines = askedImports.map(([local, { module, name }]) => {
    const clause = name === "default" ? local : name === "*" ? `* as ${local}` : `{ ${renamed(name, local)} }`;
    return `import type ${clause} from "${module.replace(/\.json$/, ".js")}";`;
  });
  const kept = declarations.filter(({ name }) => names.has(name)).map(({ text }) => text);
  const disposes = kept.some((text) => /Symbol\.(asyncD|d)ispose/.test(text));
  return `${[...(disposes ? [disposal] : []), ...lines, ...new Set(kept)].join("\n")}\n`;
}

function jsonTypes(file: string): string {
  const value = JSON.parse(readFileSync(join(packageRoot, relative(compiled, file)), "utf8")) as unknown;
  return `declare const json: ${getType(value)};\nexport default json;\n`;
}

/** The type of a JSON value. Names are types of their own, which the compiler does not see in a JSON file. */
function getType(value: unknown): string {
  if (typeof value === "string") return /^[\w-]{1,40}$/.test(value) ? JSON.stringify(value) : "string";
  if (typeof value !== "object" || value === null) return value === null ? "null" : typeof value;
  if (Array.isArray(value)) return `(${[...new Set(value.map(getType))].join(" | ") || "never"})[]`;
  return `{ ${Object.entries(value)
    .map(([name, inner]) => `${JSON.stringify(name)}: ${getType(inner)}`)
    .join("; ")} }`;
}

function write(name: string, text: string): void {
  const file = join(published, name.replace(/\.json$/, ".d.ts"));
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
