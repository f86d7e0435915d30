import { describe, expect, test } from "vitest";
import { contract, readSpec } from "../../src/contract/load.js";
import { listParameters, routes } from "../../src/contract/routes.js";
import type { RouteName } from "../../src/contract/types.js";

type Surface = "rest" | "mcp" | "docs";
type Values = string[] | Partial<Record<Surface, string[]>>;
interface Dimension {
  of?: string;
  values: Values;
}
interface Quantified {
  surface: string[];
  over?: string[];
  except?: Record<string, Record<string, string>>;
}

const dimensions = readSpec("dimensions.json") as Record<string, Dimension>;
const names = Object.keys(dimensions);
const quantified = Object.entries(readSpec("clauses.json") as Record<string, Quantified>).filter(([, clause]) => clause.over);
const surfaces: readonly Surface[] = ["rest", "mcp", "docs"];

const routeNames = Object.keys(routes) as RouteName[];
const buckets = Object.values(contract.limits.buckets);
const bucketed = buckets.flatMap((bucket) => bucket.routes);
const errors = Object.entries(contract.errors);
const tools = Object.entries(contract.tools);
const published = routeNames.filter((name) => name !== "GET /api/openapi.json");
const routesOutsideKeys = published.filter((name) => !name.includes("/api/keys"));
const asPublished = (names: readonly string[]) => names.map((name) => name.replace(/\{\w+\}/g, "*"));

describe("dimensions.json", () => {
  test.each<[dimension: string, surface: Surface, values: readonly string[]]>([
    ["route", "rest", published],
    ["published operation", "docs", asPublished(published)],
    ["published operation with a rate", "docs", asPublished(bucketed)],
    ["published operation without a rate", "docs", asPublished(routesOutsideKeys.filter((name) => !bucketed.includes(name)))],
    ["operation", "rest", routesOutsideKeys],
    ["operation", "mcp", tools.map(([purpose]) => purpose)],
    ["tool", "mcp", tools.map(([purpose]) => purpose)],
    ["read tool", "mcp", tools.flatMap(([purpose, { kind }]) => (kind === "read" ? [purpose] : []))],
    ["write tool", "mcp", tools.flatMap(([purpose, { kind }]) => (kind === "write" ? [purpose] : []))],
    ["paid operation", "rest", routeNames.filter((name) => routes[name].operation["x-draws-spend"])],
    ["bucketed route", "rest", bucketed],
    ["full bucket", "rest", Object.keys(contract.limits.buckets)],
    ["plan", "rest", Object.keys(contract.limits.plans)],
    [
      "filter",
      "rest",
      listParameters("GET /api/observations")
        .map(({ name }) => name)
        .filter(isFilter),
    ],
    ["kind filter", "rest", getValues("kind", contract.enums.ObservationKind)],
    ["status filter", "rest", getValues("status", contract.enums.ObservationStatus)],
    ["priority filter", "rest", getValues("priority", contract.enums.Priority)],
    ["category filter", "rest", getValues("category", contract.enums.Category)],
    ["close reason filter", "rest", getValues("close_reason", contract.enums.CloseReason)],
    ["observation status", "rest", contract.enums.ObservationStatus],
    ["close reason", "rest", contract.enums.CloseReason],
    ["job status", "rest", contract.enums.JobStatus],
    ["workflow", "rest", Object.keys(contract.workflows)],
    ["dismissal category", "rest", Object.keys(contract.transitions.dismissal)],
    ["client category", "rest", categoriesThat(({ client }) => client)],
    ["final category", "rest", categoriesThat(({ reappears }) => !reappears)],
    ["returning category", "rest", categoriesThat(({ reappears }) => reappears)],
    ["error status", "rest", errors.map(([, { status }]) => String(status))],
    ["error code", "rest", errors.flatMap(([code, { shown }]) => (shown ? [code] : []))],
    ["invalid request code", "rest", getCodes("invalid_request_error")],
    ["permission code", "rest", getCodes("permission_error")],
  ])("has the same %s as the other files, on %s", (dimension, surface, values) => {
    expect(valuesOn(dimension, surface).toSorted()).toEqual([...new Set(values)].sort());
  });

  test.each(names.filter((name) => dimensions[name]?.of))("has each of the %s in the dimension that contains it", (name) => {
    const whole = dimensions[name]?.of as string;
    expect(names).toContain(whole);
    expect(dimensions[whole]?.of).toBeUndefined();
    for (const surface of surfaces) expect(valuesOn(whole, surface)).toEqual(expect.arrayContaining(valuesOn(name, surface)));
  });

  test("has no dimension without a clause", () => {
    const spoken = quantified.flatMap(([, { over = [] }]) => over.flatMap((name) => [name, dimensions[name]?.of]));
    expect(names.filter((name) => !spoken.includes(name))).toEqual([]);
  });
});

describe("clauses.json", () => {
  test("quantifies over dimensions that have values on the surfaces of the clause", () => {
    const without = quantified.flatMap(([id, { over = [], surface }]) =>
      over
        .filter((name) => !surfaces.some((one) => surface.includes(one) && valuesOn(name, one).length > 0))
        .map((name) => [id, name]),
    );
    expect(without).toEqual([]);
  });

  test("excludes only existing values", () => {
    const unknown = quantified.flatMap(([id, { over = [], except = {} }]) =>
      Object.entries(except).flatMap(([name, reasons]) =>
        Object.keys(reasons)
          .filter((value) => !over.includes(name) || !surfaces.some((surface) => valuesOn(name, surface).includes(value)))
          .map((value) => [id, name, value]),
      ),
    );
    expect(unknown).toEqual([]);
  });
});

function valuesOn(name: string, surface: Surface): string[] {
  const values = dimensions[name]?.values ?? [];
  return Array.isArray(values) ? values : (values[surface] ?? []);
}

function isFilter(parameter: string): boolean {
  return !["order", "include", "cursor", "limit"].includes(parameter);
}

function getValues(parameter: string, values: readonly string[]): string[] {
  return values.map((value) => `${parameter}=${value}`);
}

function categoriesThat(
  hold: (dismissal: (typeof contract.transitions.dismissal)[keyof typeof contract.transitions.dismissal]) => boolean,
) {
  return Object.entries(contract.transitions.dismissal).flatMap(([name, dismissal]) => (hold(dismissal) ? [name] : []));
}

function getCodes(type: string): string[] {
  return errors.flatMap(([code, row]) => (row.shown && row.type === type ? [code] : []));
}
