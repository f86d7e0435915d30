import type { Node, Program } from "oxc-parser";
import { at, type Rule, type Source } from "./source.js";

/** Every function, constant and type that a file gives to others says what it is. */
export const documentsItsExports: Rule = (source) => {
  const declared = source.program.body.flatMap(declarations);
  const exported = new Set([...declared.filter((one) => one.exported).map((one) => one.name), ...listed(source.program)]);
  const documented = new Set(declared.filter((one) => hasDocument(source, one.statement)).map((one) => one.name));
  const missing = declared.filter(
    (one, i) =>
      exported.has(one.name) && declared.findIndex((other) => other.name === one.name) === i && !documented.has(one.name),
  );
  return missing.map(({ name, statement }) =>
    at(source, statement.start, `${name} is exported without a doc comment: say what it is`),
  );
};

interface Declared {
  name: string;
  exported: boolean;
  statement: Node;
}

/** The names that a top-level statement declares. */
function declarations(statement: Program["body"][number]): Declared[] {
  const exported = statement.type === "ExportNamedDeclaration" || statement.type === "ExportDefaultDeclaration";
  const inner: Node | null = exported ? statement.declaration : statement;
  return namesOf(inner).map((name) => ({ name, exported, statement }));
}

function namesOf(node: Node | null): string[] {
  if (!node || /Statement$|^Import|^ExportAll/.test(node.type)) return [];
  if (node.type === "VariableDeclaration")
    return node.declarations.map(({ id }) => ("name" in id ? id.name : "a destructured constant"));
  return ["id" in node && node.id && "name" in node.id ? node.id.name : "default"];
}

/** Names exported apart from their declaration: `export { a, b }`. */
function listed(program: Program): string[] {
  return program.body.flatMap((statement) =>
    statement.type === "ExportNamedDeclaration" && !statement.source
      ? statement.specifiers.map(({ local }) => ("name" in local ? local.name : local.value))
      : [],
  );
}

function hasDocument({ comments, text }: Source, { start }: Node): boolean {
  return comments.some(
    (comment) =>
      comment.type === "Block" &&
      comment.value.startsWith("*") &&
      comment.end <= start &&
      text.slice(comment.end, start).trim() === "",
  );
}
