import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** What to answer to every request of a request line. */
export interface StaticAnswer {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** The yardstick: node:http and nothing else, giving the answers of its first argument, by method and path. It reads a request's body to its end first. */
const answers = JSON.parse(process.argv[2] ?? "{}") as Record<string, StaticAnswer>;
const server = createServer((request, response) => {
  const { status, headers, body } = answers[`${request.method} ${request.url}`] ?? { status: 200, headers: {}, body: "" };
  request.resume().on("end", () => response.writeHead(status, headers).end(body));
});
server.listen(0, "127.0.0.1", () =>
  console.log(JSON.stringify({ api_url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })),
);
