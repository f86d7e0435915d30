import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Command } from "commander";
import { afterAll, describe, expect, test } from "vitest";
import { addMockOptions, type MockFlags, mockOptionsOf } from "../../src/cli/mock-options.js";

const folder = mkdtempSync(join(tmpdir(), "counterpart-"));
afterAll(() => rmSync(folder, { recursive: true }));

function optionsOf(...flags: string[]) {
  const command = addMockOptions(new Command())
    .exitOverride()
    .configureOutput({ writeErr: () => {} });
  return mockOptionsOf(command.parse(flags, { from: "user" }).opts<MockFlags>()).mcp;
}

describe("flags of the tool server", () => {
  test("are off by default", () => expect(optionsOf()).toEqual({}));

  test("switch sessions and streams on", () => {
    expect(optionsOf("--mcp-sessions", "--mcp-sse")).toEqual({ sessions: true, sse: true });
  });

  test("accept names as JSON or in a file", () => {
    const file = join(folder, "names.json");
    writeFileSync(file, '{ "submit_job": "start_run" }');
    expect(optionsOf("--mcp-names", '{"submit_job":"start_run"}')).toEqual({ names: { submit_job: "start_run" } });
    expect(optionsOf("--mcp-names", file)).toEqual({ names: { submit_job: "start_run" } });
  });

  test("accept revisions with commas", () => {
    expect(optionsOf("--mcp-revisions", "2026-07-28, legacy")).toEqual({ revisions: ["2026-07-28", "legacy"] });
  });

  test.each([
    ["a missing file", join(folder, "none.json"), "The file cannot be read"],
    ["a text that is not JSON", "{", "It is not JSON"],
    ["names that are no strings", '{"submit_job": 1}', "It must be a JSON object of strings"],
  ])("refuse %s", (_, given, problem) => expect(() => optionsOf("--mcp-names", given)).toThrow(problem));
});
