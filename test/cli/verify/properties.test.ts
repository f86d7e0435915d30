import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { encodeReplayToken } from "../../../src/engine/property/replay-token.js";
import { type Mutant, withRows } from "../../mutants/mutant.js";
import { type Examined, openMutant } from "../../mutants/open.js";
import { counterpart, counterpartIn } from "../counterpart.js";

/** Loses the last row of a page of 7: no scenario asks for seven. */
const losesRow: Mutant = {
  name: "loses a row of each page of seven",
  breaks: "CURSOR-MORE",
  around(world, call, perform) {
    const response = perform(world, call);
    return call.query.limit?.[0] === "7" ? withRows(response, (rows) => rows.slice(0, -1)) : response;
  },
};

let faulty: Examined;
const directory = mkdtempSync(join(tmpdir(), "properties-"));

beforeAll(async () => {
  faulty = await openMutant(losesRow);
});

afterAll(async () => {
  await faulty.close();
  rmSync(directory, { recursive: true });
});

test("a failed property has a scenario and a token that reproduce it, and both pass on a sound server", async () => {
  const ended = await counterpart("verify", faulty.url, "--only", "property:pagination", "--seed", "1", "--out", directory);
  expect(ended.code).toBe(1);
  const token = /replay (cp1_[\w-]+) /.exec(ended.out)?.[1] ?? "";
  const [file = ""] = readdirSync(join(directory, "counterexamples"));
  expect(readFileSync(join(directory, "counterexamples", file), "utf8").match(/rest:/g)?.length).toBeLessThanOrEqual(4);
  for (const again of [token, join(directory, "counterexamples", file)]) {
    expect(await counterpart("replay", again, faulty.url)).toMatchObject({
      code: 1,
      out: expect.stringContaining("failed: mock"),
    });
    expect(await counterpart("replay", again)).toMatchObject({ code: 0, out: expect.stringContaining("passed: mock") });
  }
});

test("a damaged token is refused with a message", async () => {
  const token = encodeReplayToken({ scenario: "one", title: "One", proves: [], steps: [{ rest: "GET /api/jobs" }] });
  expect(await counterpart("replay", token.slice(0, -9), faulty.url)).toMatchObject({
    code: 2,
    err: expect.stringContaining("Copy it from cp1_"),
  });
});

test("in CI a run with random cases needs a seed", async () => {
  const run = (...args: string[]) => counterpartIn({ ...process.env, CI: "true" }, "verify", faulty.url, ...args);
  expect(await run()).toMatchObject({ code: 2, err: expect.stringContaining("Give --seed N") });
  expect((await run("--only", "page-limit")).code).toBe(0);
});
