import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { compileSchema } from "../../../../src/contract/load.js";
import type { RouteName } from "../../../../src/contract/types.js";
import { sampled } from "../../../meta/sample.js";
import { getBodySchema, type Schema, shapedRoutes, validBody, validRequest, withBody } from "./bases.js";
import { anyText, seed } from "./chance.js";
import { expectOutcomes, openService, type Service } from "./service.js";

let service: Service;
beforeAll(async () => {
  service = await openService();
});
afterAll(() => service.close());

const inherited = ["__proto__", "constructor", "toString", "hasOwnProperty", "valueOf"];
const long = "x".repeat(100_000);

/** One value of every JSON type. */
const samples: Record<string, unknown> = {
  string: "1",
  integer: 7,
  number: 1.5,
  boolean: true,
  null: null,
  array: [],
  object: {},
};

/** Values outside a schema, each with one mistake. */
function wrongValues(schema: Schema): unknown[] {
  const types = Object.entries(samples).flatMap(([type, value]) => (takesType(schema.type, type) ? [] : [value]));
  return [
    ...types,
    ...wrongSizes(schema),
    ...wrongWords(schema),
    ...(schema.items ? wrongValues(schema.items).map((value) => [value]) : []),
  ];
}

function wrongSizes({ minLength, maxLength, minimum, maximum, exclusiveMinimum, type }: Schema): unknown[] {
  return [
    ...(minLength === undefined ? [] : ["", "x".repeat(minLength - 1)]),
    ...(maxLength === undefined ? [] : ["x".repeat(maxLength + 1), long]),
    ...(minimum === undefined ? [] : [minimum - 1, -1e308]),
    ...(maximum === undefined ? [] : [maximum + 1, 1e308]),
    ...(exclusiveMinimum === undefined ? [] : [exclusiveMinimum, exclusiveMinimum - 1]),
    ...([type].flat().includes("integer") ? [1.000001, 5e-324] : []),
  ];
}

function wrongWords({ enum: values, format, pattern }: Schema): unknown[] {
  if (values) return ["", "no_such", `${values[0]} `, String(values[0]).toUpperCase(), long, ...inherited];
  if (format === "date-time") return ["", "yesterday", "2030-1-1", "2030-13-01T00:00:00Z", "2030-01-01 00:00:00Z", long];
  return pattern ? ["", long] : [];
}

function takesType(wanted: Schema["type"], type: string): boolean {
  return [wanted].flat().some((one) => one === undefined || one === type || (one === "number" && type === "integer"));
}

/** The valid body with one field as given. `__proto__` is a name like any other. */
function withField(route: RouteName, name: string, value: unknown) {
  return withBody(route, `{${JSON.stringify(name)}:${JSON.stringify(value)}${fieldsBehind(route, name)}}`);
}

function fieldsBehind(route: RouteName, name: string): string {
  const others = Object.entries(validBody(route) ?? {}).filter(([other]) => other !== name);
  return others.map(([other, value]) => `,${JSON.stringify(other)}:${JSON.stringify(value)}`).join("");
}

