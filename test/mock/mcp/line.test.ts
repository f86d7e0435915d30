import type { JSONRPCMessage, JSONRPCRequest } from "@modelcontextprotocol/sdk/types.js";
import { expect, test } from "vitest";
import { openLine } from "../../../src/mock/mcp/line.js";

test("two requests with one id are told apart, whichever is answered first, and each gets its own id back", async () => {
  const line = openLine<string>();
  const asked: JSONRPCRequest[] = [];
  line.transport.onmessage = (message) => void asked.push(message as never);
  const request = { jsonrpc: "2.0", id: "a", method: "ping" } as const;
  const answers = [line.ask(request, "first"), line.ask(request, "second")];
  expect(asked.map(({ id }) => line.contextOf(id))).toEqual(["first", "second"]);
  for (const { id } of asked.toReversed()) {
    const result = { context: line.contextOf(id) };
    await line.transport.send({ jsonrpc: "2.0", id, result } as JSONRPCMessage);
  }
  expect(await Promise.all(answers)).toEqual([
    { jsonrpc: "2.0", id: "a", result: { context: "first" } },
    { jsonrpc: "2.0", id: "a", result: { context: "second" } },
  ]);
});

test("an answer that nobody waits for is let go", async () => {
  const line = openLine<string>();
  await expect(line.transport.send({ jsonrpc: "2.0", id: 1, result: {} })).resolves.toBeUndefined();
});
