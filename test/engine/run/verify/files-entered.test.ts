import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const program = fileURLToPath(new URL("../../../../dist/test/engine/run/verify/files-entered-program.js", import.meta.url));
/** The greatest number of files that one scenario may enter. A reader who follows it has to open each of them. */
const maxFiles = 60;
/** Features that this scenario does not use, or that act after a failure only. */
const off = /^src\/(mock|service|cli|proxy)\/|\/(binding-proofs|burst|confirm|drive|mcp[^/]*|poll|race|undo)$/;

it("a scenario enters few files, and none of a feature that is off", () => {
  const entered = JSON.parse(execFileSync(process.execPath, [program], { encoding: "utf8" })) as string[];
  expect(entered.length, entered.join("\n")).toBeLessThanOrEqual(maxFiles);
  expect(entered).toEqual(expect.arrayContaining(["src/engine/execute/steps", "src/engine/execute/tear-down"]));
  expect(entered.filter((file) => off.test(file))).toEqual([]);
});
