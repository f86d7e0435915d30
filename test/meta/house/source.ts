import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path/posix";
import { type Comment, type Node, type Program, parseSync, visitorKeys } from "oxc-parser";

/** One TypeScript file as the rules of the house see it. */
export interface Source {
  /** From the project's root, `src/service/world/world.ts`. */
  path: string;
  text: string;
  program: Program;
  comments: Comment[];
  imports: Import[];
}

/** An import: the path of a file of the project, or the name of a package. */
export interface Import {
  target: string;
  /** The imported names; `*` for everything. */
  names: string[];
  line: number;
  typeOnly: boolean;
  /** The position of the specifier in the text, quotes included. */
  start: number;
  end: number;
}

/** A node, its parent, and its key in the parent. */
export interface Place {
  node: Node;
  parent: Node | null;
  key: string;
}

/** A rule of the house: one line for every place where a source breaks it. */
export type Rule = (source: Source) => string[];

/** A rule for all files together. */
export type HouseRule = (sources: Source[]) => string[];

/** Reads the files below a folder whose text `isMeant` accepts. Skips installed packages. */
export function readSources(
  root: string,
  folder: string,
  ending: string,
  isMeant: (text: string) => boolean = () => true,
): Source[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .map((name) => name.replaceAll("\\", "/"))
    .filter((name) => name.endsWith(ending) && !name.includes("node_modules/"))
    .sort()
    .map((name) => ({ path: join(folder, name), text: readFileSync(join(root, folder, name), "utf8") }))
    .filter(({ text }) => isMeant(text))
    .map(({ path, text }) => parseSource(path, text));
}

/** Parses one file. A document is all text. Throws when a program is not TypeScript. */
export function parseSource(path: string, text: string): Source {
  const isProgram = /\.tsx?$/.test(path);
  const { program, comments, errors } = parseSync(path, isProgram ? text : "", { lang: path.endsWith("x") ? "tsx" : "ts" });
  const source: Source = { path, text, program, comments, imports: [] };
  if (errors[0]) throw new Error(at(source, errors[0].labels[0]?.start ?? 0, errors[0].message));
  source.imports = places(program).flatMap(({ node }) => getImport(source, node));
  return source;
}

/** Every node of a tree, parents before children. */
export function places(root: Node): readonly Place[] {
  const foundPlaces: Place[] = [];
  collect({ node: root, parent: null, key: "" }, foundPlaces);
  return foundPlaces;
}

function collect(place: Place, foundPlaces: Place[]): void {
  foundPlaces.push(place);
  const { node } = place;
  for (const key of visitorKeys[node.type] ?? []) {
    const child = (node as unknown as Record<string, Node | (Node | null)[] | null>)[key];
    for (const one of Array.isArray(child) ? child : [child]) if (one) collect({ node: one, parent: node, key }, foundPlaces);
  }
}

/** Words a finding so that an editor can jump to it: `src/x.ts:12: message`. */
export function at(source: Source, offset: number, message: string): string {
  return `${source.path}:${getLine(source, offset)}: ${message}`;
}

/** The line that an offset lies on, counted from 1. */
export function getLine(source: Source, offset: number): number {
  return source.text.slice(0, offset).split("\n").length;
}

function getImport(source: Source, node: Node): Import[] {
  const from = "source" in node && node.source?.type === "Literal" ? node.source : null;
  if (!from || typeof from.value !== "string") return [];
  const target = resolve(source.path, from.value);
  const { start, end } = from;
  return [{ target, names: namesTaken(node), line: getLine(source, node.start), typeOnly: isTypeOnly(node), start, end }];
}

function namesTaken(node: Node): string[] {
  switch (node.type) {
    case "ImportDeclaration":
      return node.specifiers.map((specifier) =>
        specifier.type === "ImportSpecifier"
          ? getWord(specifier.imported)
          : specifier.type === "ImportDefaultSpecifier"
            ? "default"
            : "*",
      );
    case "ExportNamedDeclaration":
      return node.specifiers.map(({ local }) => getWord(local));
    case "TSImportType":
      return [node.qualifier?.type === "Identifier" ? node.qualifier.name : "*"];
    default:
      return ["*"];
  }
}

function getWord(name: Node): string {
  return "name" in name && typeof name.name === "string" ? name.name : String("value" in name ? name.value : "*");
}

function resolve(from: string, specifier: string): string {
  return specifier.startsWith(".") ? join(dirname(from), specifier).replace(/\.js(x?)$/, ".ts$1") : specifier;
}

function isTypeOnly(node: Node): boolean {
  switch (node.type) {
    case "TSImportType":
      return true;
    case "ImportDeclaration":
      return (
        node.importKind === "type" ||
        (node.specifiers.length > 0 &&
          node.specifiers.every((specifier) => "importKind" in specifier && specifier.importKind === "type"))
      );
    case "ExportNamedDeclaration":
      return (
        node.exportKind === "type" ||
        (node.specifiers.length > 0 && node.specifiers.every((specifier) => specifier.exportKind === "type"))
      );
    case "ExportAllDeclaration":
      return node.exportKind === "type";
    default:
      return false;
  }
}
