import { EventEmitter } from "node:events";
import { expect, test } from "vitest";
import { readBytes } from "../../../src/mock/http/body.js";
import type { IncomingMessage } from "../../../src/mock/http/messages.js";

const megabyte = Buffer.alloc(1024 * 1024);

/** A request whose bytes the test sends. `destroy` closes it, as that of node does. */
class Request extends EventEmitter {
  destroy(): void {
    this.emit("close");
  }
}

function read(cutOff: (by: string) => void): Request {
  const request = new Request();
  readBytes(request as unknown as IncomingMessage, megabyte.length, () => {}, cutOff);
  return request;
}

test("a body that ends early has a reason: the client, or the memory of the mock", () => {
  const reasons: string[] = [];
  read((by) => reasons.push(by)).destroy();
  expect(reasons).toEqual(["client"]);
  const openRequests = Array.from({ length: 600 }, () => read((by) => reasons.push(by)));
  for (const request of openRequests) if (!reasons.includes("memory")) request.emit("data", megabyte);
  expect(reasons).toEqual(["client", "memory"]);
  for (const request of openRequests) request.emit("close");
});
