import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { Options } from "ajv";
import { describe, expect, test } from "vitest";
import type { Contract } from "../../src/contract/contract.js";
import { checkReferences } from "../../src/contract/cross-check.js";
import { compileSchema, contract, packageRoot, readSpec } from "../../src/contract/load.js";
import { listParameters, routes } from "../../src/contract/routes.js";
import type { ClauseId, RouteName } from "../../src/contract/types.js";
import { withComponents } from "../../src/contract/validate.js";

const files = jsonFiles("spec");
const schemas = jsonFiles("spec/schema");
/** OpenAPI has its own schema, so `openapi.json` is compiled below. */
const tables = files.filter((file) => file !== "openapi.json");

describe.each(tables)("spec/%s", (file) => {
  test("is valid by its schema", () => expect(faults(file, readSpec(file))).toEqual([]));

  test("allows no unknown key, at any place", () => {
    const open = objectPlaces(readSpec(file)).filter((place) => faults(file, withSurprise(readSpec(file), place)).length === 0);
    expect(open).toEqual([]);
  });

  test("cites only clauses of the ledger", () => {
    expect(clausesIn(readSpec(file)).filter((id) => !(id in contract.clauses))).toEqual([]);
  });
});

test.each(schemas)("spec/schema/%s is a valid JSON Schema without unknown keywords", (file) => {
  const lender = { "setup.json": "scenario.json", "snapshot.json": "fixture.json" }[file]; // of steps, of values of fields
  const others = lender ? [readSpec(`schema/${lender}`) as object] : [];
  const strictly = {
    discriminator: true,
    strict: true,
    strictTypes: false,
    strictRequired: false,
    schemas: others,
    keywords: ["x-renamed"],
  };
  expect(() => compileSchema(readSpec(`schema/${file}`) as object, strictly)).not.toThrow();
});

describe("openapi.json", () => {
  const shapes = schemasIn(contract.openapi, "#");

  test("has shapes to compile", () => expect(shapes.length).toBeGreaterThan(100));

  test.each(shapes)("%s compiles without unknown keywords", (_where, schema) => {
    expect(() => compileSchema(withComponents(schema), strict)).not.toThrow();
  });

  test("finds an unknown keyword and a broken reference", () => {
    expect(() => compileSchema(withComponents({ type: "string", minLenght: 1 }), strict)).toThrow("minLenght");
    expect(() => compileSchema(withComponents({ $ref: "#/components/schemas/Nothing" }), strict)).toThrow("Nothing");
  });

  test("names the workflows of workflows.json", () => {
    const named = contract.openapi.components?.schemas?.WorkflowName as { "x-values"?: string[] } | undefined;
    expect(named?.["x-values"]?.toSorted()).toEqual(Object.keys(contract.workflows).sort());
  });

  test("pages its lists by the limits of limits.json", () => {
    const { maximum_limit, ...sizes } = contract.limits.page;
    const lists = Object.values(routes).filter(({ operation }) => operation["x-list"]);
    const sizeOf = Object.fromEntries(lists.map(({ name, operation }) => [name, sizes[operation["x-list"]!.size]]));
    expect(sizeOf).toMatchObject({ "GET /api/observations": 100, "GET /api/jobs": 50, "GET /api/repos": 50 });
    for (const { name } of lists) {
      const limit = listParameters(name).find((parameter) => parameter.name === "limit");
      expect([name, limit?.schema]).toEqual([name, expect.objectContaining({ maximum: maximum_limit })]);
    }
  });
});

describe("limits.json", () => {
  const bucketed = Object.values(contract.limits.buckets).flatMap((bucket) => bucket.routes);

  test("gives buckets only to existing routes", () => expect(bucketed.filter((name) => !(name in routes))).toEqual([]));
  test("gives a route one bucket at most", () => expect(bucketed.toSorted()).toEqual([...new Set(bucketed)].sort()));
});

