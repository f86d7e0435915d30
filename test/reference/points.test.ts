import { describe, expect, test } from "vitest";
import { contract } from "../../src/contract/load.js";
import { base } from "./base.js";
import { openPoints, points } from "./points/index.js";
import { coveringRows, getFactors } from "./rows.js";

const alternatives = Object.entries(points).flatMap(([point, settings]) =>
  Object.entries(settings).map(([alternative, setting]) => ({ point, alternative, setting })),
);
const shown = alternatives.flatMap(({ setting, ...one }) => (typeof setting === "string" ? [] : [{ ...one, setting }]));

test("every row of spec/assumptions.json is a point, with each of its alternatives and no others", () => {
  const stated = Object.entries(contract.assumptions).map(([name, row]) => [name, row.alternatives.toSorted()]);
  const settingNames = Object.entries(openPoints).map(([name, settings]) => [name, Object.keys(settings).toSorted()]);
  expect(Object.fromEntries(settingNames)).toEqual(Object.fromEntries(stated));
});

test.each(shown)("$point: $alternative differs from the plain server", ({ setting }) => {
  const entries = Object.entries(setting);
  expect(entries).not.toEqual([]);
  for (const [field, value] of entries) expect(value).not.toEqual(base[field as keyof typeof base]);
});

test("no two points set the same choice", () => {
  const owners = new Map<string, Set<string>>();
  for (const { point, setting } of shown)
    for (const field of Object.keys(setting)) owners.set(field, (owners.get(field) ?? new Set()).add(point));
  expect([...owners].filter(([, names]) => names.size > 1)).toEqual([]);
});

describe("the rows", () => {
  const rows = coveringRows();
  const getName = ({ point, alternative }: { point: string; alternative: string }) => `${point}: ${alternative}`;

  test("are few", () => expect(rows.length).toBeLessThanOrEqual(40));

  test("cover every pair of compatible alternatives", () => {
    const met = new Set(rows.flatMap(({ taken }) => taken.flatMap((a) => taken.map((b) => `${getName(a)} + ${getName(b)}`))));
    const factors = Object.entries(points).flatMap(([point, settings]) => getFactors(point, settings));
    const pairs = factors.flatMap((a) =>
      factors.flatMap((b) =>
        a === b ? [] : a.flatMap((x) => b.map((y) => (x && y ? `${getName(x)} + ${getName(y)}` : undefined))),
      ),
    );
    expect(pairs.filter((pair) => pair !== undefined && !met.has(pair))).toEqual([]);
  });

  test("are the same each time", () => {
    const again = coveringRows().map(({ taken }) => taken.map(getName));
    expect(again).toEqual(rows.map(({ taken }) => taken.map(getName)));
  });
});
