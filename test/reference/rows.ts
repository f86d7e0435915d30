import { base } from "./base.js";
import type { Choices } from "./choices.js";
import { pairwise } from "./pairwise.js";
import { points } from "./points/index.js";

/** One choice: the point, the alternative, and the setting of the server. */
interface Value {
  point: string;
  alternative: string;
  choices: Partial<Choices>;
}

/** A freedom of a server: it has one of the values, or none like the plain server. Alternatives of one point that go together are two factors. */
type Factor = readonly (Value | undefined)[];

/** A conforming server of a covering array: its alternatives, and all its choices. */
export interface Row {
  taken: readonly Value[];
  choices: Choices;
}

/** Legal servers, few enough to examine, so that each two alternatives of different points are taken together by one of them. */
export function coveringRows(): Row[] {
  const factors = Object.entries(points).flatMap(([point, alternatives]) => getFactors(point, alternatives));
  return pairwise(factors.map((factor) => factor.length)).map((places, index) => {
    const values = places.flatMap((place, at) => factors[at]?.[place] ?? []);
    return {
      taken: values,
      choices: Object.assign({ ...base, name: `row ${index + 1}` }, ...values.map(({ choices }) => choices)),
    };
  });
}

/** The alternatives of a point that a server can show, grouped by the fields that they share. */
export function getFactors(point: string, alternatives: (typeof points)[string]): Factor[] {
  const factors: (Value | undefined)[][] = [];
  for (const [alternative, choices] of Object.entries(alternatives)) {
    if (typeof choices === "string") continue;
    const value = { point, alternative, choices };
    const relatedFactor = factors.find((factor) => factor.some((otherValue) => otherValue && shareField(otherValue, value)));
    if (relatedFactor) relatedFactor.push(value);
    else factors.push([undefined, value]);
  }
  return factors;
}

function shareField(a: Value, b: Value): boolean {
  return Object.keys(a.choices).some((field) => field in b.choices);
}