describe("the cross-check", () => {
  test("finds nothing in spec/", () => expect(checkReferences(contract)).toEqual([]));

  const missingClauseId = "NO-SUCH-CLAUSE" as ClauseId;
  const derived = Object.keys(contract.clauses).find((id) => contract.clauses[id as ClauseId].sources) as ClauseId;
  const assumption = Object.keys(contract.assumptions)[0] as keyof Contract["assumptions"];

  test.each<[where: string, spoil: (copy: Contract) => void, finding: string]>([
    [
      "a bucket's clause",
      (copy) => {
        copy.limits.buckets.submit.clause = missingClauseId;
      },
      cites("limits.json buckets.submit"),
    ],
    [
      "a plan's clause",
      (copy) => {
        copy.limits.plans.free.clause = missingClauseId;
      },
      cites("limits.json plans.free"),
    ],
    [
      "an error's clause",
      (copy) => {
        copy.errors.bad_request.clause = missingClauseId;
      },
      cites("errors.json bad_request"),
    ],
    [
      "a step of a job",
      (copy) => {
        copy.transitions.job[0]!.clause = missingClauseId;
      },
      cites("transitions.json job null on submit"),
    ],
    [
      "a step of an observation",
      (copy) => {
        copy.transitions.observation[0]!.clause = missingClauseId;
      },
      cites("transitions.json observation new on dismiss"),
    ],
    [
      "a dismissal's clause",
      (copy) => {
        copy.transitions.dismissal.stale.clause = missingClauseId;
      },
      cites("transitions.json dismissal.stale"),
    ],
    [
      "an assumption's clause",
      (copy) => {
        copy.assumptions[assumption].clauses = [missingClauseId];
      },
      cites(`assumptions.json ${assumption}`),
    ],
    [
      "a source of a derived clause",
      (copy) => {
        copy.clauses[derived].sources = [missingClauseId];
      },
      `clauses.json ${derived} derives from ${missingClauseId}, but clauses.json has no such clause`,
    ],
    [
      "a path of a bucket",
      (copy) => {
        copy.limits.buckets.fix.routes = ["POST /api/nowhere" as RouteName];
      },
      "limits.json buckets.fix names POST /api/nowhere, but openapi.json has no such operation",
    ],
    [
      "a method of a bucket",
      (copy) => {
        copy.limits.buckets.fix.routes = ["DELETE /api/jobs" as RouteName];
      },
      "limits.json buckets.fix names DELETE /api/jobs, but openapi.json has no such operation",
    ],
  ])("finds %s with a broken reference", (_where, spoil, finding) => {
    const copy = structuredClone(contract);
    spoil(copy);
    expect(checkReferences(copy)).toEqual([finding]);
  });

  function cites(where: string): string {
    return `${where} cites ${missingClauseId}, but clauses.json has no such clause`;
  }
});

/** Extensions of the document, and the keywords of OpenAPI beside those of JSON Schema. */
const strict: Options = {
  strict: true,
  strictTypes: false,
  strictRequired: false,
  keywords: [
    "components",
    "example",
    "x-values",
    "x-clauses",
    "x-not-shown",
    "x-assumed",
    "x-set-by-service",
    "x-unpublished",
    "x-refused-empty",
    "x-published",
  ],
};

function jsonFiles(folder: string): string[] {
  return readdirSync(join(packageRoot, folder)).filter((name) => name.endsWith(".json"));
}

const validators = new Map(tables.map((file) => [file, compileSchema(readSpec(`schema/${file}`) as object)]));

function faults(file: string, value: unknown): string[] {
  const validate = validators.get(file)!;
  validate(value);
  return (validate.errors ?? []).map((error) => `${error.instancePath} ${error.message}`);
}

/** Returns the paths of objects in a table, the first few of each kind. Skips values that are JSON Schemas, which may have any key. */
function objectPlaces(value: unknown, place: string[] = []): string[][] {
  if (typeof value !== "object" || value === null || place.at(-1) === "params") return [];
  const inside = Object.entries(value).slice(0, 10);
  return [...(Array.isArray(value) ? [] : [place]), ...inside.flatMap(([key, child]) => objectPlaces(child, [...place, key]))];
}

function withSurprise(value: unknown, place: string[]): unknown {
  const target = place.reduce((at, key) => (at as Record<string, unknown>)[key], value);
  (target as Record<string, unknown>).surprise = 1;
  return value;
}

/** Returns every value of a `clause` field, at any depth. */
function clausesIn(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, child]) => (key === "clause" ? [child as string] : clausesIn(child)));
}

/** Returns the schemas of an OpenAPI document with their paths: the components and every value of a key `schema`. */
function schemasIn(value: unknown, place: string): [where: string, schema: object][] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, child]) => {
    const where = `${place}/${key}`;
    if (key === "schema" || place === "#/components/schemas") return [[where, child as object]];
    return schemasIn(child, where);
  });
}
