import { type CoverageRules, type Covers, kindOn, SURFACE, valuesOn, variableOf } from "./dimensions.js";
import type { Row, Step } from "./format.js";
import { interpolate } from "./interpolate.js";
import type { CompiledStep, Scenario } from "./scenario.js";

/**
 * Returns the values that a check covers in one row of its step. They come from its requests and expectations, from row variables named like
 * a dimension, and from `covers`. If `wanted` is given, only these dimensions are included.
 */
export function coversOf(
  scenario: Pick<Scenario, "text" | "variables">,
  { text, requests }: Pick<CompiledStep, "text" | "requests">,
  row: Row,
  rules: CoverageRules,
  wanted?: ReadonlySet<string>,
): Covers {
  const variables = { ...scenario.variables, ...row };
  const fill = <T>(value: T): T => interpolate(interpolate(value, lookIn(variables)), lookIn(variables));
  const named = fill({ ...namedByRow(variables, rules), ...scenario.text.covers, ...text.covers });
  const covers: Record<string, Record<string, string[]>> = {};
  const add = (surface: string, shown: Readonly<Record<string, readonly string[]>>) => {
    const reached = covers[surface] ?? {};
    covers[surface] = reached;
    for (const [name, dimension] of Object.entries(rules.dimensions)) {
      if (wanted?.has(name) === false) continue;
      const kind = kindOn(name, surface, rules.dimensions) ?? "";
      const seen = [...textsIn(named[name]), ...textsIn(named[dimension.of ?? name]), ...(shown[kind] ?? [])];
      const values = valuesOn(dimension, surface).filter((value) => seen.includes(value));
      if (values.length > 0) reached[name] = [...new Set([...(reached[name] ?? []), ...values])];
    }
  };
  for (const surface of textsIn(named[SURFACE])) add(surface, {});
  for (const request of requests) {
    const filled = fill({ ...request.text });
    add(rules.surfaceOf(filled), rules.shownBy(filled, fill(text.expect ?? {})));
  }
  return covers;
}

function textsIn(value: unknown): string[] {
  return value === undefined ? [] : [value].flat().map(String);
}

/** Returns the values that the checks of a clause cover in a scenario, one entry for each row. */
export function coversOfClause(scenario: Scenario, clause: string, rules: CoverageRules): Covers[] {
  return scenario.steps
    .filter(({ isCheck, clauses }) => isCheck && clauses.includes(clause))
    .flatMap((step) => (step.text.rows ?? [{}]).map((row) => coversOf(scenario, step, row, rules)));
}

function namedByRow(variables: Row, { dimensions }: CoverageRules): NonNullable<Step["covers"]> {
  return Object.fromEntries(
    Object.keys(dimensions).flatMap((name) => {
      const value = variables[variableOf(name)];
      return typeof value === "string" || Array.isArray(value) ? [[name, value]] : [];
    }),
  );
}

/** Returns a lookup that leaves unknown variables unchanged. */
function lookIn(variables: Row): (name: string) => unknown {
  return (name) => (Object.hasOwn(variables, name) ? variables[name] : `{${name}}`);
}
