import { expect, test } from "vitest";
import { examineMutants, type OperatorFinding } from "./examine.js";
import type { OperatorMutant } from "./instrument.js";
import { openRanking } from "./order.js";
import type { Order, WorkerResult } from "./run-checks.js";

/** Checks that reach all mutants. There are too many to examine each mutant alone with all checks. */
const checks = Array.from({ length: 30 }, (_, i) => `check-${i}`);

const getMutant = (id: string): OperatorMutant => ({
  id,
  name: `mutant ${id}`,
  file: `src/${id}.ts`,
  line: 1,
  column: 0,
  mutator: "",
  change: "",
  nth: 1,
  within: "",
});

/** Examines mutants, each of a separate file. `answer` returns how a check ends for the active mutants. */
async function getEnds(
  ids: string[],
  response: (on: ReadonlySet<string>, check: string) => "failed" | "unsure" | "timeout" | undefined,
  { unreached = [], explained = [] }: { unreached?: string[]; explained?: string[] } = {},
): Promise<Record<string, OperatorFinding>> {
  const found: Record<string, OperatorFinding> = {};
  const lateIds = ids.filter((id) => !unreached.includes(id));
  const reach = { early: [], unsound: [], checks: checks.map((check) => ({ check, seconds: 0.1, late: lateIds })) };
  const runChecks = async ({ on, checks }: Order): Promise<WorkerResult> => {
    const unsure: string[] = [];
    for (const check of checks) {
      const word = response(new Set(on), check);
      if (word === "timeout") return { unsure, broken: word, seconds: 0 };
      if (word === "failed") return { unsure, failed: { check, clauses: [`CLAUSE-OF-${check}`] }, seconds: 0 };
      if (word === "unsure") unsure.push(check);
    }
    return { unsure, seconds: 0 };
  };
  const mutants = ids.map(getMutant);
  await examineMutants(
    {
      ...{ ranking: openRanking(reach, mutants), size: 2, runChecks },
      isExplained: ({ id }) => explained.includes(id),
      onFinding: ({ id }, finding) => (found[id] = finding),
    },
    mutants,
  );
  return found;
}

test.each(["check-0", "check-29"])("a mutant that only %s notices is found, and its neighbours are not", async (noticing) => {
  const found = await getEnds(["a", "b", "c"], (on, check) => (on.has("b") && check === noticing ? "failed" : undefined));
  expect(found.b).toMatchObject({ end: "killed", by: noticing, clauses: [`CLAUSE-OF-${noticing}`] });
  expect([found.a?.end, found.c?.end]).toEqual(["survived", "survived"]);
});

test("an effect of two mutants together is attributed to neither", async () => {
  const found = await getEnds(["a", "b"], (on, check) =>
    on.has("a") && on.has("b") && check === "check-25" ? "failed" : undefined,
  );
  expect([found.a?.end, found.b?.end]).toEqual(["survived", "survived"]);
});

test("a mutant that another hides is found, unless it is a known survivor", async () => {
  const hidden = (on: ReadonlySet<string>, check: string) =>
    on.has("a") && !on.has("b") && check === "check-25" ? "failed" : undefined;
  const ends = async (explained: string[]) =>
    Object.values(await getEnds(["a", "b"], hidden, { explained })).map(({ end }) => end);
  expect((await ends([])).sort()).toEqual(["killed", "survived"]);
  expect(await ends(["a", "b"])).toEqual(["survived", "survived"]);
});

test("a mutant of a late check is found behind the checks of others", async () => {
  const found = await getEnds(["a", "b"], (on, check) =>
    (on.has("a") && check === "check-22") || (on.has("b") && check === "check-28") ? "failed" : undefined,
  );
  expect([found.a?.by, found.b?.by]).toEqual(["check-22", "check-28"]);
});

test.each(["check-0", "check-29"])(
  "an inconclusive check (%s) makes a mutant inconclusive, unless another check fails",
  async (unsure) => {
    const found = await getEnds(["a", "b", "c"], (on, check) => {
      if (on.has("b") && check === "check-27") return "failed";
      return (on.has("a") || on.has("b")) && check === unsure ? "unsure" : undefined;
    });
    expect([found.a?.end, found.b?.end, found.c?.end]).toEqual(["inconclusive", "killed", "survived"]);
  },
);

test("a mutant that hangs is found, and does not affect others", async () => {
  const found = await getEnds(["a", "b"], (on, check) => (on.has("a") && check === "check-26" ? "timeout" : undefined));
  expect([found.a?.end, found.b?.end]).toEqual(["timeout", "survived"]);
});

test("a random crash of the mock is attributed to no mutant", async () => {
  let broke = false;
  const found = await getEnds(["a"], (_, check) => {
    if (broke || check !== "check-1") return undefined;
    broke = true;
    return "timeout";
  });
  expect(found.a?.end).toBe("survived");
});

test("a mutant that no check reaches is not examined", async () => {
  const found = await getEnds(["a", "b"], () => undefined, { unreached: ["a"] });
  expect([found.a?.end, found.b?.end]).toEqual(["unreached", "survived"]);
});
