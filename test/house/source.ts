import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path/posix";
import { type Comment, type Node, type Program, parseSync, visitorKeys } from "oxc-parser";

/** One TypeScript file as the rules of the house see it. */
export interface Source {
  /** From the project's root, `src/service/world.ts`. */
  path: string;
  text: string;
  program: Program;
  comments: Comment[];
  imports: Import[];
}

/** Something that a file asks of another: a file of the project by its path, a package or node module by its name. */
export interface Import {
  target: string;
  line: number;
  typeOnly: boolean;
}

/** A node with the one that holds it and under which key. */
export interface Place {
  node: Node;
  parent: Node | null;
  key: string;
}

/** A rule of the house: one line for every place where a source breaks it. */
export type Rule = (source: Source) => string[];

/** Reads every TypeScript file below a folder of the project. */
export function readSources(root: string, folder: string): Source[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .map((name) => name.replaceAll("\\", "/"))
    .filter((name) => name.endsWith(".ts"))
    .sort()
    .map((name) => parseSource(join(folder, name), readFileSync(join(root, folder, name), "utf8")));
}

/** Parses one file. Throws when it is not TypeScript. */
export function parseSource(path: string, text: string): Source {
  const { program, comments, errors } = parseSync(path, text);
  const source: Source = { path, text, program, comments, imports: [] };
  if (errors[0]) throw new Error(at(source, errors[0].labels[0]?.start ?? 0, errors[0].message));
  source.imports = [...places(program)].flatMap(({ node }) => importOf(source, node));
  return source;
}

/** Every node of a tree, parents before children. */
export function* places(node: Node, parent: Node | null = null, key = ""): Generator<Place> {
  yield { node, parent, key };
  for (const childKey of visitorKeys[node.type] ?? []) {
    const child = (node as unknown as Record<string, Node | (Node | null)[] | null>)[childKey];
    for (const one of Array.isArray(child) ? child : [child]) if (one) yield* places(one, node, childKey);
  }
}

/** Words a finding so that an editor can jump to it: `src/x.ts:12: message`. */
export function at(source: Source, offset: number, message: string): string {
  return `${source.path}:${lineOf(source, offset)}: ${message}`;
}

/** The line that an offset lies on, counted from 1. */
export function lineOf(source: Source, offset: number): number {
  return source.text.slice(0, offset).split("\n").length;
}

function importOf(source: Source, node: Node): Import[] {
  const specifier = "source" in node && node.source?.type === "Literal" ? node.source.value : null;
  if (typeof specifier !== "string") return [];
  return [{ target: resolve(source.path, specifier), line: lineOf(source, node.start), typeOnly: isTypeOnly(node) }];
}

function resolve(from: string, specifier: string): string {
  return specifier.startsWith(".") ? join(dirname(from), specifier).replace(/\.js$/, ".ts") : specifier;
}

function isTypeOnly(node: Node): boolean {
  switch (node.type) {
    case "TSImportType":
      return true;
    case "ImportDeclaration":
      return (
        node.importKind === "type" ||
        (node.specifiers.length > 0 && node.specifiers.every((one) => "importKind" in one && one.importKind === "type"))
      );
    case "ExportNamedDeclaration":
      return (
        node.exportKind === "type" || (node.specifiers.length > 0 && node.specifiers.every((one) => one.exportKind === "type"))
      );
    case "ExportAllDeclaration":
      return node.exportKind === "type";
    default:
      return false;
  }
}
