import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { formatCodeBlock } from "../../src/common/escape/markdown.js";
import { packageRoot } from "../../src/contract/load.js";
import { type Declaration, readModule } from "./declaration-module.js";
import { entryPoints } from "./declarations.js";

/** A declaration, and the file that has it. */
interface PlacedDeclaration extends Declaration {
  file: string;
}

/** Writes the page `reference-api`: every export of the package with its comment and its declaration. */
export function writeApiPage(): void {
  writeFileSync(join(packageRoot, "dist/bundled/typescript-api.md"), entryPoints.map(formatEntryPoint).join("\n\n"));
}

/** Returns the exports of an entry point: first its functions, then its types and the interfaces that these extend. */
function formatEntryPoint(entryPoint: string): string {
  const file = join(packageRoot, `dist/types/src/${entryPoint}.d.ts`);
  const module = entryPoint === "index" ? "counterpart-kit" : `counterpart-kit/${entryPoint}`;
  const exported = readModule(file).declarations.toSorted((a, b) => Number(a.from !== undefined) - Number(b.from !== undefined));
  const sections = new Map<string, string[]>();
  for (const declaration of exported) {
    const overloads = sections.get(declaration.name) ?? [];
    sections.set(declaration.name, [...overloads, findOrigin({ ...declaration, file }).text]);
  }
  for (const base of exported.flatMap((declaration) => findBases(findOrigin({ ...declaration, file }))))
    if (!sections.has(base.name)) sections.set(base.name, [base.text]);
  return [`## Exports of ${module}`, ...[...sections].map(([name, texts]) => formatSection(name, texts))].join("\n\n");
}

/** Follows a name that is passed on from another file to its declaration. */
function findOrigin(declaration: PlacedDeclaration): PlacedDeclaration {
  const { file, from } = declaration;
  return from ? findOrigin(findDeclaration(join(dirname(file), from.module), from.name)) : declaration;
}

function findDeclaration(module: string, name: string): PlacedDeclaration {
  const file = module.replace(/\.js$/, ".d.ts");
  const declaration = readModule(file).declarations.find((one) => one.name === name);
  if (!declaration) throw new Error(`${file} declares no ${name}`);
  return { ...declaration, file };
}

/** Returns the interfaces that an interface extends. */
function findBases({ file, text }: PlacedDeclaration): PlacedDeclaration[] {
  const [, heritage = ""] = /\binterface \w+(?:<[^{]*>)? extends ([^{]+)\{/.exec(text) ?? [];
  const { imports, declarations } = readModule(file);
  return (heritage.match(/\w+/g) ?? []).flatMap((name) => {
    const from = imports.get(name);
    if (from) return findDeclaration(join(dirname(file), from.module), from.name);
    return declarations.filter((declaration) => declaration.name === name).map((declaration) => ({ ...declaration, file }));
  });
}

function formatSection(name: string, texts: readonly string[]): string {
  const parts = texts.map((text) => /^(?:\/\/\/.*\n)*(?:\/\*\*([\s\S]*?)\*\/\s*)?([\s\S]*)$/.exec(text) ?? ["", "", text]);
  const comments = parts.map(([, comment = ""]) => comment.replace(/^\s*\* ?/gm, "").trim()).filter(Boolean);
  const code = parts.map(([, , declaration = ""]) => declaration.replace(/^export (declare )?/, "")).join("\n");
  return [`### ${name}`, ...comments, formatCodeBlock(code, "ts")].join("\n\n");
}
