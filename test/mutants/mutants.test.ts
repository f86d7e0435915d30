import { beforeAll, describe, expect, test } from "vitest";
import { verify } from "../../src/engine/run/verify.js";
import { scenarioCatalogue, suite } from "../../src/suite/suite.js";
import { familyOf, mutants } from "../quality/mutants.js";
import { draw, sampled } from "../sample.js";
import { type Examined, openMutant, openSound } from "./open.js";

/** The scenarios of the suite, read once: to read them all for each mutant would take longer than to play those of one clause. */
const rows = scenarioCatalogue();

/** Some of every file; `npm run quality` examines all of them. */
const some = draw(mutants, 40, familyOf);

/** What the suite says of each clause on the mock without a fault. */
let sound: Map<string, string>;

beforeAll(async () => {
  sound = await verdictsOn(await openSound(), [...new Set(some.map(({ breaks }) => breaks))]);
}, 120_000);

/** The clause's own scenarios pass on the mock, and fail on the mutant, blaming this clause. */
describe.each(some)("a server that $name", (mutant) => {
  test(`fails ${mutant.breaks}, which the mock passes`, async () => {
    expect(sound.get(mutant.breaks)).toBe("passed");
    const verdicts = await verdictsOn(await openMutant(mutant), [mutant.breaks]);
    expect(verdicts.get(mutant.breaks)).toBe("failed");
  });
});

test("a proxy without a fault changes no verdict", async () => {
  const onWire = mutants.filter((mutant) => "aroundWire" in mutant);
  const clauses = sampled(onWire, 10).map(({ breaks }) => breaks);
  const verdicts = await verdictsOn(await openMutant({ aroundWire: (asked, send) => send(asked) }), clauses);
  expect(clauses.filter((id) => verdicts.get(id) !== "passed")).toEqual([]);
});

test("no two mutants have one name", () => {
  const names = mutants.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
});

/** Plays everything that can tell of some clauses. */
async function verdictsOn({ url, close }: Examined, clauses: string[]): Promise<Map<string, string>> {
  const files = rows.filter(({ claims }) => claims.some((id) => clauses.includes(id))).map(({ file }) => file);
  try {
    const { report, messages } = await verify(suite, { url, only: [...new Set(files)], seed: 1 });
    if (!report) throw new Error(messages.join("\n"));
    return new Map(report.clauses.map(({ id, verdict }) => [id, verdict]));
  } finally {
    await close();
  }
}
