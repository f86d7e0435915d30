import { describe, expect, test } from "vitest";
import { createControlHooks } from "../../../src/engine/target/control.js";
import { parseTarget } from "../../../src/engine/target/target.js";
import { suite } from "../../../src/suite/suite.js";

const parsed = (...lines: string[]) =>
  parseTarget(suite.target, "own.yaml", ["base_url: http://127.0.0.1:9", ...lines].join("\n"), {});

describe("the address of a control", () => {
  test("stands for worlds, a clock and every event", () => {
    const headers = { "x-ops-token": { env: "OPS_TOKEN" } };
    expect(createControlHooks({ url: "/ops/", headers }, ["lend"])).toEqual({
      worlds: { create: { http: "POST /ops/worlds", headers }, remove: { http: "DELETE /ops/worlds/{world}", headers } },
      clock: {
        now: { http: "GET /ops/worlds/{world}/clock", headers },
        advance: { http: "POST /ops/worlds/{world}/clock/advance", headers },
      },
      drive: { lend: { http: "POST /ops/worlds/{world}/drive/lend", headers } },
    });
  });

  test("stands only for what the server offers, and for nothing that the file states itself", () => {
    const result = parsed(
      "control: { url: http://127.0.0.1:8/ops, offers: [clock, find, suspend] }",
      "drive: { suspend: { command: [./ops/suspend] } }",
    );
    if (!result.ok) throw new Error(result.mistakes.join("\n"));
    const { worlds, clock, drive } = result.target;
    expect(worlds).toBeUndefined();
    expect(clock?.now.http).toBe("GET http://127.0.0.1:8/ops/worlds/{world}/clock");
    expect(drive).toEqual({
      find: { http: "POST http://127.0.0.1:8/ops/worlds/{world}/drive/find" },
      suspend: { command: ["./ops/suspend"] },
    });
  });

  test.each([
    ["an unknown offer", "control: { url: /ops, offers: [suspent] }", /:2:32: "suspent" is not a hook; nearest: suspend/],
    ["a password", "control: { url: http://me:hunter2@127.0.0.1:8 }", /:2:12: an address must not contain a user name/],
    ["a field of another name", "control: { url: /ops, offer: [find] }", /:2:\d+: .*offer/],
  ])("is refused with %s", (_, line, mistake) => {
    expect(parsed(line)).toMatchObject({ ok: false, mistakes: [expect.stringMatching(mistake)] });
  });
});
