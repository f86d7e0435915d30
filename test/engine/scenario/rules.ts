import type { CompileRules } from "../../../src/engine/scenario/requests.js";

/** The rules of an invented library. The engine accepts any contract. */
export const library: CompileRules = {
  defaultRole: "reader",
  requests: {
    effectOf(method, path) {
      if (method === "GET") return "read";
      if (/^\/shelves\/[^/]+\/[^/]+\/orders$/.test(path)) return "paid";
      return method === "DELETE" ? "destructive" : "write";
    },
    operationAt: (method, address) => `${method} ${new URL(address).pathname.split("/")[1]}`,
    changedBy: ({ path }) => path.split("/").slice(1, 2),
    tools: { find_book: { effect: "read", shown: ["title"] }, order_book: { effect: "paid" } },
    variable: (name) =>
      /^shelf2?$/.test(name)
        ? {
            number: name === "shelf" ? 1 : 2,
            valueIn: (repo) => repo,
            inPath: (value) => value,
            example: "room/shelf",
          }
        : undefined,
    nameOf: ({ rest = "", mcp }) => (mcp ? `tool ${mcp.tool}` : rest),
    repeatableHeader: "once",
    lint: () => [],
  },
};
