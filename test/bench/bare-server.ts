import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { StaticResponse } from "./exchanges.js";

/**
 * The baseline: node:http only, on the port of its first argument. It returns the answers in the file of its second one, by method and
 * path. It reads a request's body to its end first.
 */
const responses = JSON.parse(process.argv[3] ? readFileSync(process.argv[3], "utf8") : "{}") as Record<string, StaticResponse>;
createServer((request, response) => {
  const { status, headers, body } = responses[`${request.method} ${request.url}`] ?? { status: 200, headers: {}, body: "" };
  request.resume().on("end", () => response.writeHead(status, headers).end(body));
}).listen(Number(process.argv[2]), "127.0.0.1");
