import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { contract } from "../../../../src/contract/load.js";

const program = fileURLToPath(new URL("../../../../dist/test/mock/call/pipeline/path-length-program.js", import.meta.url));
const { name: tool } = Object.values(contract.tools).find(({ route }) => route === "GET /api/jobs/{job_id}") ?? { name: "" };
const files = JSON.parse(execFileSync(process.execPath, [program, tool], { encoding: "utf8" })) as Record<string, string[]>;

/** The greatest number of files that one call may enter. A reader who follows the call has to open each of them. */
const max: Record<string, number> = {
  "GET /api/jobs/{job_id}": 20,
  "POST /api/repos/{owner}/{repo}/{branch}/jobs": 26,
  "tools/call of a job": 30,
};

describe.each(Object.entries(files))("%s", (name, programPath) => {
  it("enters few files", () => {
    expect(programPath.length, programPath.join("\n")).toBeLessThanOrEqual(max[name] ?? 0);
    expect(programPath).toContain("src/mock/call/pipeline");
  });

  it("enters no file of a feature that is off or has nothing to do", () => {
    const off = /^src\/mock\/(faults|variations|cluster|replay|docs|control)\/|^src\/client-report\//;
    expect(programPath.filter((file) => off.test(file))).toEqual([]);
  });
});
