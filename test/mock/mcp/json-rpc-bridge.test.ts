import type { JSONRPCMessage, JSONRPCRequest } from "@modelcontextprotocol/sdk/types.js";
import { expect, test } from "vitest";
import { openBridge } from "../../../src/mock/mcp/json-rpc-bridge.js";

test("two requests with one id get their own answers in any order, each with its id", async () => {
  const bridge = openBridge();
  const sent: JSONRPCRequest[] = [];
  bridge.transport.onmessage = (message) => void sent.push(message as never);
  const request = { jsonrpc: "2.0", id: "a", method: "ping" } as const;
  const responses = [bridge.send(request), bridge.send(request)];
  expect(new Set(sent.map(({ id }) => id)).size).toBe(2);
  for (const [place, { id }] of [...sent.entries()].reverse()) {
    const result = { place };
    await bridge.transport.send({ jsonrpc: "2.0", id, result } as JSONRPCMessage);
  }
  expect(await Promise.all(responses)).toEqual([
    { jsonrpc: "2.0", id: "a", result: { place: 0 } },
    { jsonrpc: "2.0", id: "a", result: { place: 1 } },
  ]);
});

test("an answer without a waiting request is dropped", async () => {
  const bridge = openBridge();
  await expect(bridge.transport.send({ jsonrpc: "2.0", id: 1, result: {} })).resolves.toBeUndefined();
});
