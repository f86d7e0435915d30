import { execFile } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { packageRoot } from "../../src/contract/load.js";
import { getGrowth, memorySamples } from "./flat.js";

const samples = (heapAt: (n: number) => number) => Array.from({ length: 50 }, (_, n) => ({ heap: heapAt(n), rss: 300 }));

test.each([
  ["goes up and down", (n: number) => 200 + (n % 5) * 4, []],
  ["is filled at first", (n: number) => Math.min(200, n * 20), []],
  ["grows all the while", (n: number) => 100 + n * 3, ["heap grew from 160 to 241 MB, and may be 188"]],
  ["grows late", (n: number) => (n < 35 ? 100 : 200), ["heap grew from 100 to 200 MB, and may be 122"]],
])("memory that %s", (_, heapAt, grown) => {
  expect(getGrowth(memorySamples(samples(heapAt)))).toEqual(grown);
});

test("a short load loses no answer, and ends by itself", { timeout: 60_000 }, async () => {
  const args = [join(packageRoot, "dist/test/soak/main.js"), "--requests", "100", "--worlds", "4", "--seed", "1"];
  const { code, out } = await new Promise<{ code: number; out: string }>((resolve) => {
    execFile(process.execPath, args, (error, out) => resolve({ code: Number(error?.code ?? 0), out }));
  });
  expect([code, out]).toEqual([0, expect.stringMatching(/answers lost 0, doubled 0.*soak: passed/s)]);
});
