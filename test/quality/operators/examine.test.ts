import { expect, test } from "vitest";
import { examineMutants, type OperatorFinding } from "./examine.js";
import type { OperatorMutant } from "./instrument.js";
import { openRanking } from "./order.js";
import type { Answer, Order } from "./play.js";

/** Checks that all mutants reach, so many that none is asked about all of them alone. */
const checks = Array.from({ length: 30 }, (_, i) => `check-${i}`);

const mutantOf = (id: string): OperatorMutant => ({
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

/** What becomes of mutants whose server answers as `answer` says of what is switched on and one check; each mutant is of a file of its own. */
async function endsOf(
  ids: string[],
  answer: (on: ReadonlySet<string>, check: string) => "failed" | "unsure" | "timeout" | undefined,
  { unreached = [], explained = [] }: { unreached?: string[]; explained?: string[] } = {},
): Promise<Record<string, OperatorFinding>> {
  const found: Record<string, OperatorFinding> = {};
  const late = ids.filter((id) => !unreached.includes(id));
  const reach = { early: [], unsound: [], checks: checks.map((check) => ({ check, seconds: 0.1, late })) };
  const play = async ({ on, checks }: Order): Promise<Answer> => {
    const unsure: string[] = [];
    for (const check of checks) {
      const word = answer(new Set(on), check);
      if (word === "timeout") return { unsure, broken: word, seconds: 0 };
      if (word === "failed") return { unsure, failed: { check, clauses: [`CLAUSE-OF-${check}`] }, seconds: 0 };
      if (word === "unsure") unsure.push(check);
    }
    return { unsure, seconds: 0 };
  };
  const mutants = ids.map(mutantOf);
  await examineMutants(
    {
      ...{ ranking: openRanking(reach, mutants), size: 2, play },
      isExplained: ({ id }) => explained.includes(id),
      onFinding: ({ id }, finding) => (found[id] = finding),
    },
    mutants,
  );
  return found;
}

test.each(["check-0", "check-29"])("who is noticed by %s alone is found by it, and its neighbours are not", async (noticing) => {
  const found = await endsOf(["a", "b", "c"], (on, check) => (on.has("b") && check === noticing ? "failed" : undefined));
  expect(found.b).toMatchObject({ end: "killed", by: noticing, clauses: [`CLAUSE-OF-${noticing}`] });
  expect([found.a?.end, found.c?.end]).toEqual(["survived", "survived"]);
});

test("what only two mutants do together is nobody's fault", async () => {
  const found = await endsOf(["a", "b"], (on, check) =>
    on.has("a") && on.has("b") && check === "check-25" ? "failed" : undefined,
  );
  expect([found.a?.end, found.b?.end]).toEqual(["survived", "survived"]);
});

test("who is hidden by another is found all the same, unless it is known to survive", async () => {
  const hidden = (on: ReadonlySet<string>, check: string) =>
    on.has("a") && !on.has("b") && check === "check-25" ? "failed" : undefined;
  const ends = async (explained: string[]) =>
    Object.values(await endsOf(["a", "b"], hidden, { explained })).map(({ end }) => end);
  expect((await ends([])).sort()).toEqual(["killed", "survived"]);
  expect(await ends(["a", "b"])).toEqual(["survived", "survived"]);
});

test("who is found late is found behind what others are noticed by", async () => {
  const found = await endsOf(["a", "b"], (on, check) =>
    (on.has("a") && check === "check-22") || (on.has("b") && check === "check-28") ? "failed" : undefined,
  );
  expect([found.a?.by, found.b?.by]).toEqual(["check-22", "check-28"]);
});

test.each(["check-0", "check-29"])(
  "a check that cannot tell (%s) leaves a mutant inconclusive, unless another fails",
  async (unsure) => {
    const found = await endsOf(["a", "b", "c"], (on, check) => {
      if (on.has("b") && check === "check-27") return "failed";
      return (on.has("a") || on.has("b")) && check === unsure ? "unsure" : undefined;
    });
    expect([found.a?.end, found.b?.end, found.c?.end]).toEqual(["inconclusive", "killed", "survived"]);
  },
);

test("who hangs is found, and spoils nothing for others", async () => {
  const found = await endsOf(["a", "b"], (on, check) => (on.has("a") && check === "check-26" ? "timeout" : undefined));
  expect([found.a?.end, found.b?.end]).toEqual(["timeout", "survived"]);
});

test("a mock that broke by chance convicts nobody", async () => {
  let broke = false;
  const found = await endsOf(["a"], (_, check) => {
    if (broke || check !== "check-1") return undefined;
    broke = true;
    return "timeout";
  });
  expect(found.a?.end).toBe("survived");
});

test("what no check reaches is not examined", async () => {
  const found = await endsOf(["a", "b"], () => undefined, { unreached: ["a"] });
  expect([found.a?.end, found.b?.end]).toEqual(["unreached", "survived"]);
});
