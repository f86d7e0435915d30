import { readFileSync } from "node:fs";
import { type Node, parseSync } from "oxc-parser";

/** One thing that a declaration file declares or passes on, with its text. */
export interface Declaration {
  name: string;
  text: string;
  /** The module and the name from which it is re-exported. */
  from?: ImportedName;
}

/** An export of another module by its name there, also `default` and `*`. */
export interface ImportedName {
  module: string;
  name: string;
}

/** A declaration file, read. */
export interface DeclarationModule {
  declarations: Declaration[];
  /** By the local name. */
  imports: Map<string, ImportedName>;
}

const declarationModules = new Map<string, DeclarationModule>();

/** Reads a declaration file as the compiler writes it. */
export function readModule(file: string): DeclarationModule {
  const declarationModule = declarationModules.get(file);
  if (declarationModule) return declarationModule;
  const text = readFileSync(file, "utf8");
  const { program } = parseSync(file, text, { lang: "dts" });
  const module: DeclarationModule = { declarations: [], imports: new Map() };
  let end = 0;
  for (const node of program.body) {
    add(module, node, text.slice(end, node.end).trim()); // with the comment before it
    end = node.end;
  }
  declarationModules.set(file, module);
  return module;
}

function add({ declarations, imports }: DeclarationModule, node: Node, text: string): void {
  if (node.type === "ImportDeclaration") {
    for (const specifier of node.specifiers) {
      const name =
        specifier.type === "ImportSpecifier"
          ? getName(specifier.imported)
          : specifier.type === "ImportDefaultSpecifier"
            ? "default"
            : "*";
      imports.set(specifier.local.name, { module: node.source.value, name });
    }
  } else if (node.type === "ExportNamedDeclaration" && node.source) {
    for (const { local, exported, exportKind } of node.specifiers) {
      const kind = node.exportKind === "type" || exportKind === "type" ? "export type" : "export";
      const from = { module: node.source.value, name: getName(local) };
      const name = getName(exported);
      declarations.push({ name, from, text: `${kind} { ${renamed(from.name, name)} } from "${from.module}";` });
    }
  } else for (const name of getNames(node)) declarations.push({ name, text });
}

/** Returns an import or export specifier: `name`, or `name as other`. */
export function renamed(name: string, as: string): string {
  return name === as ? name : `${name} as ${as}`;
}

/** Returns the names that a statement declares. */
function getNames(node: Node): string[] {
  if (node.type === "ExportNamedDeclaration") return node.declaration ? getNames(node.declaration) : [];
  if (node.type === "VariableDeclaration")
    return node.declarations.flatMap(({ id }) => (id.type === "Identifier" ? [id.name] : []));
  // additions to another package's types have the name of that package
  if (node.type === "TSModuleDeclaration" && node.id.type === "Literal") return [node.id.value];
  return "id" in node && node.id?.type === "Identifier" ? [node.id.name] : [];
}

function getName(node: Node): string {
  if (node.type === "Identifier") return node.name;
  throw new Error(`a ${node.type} is no name`);
}
