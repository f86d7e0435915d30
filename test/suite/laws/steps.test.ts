import { describe, expect, test } from "vitest";
import type { SystemUnderTest } from "../../../src/engine/property/property.js";
import { prepare } from "../../../src/suite/laws/steps.js";
import { openFinding } from "../../../src/suite/statements/setup-steps.js";

/** A server without observations that answers with this status and text. `events`: the events that its target offers. */
function emptyServer(events: readonly string[] = [], status = 200, text = '{"data":[],"next_cursor":null,"has_more":false}') {
  const saved = new Map<string, unknown>();
  const body = new TextEncoder().encode(text);
  return {
    lookup: (name: string) => saved.get(name),
    offers: (need: string) => events.some((event) => need === `drive.${event}`),
    send: async () => ({ ok: true, response: { status, headers: {}, body } }),
    drive: async (event: string, _: unknown, save: object = {}) => {
      for (const name of Object.keys(save)) saved.set(name, `by ${event}`);
      return { ok: true };
    },
  } as unknown as SystemUnderTest;
}

describe("the setup of a case on a server without observations", () => {
  test("finds one with the event of the step", async () => {
    const sut = emptyServer(["find"]);
    expect(await prepare(sut, [openFinding])).toBeUndefined();
    expect(sut.lookup("ref")).toBe("by find");
  });

  test("is inconclusive if the target does not offer the event", async () => {
    expect(await prepare(emptyServer(), [openFinding])).toEqual({
      verdict: "inconclusive",
      why: "setup: no value to save as ref",
    });
  });

  test.each([401, 429, 500])("triggers no event after status %i", async (status) => {
    const sut = emptyServer(["find"], status);
    expect(await prepare(sut, [openFinding])).toEqual({
      verdict: "inconclusive",
      why: `setup: GET /api/observations returned status ${status}`,
    });
    expect(sut.lookup("ref")).toBeUndefined();
  });

  test("triggers no event after an answer that is not a list", async () => {
    const sut = emptyServer(["find"], 204, "");
    expect(await prepare(sut, [openFinding])).toMatchObject({ verdict: "inconclusive" });
    expect(sut.lookup("ref")).toBeUndefined();
  });
});
