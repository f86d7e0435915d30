import type { Node, Program } from "oxc-parser";
import { at, type HouseRule, places, type Source } from "./source.js";

/** A name that a top-level statement declares. */
export interface Declaration {
  name: string;
  exported: boolean;
  statement: Node;
}

/** The modules that users of the package import, and the program. Their exports are public. */
const published = ["src/index.ts", "src/vitest.ts", "src/cli/main.ts"];

/** Returns the top-level declarations of a file, and whether it exports each. */
export function getDeclarations({ program }: Source): Declaration[] {
  const apart = new Set(listedExports(program));
  return program.body
    .flatMap(declarations)
    .map((declaration) => ({ ...declaration, exported: declaration.exported || apart.has(declaration.name) }));
}

/** An export of `src` is imported by another file of `src` or by a test. Or it is a type in the signature of such an export. */
export const findUnusedExports: HouseRule = (sources) => unusedExports(sources, sources);

/** Returns one line for every export of `src` that no reader imports. */
export function unusedExports(sources: Source[], readers: Source[]): string[] {
  const used = new Set(
    readers.flatMap(({ imports }) => imports.flatMap(({ target, names }) => names.map((name) => `${target} ${name}`))),
  );
  return sources
    .filter(({ path }) => path.startsWith("src/") && !published.includes(path) && !used.has(`${path} *`))
    .flatMap((source) =>
      getUnused(source, (name) => used.has(`${source.path} ${name}`)).map(({ name, statement }) =>
        at(source, statement.start, `${name} is exported and nobody imports it: keep it to the file or delete it`),
      ),
    );
}

function getUnused(source: Source, isImported: (name: string) => boolean): Declaration[] {
  const exportedDeclarations = getDeclarations(source).filter(
    (declaration, i, all) => declaration.exported && isFirst(declaration.name, i, all),
  );
  const reachedDeclarations = new Set(exportedDeclarations.filter(({ name }) => isImported(name)));
  for (const { statement } of reachedDeclarations) {
    const spoken = new Set(places(statement).flatMap(({ node }) => typeNamed(node)));
    for (const declaration of exportedDeclarations) if (spoken.has(declaration.name)) reachedDeclarations.add(declaration);
  }
  return exportedDeclarations.filter((declaration) => !reachedDeclarations.has(declaration));
}

function typeNamed(node: Node): string[] {
  if (node.type === "TSTypeReference" && node.typeName.type === "Identifier") return [node.typeName.name];
  if (node.type === "TSInterfaceHeritage" && node.expression.type === "Identifier") return [node.expression.name];
  return [];
}

/** A function with several forms is declared several times. */
function isFirst(name: string, i: number, all: Declaration[]): boolean {
  return all.findIndex((otherDeclaration) => otherDeclaration.name === name) === i;
}

function declarations(statement: Program["body"][number]): Declaration[] {
  const isExported = statement.type === "ExportNamedDeclaration" || statement.type === "ExportDefaultDeclaration";
  const inner: Node | null = isExported ? statement.declaration : statement;
  return getNames(inner).map((name) => ({ name, exported: isExported, statement }));
}

function getNames(node: Node | null): string[] {
  if (!node || /Statement$|^Import|^ExportAll/.test(node.type)) return [];
  if (node.type === "VariableDeclaration")
    return node.declarations.map(({ id }) => ("name" in id ? id.name : "a destructured constant"));
  return ["id" in node && node.id && "name" in node.id ? node.id.name : "default"];
}

/** Names exported apart from their declaration: `export { a, b }`. */
function listedExports(program: Program): string[] {
  return program.body.flatMap((statement) =>
    statement.type === "ExportNamedDeclaration" && !statement.source
      ? statement.specifiers.map(({ local }) => ("name" in local ? local.name : local.value))
      : [],
  );
}
