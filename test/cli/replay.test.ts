import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openRecording } from "../../src/proxy/recording.js";
import { counterpart } from "./counterpart.js";

let directory: string;
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), "replay-"));
  await openRecording(join(directory, "proxy.ndjson"), "http://127.0.0.1:1").finish((value) => value);
  writeFileSync(join(directory, "report.json"), "{}");
  mkdirSync(join(directory, "results.yaml"));
});
afterAll(() => rmSync(directory, { recursive: true }));

describe("counterpart replay", () => {
  test.each([[], ["http://127.0.0.1:1"]])(
    "names the command that reads a recording of the proxy, with the address %j",
    async (...url) => {
      const file = join(directory, "proxy.ndjson");
      const { code, err } = await counterpart("replay", file, ...url);
      expect([code, err]).toEqual([
        2,
        `counterpart: ${file} is a recording of counterpart proxy. For a mock with its answers, use counterpart mock --answers ${file}\n`,
      ]);
    },
  );

  test.each(["report.json", "results.yaml", "."])("reports that %s is not a scenario file", async (name) => {
    const { code, err } = await counterpart("replay", join(directory, name), "http://127.0.0.1:1");
    expect([code, err]).toEqual([
      2,
      `counterpart: ${join(directory, name)} is neither a scenario file (.yaml) nor a recording of counterpart mock --record.\n`,
    ]);
  });
});
