import { expect, test } from "vitest";
import { contract } from "../../src/contract/load.js";
import { points } from "./points/index.js";

const { variations, apart } = contract.legalVariations;

const taken = Object.entries(variations).flatMap(([name, { takes, cases }]) =>
  [takes ?? {}, ...(cases ?? []).map((variationCase) => variationCase.takes)].flatMap((alternatives) =>
    Object.entries(alternatives).flatMap(([point, all]) => all.map((alternative) => ({ name, point, alternative }))),
  ),
);
const kept = apart.flatMap(({ alternatives }) =>
  Object.entries(alternatives).flatMap(([point, all]) => all.map((alternative) => `${point}: ${alternative}`)),
);

test("each alternative of each open point has a variation, or one reason against it", () => {
  const places = [...new Set(taken.map(({ point, alternative }) => `${point}: ${alternative}`)), ...kept];
  const stated = Object.entries(contract.assumptions).flatMap(([point, { alternatives }]) =>
    alternatives.map((alternative) => `${point}: ${alternative}`),
  );
  const ofForms = taken.filter(({ point }) => !(point in contract.assumptions)).map((one) => `${one.point}: ${one.alternative}`);
  expect(places.filter((place) => !ofForms.includes(place)).toSorted()).toEqual(stated.toSorted());
});

/** The plain reference server itself has no field that the mock has beyond the contract. */
const shownByThePlainServer = ["EXTRA-FIELDS: None"];

test.each(taken)("$name: some legal server has $point: $alternative", ({ point, alternative }) => {
  const setting = points[point]?.[alternative];
  if (typeof setting === "string") expect(shownByThePlainServer).toContain(`${point}: ${alternative}`);
  else expect(setting).toBeDefined();
});

test("a variation with random options draws the options of its points", () => {
  for (const [name, { takes, sets }] of Object.entries(variations)) {
    const options = Object.values(contract.assumptions).flatMap(({ option }) => option ?? []);
    for (const [option, values] of Object.entries(sets ?? {})) {
      const known = options.find((one) => one.name === option);
      expect({ name, known: known?.name }).toEqual({ name, known: option });
      if (known?.values) expect(known.values).toEqual(expect.arrayContaining(values));
      expect(values.length, name).toBeLessThanOrEqual(Object.values(takes ?? {}).flat().length);
    }
  }
});
