import { describe, expect, test } from "vitest";
import { compileScenario } from "../../../src/engine/scenario/compile.js";
import {
  type CoverageRules,
  findCovers,
  findCoversMistake,
  listCells,
  listCoversOfClause,
} from "../../../src/engine/scenario/dimensions.js";
import type { ScenarioText, Step } from "../../../src/engine/scenario/format.js";
import { findGaps, findQuantifierMistakes, formatGaps } from "../../../src/engine/scenario/gaps.js";
import type { Ledger } from "../../../src/engine/scenario/lint.js";
import { suite } from "../../../src/suite/suite.js";

/** A library whose rules mention every shelf and every kind of reader. */
const RULES: CoverageRules = {
  dimensions: {
    shelf: { description: "a shelf", by: { rest: "path", mcp: "tool" }, values: { rest: ["poems", "novels"], mcp: ["maps"] } },
    "lower shelf": { description: "a shelf that children reach", of: "shelf", values: { rest: ["poems"] } },
    "kind of reader": { description: "a kind of reader", values: ["child", "adult"] },
  },
  surfaceOf: ({ mcp }) => (mcp ? "mcp" : "rest"),
  shownBy: ({ rest = "", mcp }) => ({ path: rest.split("/").slice(-1), tool: mcp?.tool ? [mcp.tool] : [] }),
};

const clause = (surface: string[], over?: string[], except?: Record<string, Record<string, string>>) => ({
  ...{ section: 1, description: "so it is", level: "stated", surface },
  ...(over && { over }),
  ...(except && { except }),
});

function scenario(steps: Step[], more: Partial<ScenarioText> = {}) {
  const text: ScenarioText = { scenario: "a-visit", title: "A visit to the library", proves: ["OPEN"], steps, ...more };
  return compileScenario(text, suite);
}

const expect200 = { expect: { status: 200 } };

describe("the cells of a clause are", () => {
  test.each<[string, Parameters<typeof listCells>[0], string[]]>([
    ["its surfaces, where it is over nothing", clause(["rest", "mcp"]), ["rest surface rest", "mcp surface mcp"]],
    ["nothing of callers", clause(["client"]), []],
    [
      "each value on its surface",
      clause(["rest", "mcp"], ["shelf"]),
      ["rest shelf poems", "rest shelf novels", "mcp shelf maps"],
    ],
    ["a surface itself that has none", clause(["rest", "mcp"], ["lower shelf"]), ["rest lower shelf poems", "mcp surface mcp"]],
    [
      "the values of each of its dimensions",
      clause(["mcp"], ["shelf", "kind of reader"]),
      ["mcp shelf maps", "mcp kind of reader child", "mcp kind of reader adult"],
    ],
    ["no value that is excused", clause(["rest"], ["shelf"], { shelf: { novels: "it is locked" } }), ["rest shelf poems"]],
  ])("%s", (_, quantifiers, cells) => {
    const foundCells = listCells(quantifiers, RULES.dimensions);
    expect(foundCells.map(({ surface, dimension, value }) => `${surface} ${dimension} ${value}`)).toEqual(cells);
  });
});

