import { at, getLine, places, type Rule } from "./source.js";

const longestFile = 300;
const longestFunction = 60;

/** A file fits on a few screens. */
export const findLongFiles: Rule = ({ path, text }) => {
  const lines = text.replace(/\n$/, "").split("\n").length;
  return lines > longestFile
    ? [`${path}:${longestFile + 1}: the file has ${lines} lines, ${longestFile} are allowed: move one idea of it to its own file`]
    : [];
};

/** A function fits on one screen. */
export const findLongFunctions: Rule = (source) =>
  places(source.program).flatMap(({ node, parent }) => {
    if (node.type !== "FunctionDeclaration" && node.type !== "FunctionExpression" && node.type !== "ArrowFunctionExpression")
      return [];
    const lines = getLine(source, node.end) - getLine(source, node.start) + 1;
    if (lines <= longestFunction) return [];
    const name =
      node.id?.name ?? (parent?.type === "VariableDeclarator" && parent.id.type === "Identifier" ? parent.id.name : "a function");
    return [at(source, node.start, `${name} has ${lines} lines, ${longestFunction} are allowed: split it`)];
  });
