import type { Node } from "oxc-parser";
import { declarationsOf } from "./exports.js";
import { at, type Rule, type Source } from "./source.js";

/** Every exported function, constant and type has a doc comment. */
export const documentsItsExports: Rule = (source) => {
  const declared = declarationsOf(source);
  const documented = new Set(declared.filter((one) => hasDocument(source, one.statement)).map((one) => one.name));
  const first = (name: string) => declared.findIndex((one) => one.name === name);
  const exported = (name: string) => declared.some((one) => one.name === name && one.exported);
  return declared
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
