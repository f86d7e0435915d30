import { expect, test } from "vitest";
import { verify } from "../../../../src/engine/run/verify.js";
import { suite } from "../../../../src/suite/suite.js";
import type { Fault } from "../../../mutants/mutant.js";
import { openMutant } from "../../../mutants/open.js";

/** Puts the caller's key in the place of the error type. */
const chatty: Fault = {
  async aroundWire(relayedRequest, send) {
    const response = await send(relayedRequest);
    const key = String(relayedRequest.headers.authorization ?? "nobody");
    return { ...response, text: response.text.replaceAll("validation_error", key) };
  },
};

test("a failure is reported without the keys of its world", async () => {
  const server = await openMutant(chatty);
  const { report } = await verify(suite, { url: server.url, only: ["property:fuzz-list-*"], seed: 1, runs: 20 }).finally(
    server.close,
  );
  const text = JSON.stringify(report);
  expect(report?.verdict).toBe("failed");
  expect(text).toContain("***");
  expect(text).not.toMatch(/mock_w\d+_/);
});
