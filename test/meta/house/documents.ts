import type { Node } from "oxc-parser";
import { getDeclarations } from "./exports.js";
import { at, type Rule, type Source } from "./source.js";

/** Every exported function, constant and type has a doc comment. */
export const findUndocumentedExports: Rule = (source) => {
  const declaredDeclarations = getDeclarations(source);
  const documented = new Set(
    declaredDeclarations
      .filter((declaration) => hasDocument(source, declaration.statement))
      .map((declaration) => declaration.name),
  );
  const first = (name: string) => declaredDeclarations.findIndex((declaration) => declaration.name === name);
  const exported = (name: string) =>
    declaredDeclarations.some((declaration) => declaration.name === name && declaration.exported);
  return declaredDeclarations
    .filter(({ name }, i) => exported(name) && first(name) === i && !documented.has(name))
    .map(({ name, statement }) => at(source, statement.start, `${name} is exported without a doc comment: say what it is`));
};

function hasDocument({ comments, text }: Source, { start }: Node): boolean {
  return comments.some(
    (comment) =>
      comment.type === "Block" &&
      comment.value.startsWith("*") &&
      comment.end <= start &&
      text.slice(comment.end, start).trim() === "",
  );
}
