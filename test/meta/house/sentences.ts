import type { Node } from "oxc-parser";
import { at, places, type Rule } from "./source.js";

/** Names of values that hold a sentence for readers. */
const sentences = new Set(["reason", "why", "sentence", "expected", "actual", "problem", "message", "title"]);
const methods = new Set([
  ...["startsWith", "endsWith", "includes", "indexOf", "match", "matchAll", "search", "replace", "replaceAll"],
  ...["exec", "test", "parseInt", "parseFloat"],
]);

/** Files that read sentences of other programs, each with the program. */
const exceptions: Record<string, string> = {
  "src/common/strict-json.ts": "messages of JSON.parse",
  "src/common/yaml-fault.ts": "messages of the YAML parser",
  "src/mock/worlds/fixture-file.ts": "messages of the YAML parser",
  "src/mock/cluster/store/redis.ts": "messages of Redis",
  "src/engine/http/failure.ts": "messages of Node and undici",
  "src/engine/execute/expect/match.ts": "the answer of a server",
};

/** No program reads a sentence that another part of the project wrote for readers: the facts are in fields. */
export const findReadSentences: Rule = (source) => {
  if (!source.path.startsWith("src/") || source.path in exceptions) return [];
  return places(source.program).flatMap(({ node }) => {
    if (node.type !== "CallExpression" || node.callee.type !== "MemberExpression") return [];
    const method = getName(node.callee.property);
    if (method === undefined || !methods.has(method)) return [];
    const text = ["exec", "test", "parseInt", "parseFloat"].includes(method) ? node.arguments[0] : node.callee.object;
    const name = text && getName(text.type === "MemberExpression" ? text.property : text);
    if (name === undefined || !sentences.has(name)) return [];
    return [
      at(source, node.start, `${name}.${method} is banned here, it reads a sentence: use a field of the value that it describes`),
    ];
  });
};

function getName(node: Node): string | undefined {
  return node.type === "Identifier" ? node.name : undefined;
}
