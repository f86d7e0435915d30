import { at, getLine, places, type Rule } from "./source.js";

const maxFileLines = 300;
const maxFunctionLines = 60;

/** A file fits on a few screens. */
export const findLongFiles: Rule = ({ path, text }) => {
  const lines = text.replace(/\n$/, "").split("\n").length;
  return lines > maxFileLines
    ? [
        `${path}:${maxFileLines + 1}: the file has ${lines} lines, ${maxFileLines} are allowed: move one idea of it to its own file`,
      ]
    : [];
};

/** A function fits on one screen. */
export const findLongFunctions: Rule = (source) =>
  places(source.program).flatMap(({ node, parent }) => {
    if (node.type !== "FunctionDeclaration" && node.type !== "FunctionExpression" && node.type !== "ArrowFunctionExpression")
      return [];
    const lines = getLine(source, node.end) - getLine(source, node.start) + 1;
    if (lines <= maxFunctionLines) return [];
    const name =
      node.id?.name ?? (parent?.type === "VariableDeclarator" && parent.id.type === "Identifier" ? parent.id.name : "a function");
    return [at(source, node.start, `${name} has ${lines} lines, ${maxFunctionLines} are allowed: split it`)];
  });
