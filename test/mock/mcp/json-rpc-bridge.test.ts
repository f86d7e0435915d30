import type { JSONRPCMessage, JSONRPCRequest } from "@modelcontextprotocol/sdk/types.js";
import { expect, test } from "vitest";
import { openBridge } from "../../../src/mock/mcp/json-rpc-bridge.js";

test("two requests with one id are told apart, whichever is answered first, and each gets its own id back", async () => {
  const bridge = openBridge<string>();
  const sent: JSONRPCRequest[] = [];
  bridge.transport.onmessage = (message) => void sent.push(message as never);
  const request = { jsonrpc: "2.0", id: "a", method: "ping" } as const;
  const answers = [bridge.send(request, "first"), bridge.send(request, "second")];
  expect(sent.map(({ id }) => bridge.contextOf(id))).toEqual(["first", "second"]);
  for (const { id } of sent.toReversed()) {
    const result = { context: bridge.contextOf(id) };
    await bridge.transport.send({ jsonrpc: "2.0", id, result } as JSONRPCMessage);
  }
  expect(await Promise.all(answers)).toEqual([
    { jsonrpc: "2.0", id: "a", result: { context: "first" } },
    { jsonrpc: "2.0", id: "a", result: { context: "second" } },
  ]);
});

test("an answer that nobody waits for is let go", async () => {
  const bridge = openBridge<string>();
  await expect(bridge.transport.send({ jsonrpc: "2.0", id: 1, result: {} })).resolves.toBeUndefined();
});