// Each run draws 4 of the 9 routes: about 6 commits try all.
describe.each(sampled(shapedRoutes, 4))("%s", (route) => {
  const schema = getBodySchema(route)!;
  const fields = Object.entries(schema.properties ?? {});

  it("refuses a body without a required field", async () => {
    const body = validBody(route)!;
    for (const missing of schema.required ?? []) {
      const { [missing]: _, ...rest } = body;
      expect(await service.outcomeOf(withBody(route, rest)), missing).toBe("invalid_payload");
      expect(await service.outcomeOf(withBody(route, { ...rest, [` ${missing}`]: body[missing] })), missing).toBe(
        "invalid_payload",
      );
      expect(await service.outcomeOf(withBody(route, { ["__proto__"]: body, ...rest })), missing).toBe("invalid_payload");
    }
  });

  it.each(fields)("refuses a %s of another type, length, range or word", async (name, field) => {
    const values = wrongValues(field);
    // a field without a schema never has the wrong type, but may have a wrong meaning
    if (values.length === 0) return;
    await expectOutcomes(
      service,
      values.map((value, i) => ({
        says: `${i}: ${JSON.stringify(value).slice(0, 30)}`,
        asked: withField(route, name, value),
        answers: ["invalid_payload"],
      })),
    );
  });

  it.each(fields)("answers any value of %s without a failure", (name) =>
    expectOutcomes(
      service,
      [
        null,
        true,
        0,
        1e308,
        "",
        long,
        "\u0000",
        "a/b",
        "..",
        "@",
        "\ud83d\ude00",
        "\ud800",
        ...inherited,
        [],
        [[]],
        {},
        Array(5000).fill(null),
        Array(5000).fill("x"),
      ].map((value) => ({ says: JSON.stringify(value).slice(0, 30), asked: withField(route, name, value), answers: null })),
    ),
  );

  it("ignores unknown fields", async () => {
    const validOutcome = await service.outcomeOf(validRequest(route));
    await expectOutcomes(
      service,
      [...inherited, "nothing", "", "$ref", "\u0000", long].map((name) => ({
        says: name.slice(0, 30),
        asked: withField(route, name, { workflow: "audit" }),
        answers: [validOutcome],
      })),
    );
  });

  it(`refuses whatever is not of its schema, and only that as such (seed ${seed})`, () => {
    const isValid = compileSchema(schema);
    const name = fc.constantFrom(...fields.map(([known]) => known), ...inherited);
    const mutated = fc.tuple(fc.nat(1000), name, fc.oneof(fc.jsonValue({ maxDepth: 3 }), anyText));
    return fc.assert(
      fc.asyncProperty(mutated, async ([base, key, value]) => {
        const body = Object.assign(Object.create(null), validBody(route, base), { [key]: value });
        const outcome = await service.outcomeOf(withBody(route, body));
        if (!isValid(JSON.parse(JSON.stringify(body)))) expect(outcome).toBe("invalid_payload");
      }),
      { seed, numRuns: 30 },
    );
  });
});

describe("a valid but unknown JSON value", () => {
  const submit: RouteName = "POST /api/repos/{owner}/{repo}/{branch}/jobs";

  it.each(["", "no_such", "AUDIT", "audit ", "mini_audit", long, ...inherited])(
    "refuses to submit the workflow '%.20s'",
    async (workflow) => {
      expect(await service.outcomeOf(withBody(submit, { workflow, params: {} }))).toBe("invalid_payload");
    },
  );

  it("refuses params that do not belong to the workflow, in any number", () =>
    expectOutcomes(
      service,
      [
        { nothing: 1 },
        { paths: "src" },
        { paths: [""] },
        { paths: Array(200_000).fill(1) },
        Object.fromEntries(Array.from({ length: 50_000 }, (_, i) => [`x${i}`, 1])),
        { [long]: 1 },
        JSON.parse('{"__proto__":{"paths":["src"]}}'),
        { constructor: 1 },
      ].map((params) => ({
        says: JSON.stringify(params).slice(0, 30),
        asked: withBody(submit, { workflow: "audit", params }),
        answers: ["invalid_payload"],
      })),
    ));

  it.each([
    "1.2.3.4/33",
    "1.2.3",
    "::g",
    "0x7f.1",
    "2130706433",
    "1.2.3.4/",
    "/8",
    "",
    "localhost",
    "fe80::1%eth0/64/64",
    "__proto__",
    long,
  ])("refuses a key with the network '%.20s'", async (range) => {
    expect(await service.outcomeOf(withField("POST /api/keys", "allowed_cidrs", [range]))).toBe("invalid_payload");
  });

  it("reports a limited number of mistakes", async () => {
    const scopes = Array(50_000).fill("no_such");
    expect(await service.outcomeOf(withField("POST /api/keys", "scopes", scopes))).toBe("invalid_payload");
  });

  it.each(inherited)("accepts '%s' as an Idempotency-Key", async (key) => {
    const requestParts = validRequest(submit);
    expect(await service.outcomeOf({ ...requestParts, headers: { ...requestParts.headers, "idempotency-key": key } })).toBe(
      "201",
    );
  });
});
