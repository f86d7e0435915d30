import { beforeAll, describe, expect, test } from "vitest";
import { contract } from "../../src/contract/load.js";
import { verify } from "../../src/engine/run/verify.js";
import { type Cell, listCells } from "../../src/engine/scenario/dimensions.js";
import { readScenarioCatalogue, suite } from "../../src/suite/suite.js";
import { draw, sampled } from "../meta/sample.js";
import { knownHoles } from "../quality/holes.js";
import { getFamily, mutants } from "../quality/mutants.js";
import { getOtherProperties } from "../quality/plan.js";
import { type Examined, openMutant, openSound } from "./open.js";

/** The scenarios of the suite, read once: reading all for each mutant would take longer than running those of one clause. */
const rows = readScenarioCatalogue();

/** A few; `npm run quality` examines some of every family, or all. */
const some = draw(mutants, 3, getFamily).filter(({ name }) => !knownHoles.has(name));

/** The verdict of each clause on the mock without a fault. */
let soundServer: Map<string, string>;

beforeAll(async () => {
  soundServer = await verdictsOn(await openSound(), [...new Set(some.map(({ breaks }) => breaks))]);
}, 120_000);

/** The clause's own scenarios pass on the mock; on the mutant they fail, blaming this clause, or its properties do. */
describe.each(some)("if the mock $name", (mutant) => {
  test(`${mutant.breaks} fails, which passes without the fault`, async () => {
    expect(soundServer.get(mutant.breaks)).toBe("passed");
    const verdicts = await verdictsOn(await openMutant(mutant), [mutant.breaks]);
    if (verdicts.get(mutant.breaks) === "failed") return;
    const more = getOtherProperties(getNames(mutant.breaks), mutant.breaks, await suite.properties());
    expect((await verdictsBy(await openMutant(mutant), more)).get(mutant.breaks)).toBe("failed");
  });
});

test("a proxy without a fault changes no verdict", async () => {
  const onWire = mutants.filter((mutant) => "aroundWire" in mutant);
  const clauses = sampled(onWire, 4).map(({ breaks }) => breaks);
  const verdicts = await verdictsOn(await openMutant({ aroundWire: (relayedRequest, send) => send(relayedRequest) }), clauses);
  expect(clauses.filter((id) => verdicts.get(id) !== "passed")).toEqual([]);
});

test("every value that a clause mentions is broken alone by a mutant of that clause", () => {
  const broken = new Set(mutants.flatMap(({ breaks, value }) => (value ? [cellName(breaks, value)] : [])));
  const cells = Object.entries(contract.clauses).flatMap(([id, clause]) =>
    clause.over ? listCells(clause, contract.dimensions).map((cell) => cellName(id, cell)) : [],
  );
  expect(cells.filter((cell) => !broken.has(cell))).toEqual([]);
  expect([...broken].filter((cell) => !cells.includes(cell))).toEqual([]);
});

test("no two mutants have one name", () => {
  const names = mutants.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
});

/** The names of the scenarios that claim a clause. */
function getNames(clause: string): string[] {
  return rows.filter(({ claims }) => claims.includes(clause)).map(({ name }) => name);
}

function cellName(clause: string, { surface, dimension, value }: Cell): string {
  return [clause, surface, dimension, value].join(" | ");
}

/** Short scenarios with successes of operations that the scenarios of some clause only see refused. */
const contrasts = ["json-request", "mcp-tool-knowledge", "observation-publish-ticket", "openapi-gate-staff"];

/** Runs every scenario that can judge some clauses, with the contrasts of refusals. */
function verdictsOn(server: Examined, clauses: string[]): Promise<Map<string, string>> {
  return verdictsBy(server, [...new Set([...clauses.flatMap(getNames), ...contrasts])]);
}

async function verdictsBy({ url, close }: Examined, only: string[]): Promise<Map<string, string>> {
  try {
    const { report, messages } = await verify(suite, { url, only, seed: 1, runs: 20 });
    if (!report) throw new Error(messages.join("\n"));
    return new Map(report.clauses.map(({ id, verdict }) => [id, verdict]));
  } finally {
    await close();
  }
}