describe("a check covers", () => {
  const poems = { rest: "GET /shelves/poems", ...expect200 };
  test.each<[string, Step, Partial<ScenarioText>, unknown]>([
    ["what its request shows, there and in the parts of it", poems, {}, { rest: { shelf: ["poems"], "lower shelf": ["poems"] } }],
    ["what shows on its own surface alone", { mcp: { tool: "maps" }, ...expect200 }, {}, { mcp: { shelf: ["maps"] } }],
    ["no unknown value", { rest: "GET /shelves/cellar", ...expect200 }, {}, { rest: {} }],
    [
      "what its variables put into its request",
      { rest: "GET /shelves/{which}", ...expect200 },
      { rows: [{ which: "novels" }] },
      { rest: { shelf: ["novels"] } },
    ],
    [
      "what it names",
      { ...poems, covers: { "kind of reader": ["child", "adult"] } },
      {},
      { rest: { shelf: ["poems"], "lower shelf": ["poems"], "kind of reader": ["child", "adult"] } },
    ],
    [
      "what its scenario names, unless it names it itself",
      { rest: "GET /", covers: { "kind of reader": "child" }, ...expect200 },
      { covers: { "kind of reader": "adult", shelf: "novels" } },
      { rest: { "kind of reader": ["child"], shelf: ["novels"] } },
    ],
    [
      "what its effect is seen on, by another surface",
      { rest: "GET /", covers: { surface: "mcp", shelf: "maps" }, ...expect200 },
      {},
      { mcp: { shelf: ["maps"] }, rest: {} },
    ],
  ])("%s", (_, step, more, covers) => {
    const compiled = scenario([step], more);
    const variables = more.rows?.[0] ?? {};
    expect(findCovers({ text: compiled.text, variables }, compiled.steps[0]!, {}, RULES)).toEqual(covers);
  });

  test("the values of row variables that have the name of a dimension", () => {
    const rows = [{ kind_of_reader: "child" }, { kind_of_reader: "adult" }, { kind_of_reader: "ghost" }];
    const one = scenario([{ rest: "GET /", rows, ...expect200 }]);
    expect(listCoversOfClause(one, "OPEN", RULES)).toEqual([
      { rest: { "kind of reader": ["child"] } },
      { rest: { "kind of reader": ["adult"] } },
      { rest: {} },
    ]);
  });

  test("only its own clauses", () => {
    const one = scenario([{ ...poems, proves: ["QUIET"] }, { rest: "GET /shelves/novels" }]);
    expect([listCoversOfClause(one, "OPEN", RULES), listCoversOfClause(one, "QUIET", RULES)]).toHaveProperty("length", 2);
    expect(listCoversOfClause(one, "OPEN", RULES)).toEqual([]);
    expect(listCoversOfClause(one, "QUIET", RULES)).toHaveLength(1);
  });
});

describe("unknown names are reported", () => {
  test.each<[string, Record<string, string>, string | undefined]>([
    ["an unknown dimension", { shelv: "poems" }, 'no dimension is called "shelv"; allowed: shelf, lower shelf, kind of reader'],
    ["an unknown value", { shelf: "cellar" }, 'shelf has no value "cellar"; allowed: poems, novels, maps'],
    ["nothing of a variable", { shelf: "{which}" }, undefined],
    ["nothing of a surface", { surface: "mcp" }, undefined],
  ])("%s", (_, covers, mistake) => expect(findCoversMistake(covers, RULES.dimensions)).toBe(mistake));

  test("in a ledger", () => {
    const ledger: Ledger = {
      OPEN: clause(["rest"], ["shelf", "lower shelf", "kind of raeder"]),
      QUIET: clause(["rest"], ["kind of reader"], { shelf: { poems: "locked" }, "kind of reader": { ghost: "not seen" } }),
    };
    const empty = {
      ...RULES.dimensions,
      cellar: { description: "a cellar", values: [] },
      attic: { description: "an attic", values: ["top"] },
    };
    expect(findQuantifierMistakes(ledger, empty).map(({ where, what }) => `${where}: ${what}`)).toEqual([
      "cellar: the dimension has no values",
      "attic: no clause is over this dimension",
      'OPEN: over: no dimension is called "kind of raeder"; allowed: shelf, lower shelf, kind of reader, cellar, attic',
      'QUIET: except: the clause is not over "shelf"; allowed: kind of reader',
      'QUIET: except: kind of reader has no value "ghost" there; allowed: child, adult',
    ]);
  });
});

test("gaps are the cells that neither a scenario nor a property covers", () => {
  const ledger: Ledger = { OPEN: clause(["rest", "mcp"], ["shelf", "kind of reader"]) };
  const one = scenario([{ rest: "GET /shelves/novels", covers: { "kind of reader": "adult" }, ...expect200 }]);
  const property = { covers: { OPEN: { mcp: { "kind of reader": ["adult"] } } } };
  const gaps = (properties: (typeof property)[]) => formatGaps(findGaps("OPEN", ledger, { scenarios: [one], properties }, RULES));
  expect(gaps([])).toBe("rest shelf: poems; rest kind of reader: child; mcp shelf: maps; mcp kind of reader: child, adult");
  expect(gaps([property])).toBe("rest shelf: poems; rest kind of reader: child; mcp shelf: maps; mcp kind of reader: child");
});
