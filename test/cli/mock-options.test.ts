import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Command } from "commander";
import { afterAll, describe, expect, test } from "vitest";
import { addMockOptions, type MockFlags, parseMockOptions } from "../../src/cli/mock-options.js";

const folder = mkdtempSync(join(tmpdir(), "counterpart-"));
afterAll(() => rmSync(folder, { recursive: true }));

function getOptions(...flags: string[]) {
  const command = addMockOptions(new Command())
    .exitOverride()
    .configureOutput({ writeErr: () => {} });
  return parseMockOptions(command.parse(flags, { from: "user" }).opts<MockFlags>()).mcp;
}

describe("flags of the tool server", () => {
  test("are off by default", () => expect(getOptions()).toEqual({}));

  test("switch sessions and streams on", () => {
    expect(getOptions("--mcp-sessions", "--mcp-sse")).toEqual({ sessions: true, sse: true });
  });

  test("accept names as JSON or in a file", () => {
    const file = join(folder, "names.json");
    writeFileSync(file, '{ "submit_job": "start_run" }');
    expect(getOptions("--mcp-names", '{"submit_job":"start_run"}')).toEqual({ names: { submit_job: "start_run" } });
    expect(getOptions("--mcp-names", file)).toEqual({ names: { submit_job: "start_run" } });
  });

  test("accept revisions with commas", () => {
    expect(getOptions("--mcp-revisions", "2026-07-28, legacy")).toEqual({ revisions: ["2026-07-28", "legacy"] });
  });

  test.each([
    ["a missing file", join(folder, "none.json"), "The file does not exist"],
    ["a text that is not JSON", "{", "It is not JSON"],
    ["names that are not strings", '{"submit_job": 1}', "It must be a JSON object of strings"],
  ])("refuse %s", (_, given, problem) => expect(() => getOptions("--mcp-names", given)).toThrow(problem));
});
