import type { Node } from "oxc-parser";
import { at, type Place, places, type Rule, type Source } from "./source.js";

const seeded = "draw(world) or freshId(world, …)";
const synchronous = "a plain synchronous function";
const clocked = "schedule(world, …)";
const given = "a field of World or of the call";

/** Names that make a response depend on more than the world and the call, and their substitutes. */
const substitutes: Record<string, string> = {
  "Date.now": "world.now",
  "new Date()": "new Date(world.now)",
  "Date()": "new Date(world.now)",
  "performance.now": "world.now",
  "Math.random": seeded,
  randomUUID: seeded,
  "crypto.randomUUID": seeded,
  "crypto.getRandomValues": seeded,
  setTimeout: clocked,
  setInterval: clocked,
  setImmediate: clocked,
  queueMicrotask: clocked,
  process: given,
  globalThis: given,
  async: synchronous,
  await: synchronous,
  Promise: synchronous,
};

/** Functions whose signals Node may collect before they fire (its issue 57736), so that a wait never ends, and their substitutes. */
const createForgettingMutant: Record<string, string> = {
  "AbortSignal.any": "withDeadline(…)",
  "AbortSignal.timeout": "withDeadline(…)",
};

/** `src/service` is pure and synchronous: no wall clock, no global random source, no promise, no process. */
export const findImpurities: Rule = (source) => (source.path.startsWith("src/service/") ? findBanned(source, substitutes) : []);

/** Refuses waits outside the browser for a signal that may never fire. */
export const findEndlessWaits: Rule = (source) =>
  source.path.startsWith("src/console/") ? [] : findBanned(source, createForgettingMutant);

function findBanned(source: Source, names: Record<string, string>): string[] {
  return places(source.program).flatMap((place) => {
    const name = getName(place);
    const substitute = name === null || !Object.hasOwn(names, name) ? null : names[name];
    return substitute ? [at(source, place.node.start, `${name} is banned here, use ${substitute}`)] : [];
  });
}

function getName(place: Place): string | null {
  const { node } = place;
  switch (node.type) {
    case "Identifier":
      return isReference(place) ? node.name : null;
    case "MemberExpression":
      return node.object.type === "Identifier" ? `${node.object.name}.${getProperty(node)}` : null;
    case "NewExpression":
      return isDate(node.callee) && node.arguments.length === 0 ? "new Date()" : null;
    case "CallExpression":
      return isDate(node.callee) ? "Date()" : null;
    case "AwaitExpression":
      return "await";
    case "ForOfStatement":
      return node.await ? "await" : null;
    case "FunctionDeclaration":
    case "FunctionExpression":
    case "ArrowFunctionExpression":
      return node.async ? "async" : null;
    default:
      return null;
  }
}

/** False for the name of a property or field, which refers to nothing by itself. */
function isReference({ parent, key }: Place): boolean {
  return !parent || !["property", "key"].includes(key) || ("computed" in parent && parent.computed === true);
}

function getProperty({ property }: Extract<Node, { type: "MemberExpression" }>): string {
  if (property.type === "Literal") return String(property.value);
  return "name" in property && typeof property.name === "string" ? property.name : "";
}

function isDate(callee: Node): boolean {
  return callee.type === "Identifier" && callee.name === "Date";
}
