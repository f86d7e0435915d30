import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RouteName } from "../../../../src/contract/types.js";
import { sampled } from "../../../meta/sample.js";
import { everyRoute, parametersIn, type Schema, validRequest, withQuery } from "./bases.js";
import { anyText, seed } from "./chance.js";
import { expectOutcomes, openService, type Service } from "./service.js";

let service: Service;
beforeAll(async () => {
  service = await openService();
});
afterAll(() => service.close());

const foreignNames = [
  "__proto__",
  "constructor",
  "toString",
  "hasOwnProperty",
  "nothing",
  "",
  "%00",
  "limit[]",
  "a.b",
  "%F0%9F%98%80",
];
const withParameters = everyRoute.filter((route) => Object.keys(parametersIn(route, "query")).length > 0);

/** Encoded values outside the schema of a parameter. */
function wrongValues({ type, enum: values, format, pattern, minimum, maximum }: Schema): string[] {
  if (values)
    return ["", "no_such", "__proto__", "constructor", "toString", `${values[0]}%00`, `${values[0]}%20`, "%FF", "[]", "null"];
  if (format === "date-time")
    return ["", "yesterday", "2026-1-5", "2026-13-01T00:00:00Z", "1767603600", "%00", "2026-01-05%2009:00:00Z"];
  if (pattern) return ["", "main", "%40", "web%40", "%40main"];
  switch (type) {
    case "integer":
      return [
        "",
        "x",
        "1.5",
        "NaN",
        "Infinity",
        "1e999",
        "0x10",
        "1e2",
        "5.0",
        "%205",
        "+5",
        "-1",
        "%00",
        "1%00",
        "1,2",
        "[]",
        "null",
        "true",
        "9".repeat(400),
      ].concat(minimum === undefined ? [] : [String(minimum - 1)], maximum === undefined ? [] : [String(maximum + 1)]);
    case "boolean":
      return ["", "maybe", "yes", "2", "TRUE", "%00", "true%00", "[]"];
    default:
      return [];
  }
}

describe.each(withParameters)("%s", (route) => {
  const parameters = Object.entries(parametersIn(route, "query"));

  it.each(parameters)("refuses ?%s= with a wrong type or unknown value", async (name, schema) => {
    const values = wrongValues(schema);
    if (values.length === 0) return expectOutcomes(service, unlimited(route, name));
    await expectOutcomes(
      service,
      values.map((value) => ({ says: value, asked: with1(route, name, value), answers: ["invalid_payload"] })),
    );
  });

  it.each(parameters)("refuses a repeated ?%s=", (name) =>
    expectOutcomes(service, [
      { says: "twice", asked: withQuery(route, `${name}=a&${name}=b`), answers: ["invalid_payload"] },
      { says: "the same twice", asked: withQuery(route, `${name}=1&${name}=1`), answers: ["invalid_payload"] },
      { says: "a thousand times", asked: withQuery(route, `${name}=&`.repeat(1000)), answers: ["invalid_payload"] },
    ]),
  );

  it(`survives any values of its parameters, alone and together (seed ${seed})`, () => {
    const name = fc.constantFrom(...parameters.map(([known]) => known), ...foreignNames);
    const value = fc.oneof(anyText, fc.constantFrom("true", "1", "open", "audit", "2026-01-05T09:00:00Z"));
    const query = fc.array(fc.tuple(name, value), { maxLength: 6 });
    return fc.assert(
      fc.asyncProperty(query, async (pairs) => {
        const text = pairs.map(([key, sent]) => `${key}=${encodeURIComponent(sent)}`).join("&");
        await service.outcomeOf(withQuery(route, text));
      }),
      { seed, numRuns: 15 },
    );
  });
});

// Each run draws 9 of the 27 routes: about 12 commits try all.
describe.each(sampled(everyRoute, 9))("the query of %s", (route) => {
  it("may have unknown names, once or twice", async () => {
    const conforming = await service.outcomeOf(validRequest(route));
    const unknownQueries = foreignNames.flatMap((name) => [`${name}=1`, `${name}=1&${name}=2`, name]);
    await expectOutcomes(
      service,
      ["&&&", "=&=", "%", "%zz=%zz", "?", "#", `x=${"y".repeat(8000)}`, ...unknownQueries].map((more) => ({
        says: more.slice(0, 40),
        asked: withQuery(route, more),
        answers: [conforming],
      })),
    );
  });
});

describe("a cursor", () => {
  it("that is invented, damaged or from another list is refused by every list", async () => {
    const { headers } = validRequest("GET /api/jobs");
    const list = await fetch(`${service.mock.api_url}/api/jobs?limit=1`, { headers: headers as Record<string, string> });
    const { next_cursor } = (await list.json()) as { next_cursor: string };
    const damaged = [
      "",
      "x",
      "=",
      "%00",
      "%F0%9F%98%80",
      "W10",
      "bnVsbA",
      `${next_cursor}x`,
      next_cursor.slice(1),
      "x".repeat(8000),
    ];
    for (const route of withParameters.filter((withParameter) => "cursor" in parametersIn(withParameter, "query"))) {
      const foreign = route === "GET /api/jobs" ? [] : [next_cursor];
      await expectOutcomes(
        service,
        [...damaged, ...foreign].map((cursor) => ({
          says: `${route} ${cursor.slice(0, 20)}`,
          asked: with1(route, "cursor", cursor),
          answers: ["invalid_cursor"],
        })),
      );
    }
  });

  it("is valid with any unknown parameter beside it", async () => {
    const headers = validRequest("GET /api/observations").headers as Record<string, string>;
    const list = await fetch(`${service.mock.api_url}/api/observations?limit=1`, { headers });
    const { next_cursor } = (await list.json()) as { next_cursor: string };
    expect(await service.outcomeOf(withQuery("GET /api/observations", `nothing=1&cursor=${next_cursor}`))).toBe("200");
  });
});

/** A parameter with any conforming text. */
function unlimited(route: RouteName, name: string) {
  const texts = ["", "%00", "__proto__", "constructor", "toString", "%FF%FE", "%F0%9F%98%80", "x".repeat(8000), "..%2F.."];
  return texts.map((text) => ({ says: text, asked: with1(route, name, text), answers: null }));
}

/** The request with this value in the place of a parameter's. */
function with1(route: RouteName, name: string, value: string) {
  const requestParts = validRequest(route);
  const [path, query = ""] = requestParts.path.split("?") as [string, string?];
  const others = query.split("&").filter((pair) => pair !== "" && !pair.startsWith(`${name}=`));
  return { ...requestParts, path: `${path}?${[...others, `${name}=${value}`].join("&")}` };
}
