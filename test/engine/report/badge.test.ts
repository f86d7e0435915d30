import { describe, expect, test } from "vitest";
import { convert } from "xmlbuilder2";
import { formatBadge } from "../../../src/engine/report/badge.js";
import { check, line, OUTLINE, sample, waiver } from "./sample.js";

const passing = { scenarios: [line("one", "ALPHA", "passed")], checks: [check("one", "ALPHA", "passed")] };
const claim = { names: ["§1 What it does", "BETA"], clauses: ["ALPHA", "BETA"], total: 3 };
const failing = {
  scenarios: [line("one", "ALPHA", "passed"), line("two", "BETA", "failed")],
  checks: [check("one", "ALPHA", "passed"), check("two", "BETA", "failed")],
};

describe("a badge", () => {
  test.each([
    ["a run of everything with an unjudged clause", {}, "the whole contract: failed: 1 of 3 clauses"],
    ["a part that passes", { ...passing, selection: { only: ["one"] } }, "a part of the contract: 1 of 3 clauses"],
    [
      "a surface",
      { ...passing, selection: { only: [], surface: "docs" as const } },
      "the whole contract, surface docs: inconclusive: 1 of 3 clauses",
    ],
    ["a claim that fails", { ...failing, claim }, "§1 What it does, BETA: failed: 1 of 3 clauses"],
    ["a claim that passes", { ...passing, claim: { ...claim, clauses: ["ALPHA"] } }, "§1 What it does, BETA: 1 of 3 clauses"],
    [
      "a claim with a waived clause",
      { ...failing, claim, waivers: [waiver("BETA")] },
      "§1 What it does, BETA: 1 of 3 clauses, 1 waived",
    ],
  ])("names the claim and its share: %s", (_, change, words) => {
    const svg = formatBadge(sample(change), OUTLINE);
    expect(svg).toContain(`aria-label="Counterpart · ${words}"`);
  });

  test("shortens a long claim, but not in its tooltip", () => {
    const name = "a long name ".repeat(30).trim();
    const svg = formatBadge(sample({ ...passing, claim: { ...claim, names: [name], clauses: ["ALPHA"] } }), OUTLINE);
    const { svg: read } = convert(svg, { format: "object" }) as unknown as { svg: { "@width": string; title: string } };
    expect([Number(read["@width"]) < 600, read.title.includes(name)]).toEqual([true, true]);
  });

  test("shows text from outside as text", () => {
    const svg = formatBadge(sample({ ...passing, target: '</title><script>alert("x")</script>' }), OUTLINE);
    expect(svg.match(/<(\w+)/g)).toEqual(["<svg", "<title", "<rect", "<path", "<text", "<text"]);
  });
});
