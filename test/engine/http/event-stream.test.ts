import type { ServerResponse } from "node:http";
import { describe, expect, test } from "vitest";
import { runTools } from "../execute/tool-server.js";

/** An event stream that a test writes piece by piece and need not end. */
type Stream = (response: ServerResponse, serverResponse: { jsonrpc: "2.0"; id: unknown; result?: object }) => void;

const event = (message: object, head = "") => `${head}data: ${JSON.stringify(message)}\n\n`;
const note = (method: string, params: object = {}) => event({ jsonrpc: "2.0", method, params });
const STEP = "  - mcp: { call: start }\n    expect: { content: done }\n";

function inPieces(response: ServerResponse, text: string, size: number): void {
  const bytes = Buffer.from(text);
  const next = (at: number) => {
    if (at >= bytes.length) return void response.end();
    response.write(bytes.subarray(at, at + size), () => setImmediate(() => next(at + size)));
  };
  next(0);
}

describe("an unusual but conforming event stream", () => {
  test.each<[string, Stream]>([
    ["never ends", (response, serverResponse) => void response.write(event(serverResponse))],
    [
      "never ends, and has other events only",
      (response, serverResponse) => {
        response.write(event(serverResponse));
        const timer = setInterval(() => response.write(": ping\n\n"), 10);
        response.on("close", () => clearInterval(timer));
      },
    ],
    [
      "begins with comments and pings",
      (response, serverResponse) => response.end(`: hello\n\n:\n\nevent: ping\ndata: {"id":1}\n\n${event(serverResponse)}`),
    ],
    [
      "tells of progress first",
      (response, serverResponse) =>
        response.end(
          note("notifications/progress", { progressToken: 1, progress: 1 }) +
            note("notifications/message", { level: "info", data: "x" }) +
            event(serverResponse),
        ),
    ],
    [
      "asks for something itself first",
      (response, serverResponse) => response.end(event({ jsonrpc: "2.0", id: "s1", method: "ping" }) + event(serverResponse)),
    ],
    [
      "asks by the id of the answer",
      (response, serverResponse) =>
        response.end(event({ jsonrpc: "2.0", id: serverResponse.id, method: "ping" }) + event(serverResponse)),
    ],
    [
      "has another response first",
      (response, serverResponse) => response.end(event({ ...serverResponse, id: 4711, result: {} }) + event(serverResponse)),
    ],
    [
      "names and numbers its events",
      (response, serverResponse) => response.end(event(serverResponse, "id: 7\nretry: 10\nevent: message\n")),
    ],
    [
      "splits data over lines",
      (response, serverResponse) =>
        response.end(`data: ${JSON.stringify(serverResponse, null, 1).replaceAll("\n", "\ndata: ")}\n\n`),
    ],
    [
      "ends lines by CR",
      (response, serverResponse) => response.end(event(serverResponse, "event: message\n").replaceAll("\n", "\r")),
    ],
    [
      "ends lines by CR LF, in pieces of one byte",
      (response, serverResponse) => inPieces(response, event(serverResponse, ": x\n").replaceAll("\n", "\r\n"), 1),
    ],
    [
      "comes in pieces of 7 bytes",
      (response, serverResponse) =>
        inPieces(response, note("notifications/message", { level: "info", data: "ö🙂" }) + event(serverResponse), 7),
    ],
  ])("%s, and its answer counts", async (_, stream) => {
    const { checks } = await runTools({ stream: true, write: stream }, STEP);
    expect(checks[0]).toMatchObject({ verdict: "passed" });
  });
});

describe("an event stream without an answer", () => {
  test.each<[string, Stream, RegExp]>([
    [
      "that is to be continued",
      (response) => response.end(note("notifications/message").replace("data", "id: 1\ndata")),
      /would have to resume it/,
    ],
    [
      "whose last event is cut short",
      (response, serverResponse) => response.end(event(serverResponse, "id: 1\n").slice(0, -1)),
      /would have to resume/,
    ],
    [
      "with the answer to another request",
      (response, serverResponse) => response.end(event({ ...serverResponse, id: 4711 })),
      /not an answer to the request/,
    ],
    [
      "with a response of an unknown request",
      (response, serverResponse) => response.end(event({ ...serverResponse, id: null })),
      /not an answer to the request/,
    ],
    ["that never ends", (response) => void response.write(": wait\n\n"), /no complete answer within/],
    [
      "that never ends and has other events only",
      (response) => {
        const timer = setInterval(() => response.write(note("notifications/progress")), 5);
        response.on("close", () => clearInterval(timer));
      },
      /no complete answer within/,
    ],
    ["that breaks off", (response) => void response.write("data: {", () => response.destroy()), /closed the connection/],
    [
      "whose answer the client cannot read",
      (response, { id }) => response.end(event({ jsonrpc: "1.0", id, result: {} })),
      /official client/,
    ],
  ])("%s is not a finding, and the wait for it ends", async (_, stream, reason) => {
    const { checks, report } = await runTools({ stream: true, write: stream, timeoutSeconds: 0.5 }, STEP);
    expect(report.scenarios[0]?.verdict).toBe("inconclusive");
    expect(checks[0]).toMatchObject({ verdict: "inconclusive", reason: expect.stringMatching(reason) });
  });
});

test.each<[string, Stream]>([
  ["that ends without an answer", (response) => response.end(note("notifications/message"))],
  [
    "that answers in an event of a type of its own",
    (response, serverResponse) => response.end(event(serverResponse, "event: other\n")),
  ],
])("an event stream %s is a finding", async (_, stream) => {
  const { checks } = await runTools({ stream: true, write: stream }, STEP);
  expect(checks[0]).toMatchObject({ verdict: "failed", actual: expect.stringContaining("no JSON-RPC answer") });
});
