import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sampled } from "../../../meta/sample.js";
import { everyRoute, getPath, parametersIn, validRequest } from "./bases.js";
import { anyText, seed } from "./chance.js";
import { expectOutcomes, openService, type Service } from "./service.js";

let service: Service;
beforeAll(async () => {
  service = await openService();
});
afterAll(() => service.close());

/** Segments as they are sent that name nothing there is. */
const segments = [
  "nothing",
  "",
  "0",
  "-1",
  "null",
  "__proto__",
  "constructor",
  "toString",
  "hasOwnProperty",
  "acme%2Fweb",
  "%2F",
  "..%2F..%2F__mock%2Fhealth",
  "%2e%2e",
  ".",
  "..",
  "@",
  "%40",
  "web@main",
  "%00",
  "main%00",
  "%0d%0aset-cookie:%20a=b",
  "%",
  "%2",
  "%zz",
  "%C3",
  "%ED%A0%80",
  "%FF%FE",
  "%C3%BC",
  "%F0%9F%98%80",
  "%E2%80%AE",
  "a;b=c",
  "a+b",
  "*",
  "{job_id}",
  "SERVICE-",
  "service-1",
  "SERVICE-01",
  "SERVICE-1%20",
  "SERVICE-1e0",
  "<script>",
  "'--",
  "x".repeat(8000),
];

const withVariables = everyRoute.filter((route) => Object.keys(parametersIn(route, "path")).length > 0);

// Each run draws 7 of the 20 routes: about 10 commits try all.
describe.each(sampled(withVariables, 7))("%s", (route) => {
  const variables = Object.keys(parametersIn(route, "path"));

  it.each(variables)("answers 404 for an odd {%s}", (variable) =>
    expectOutcomes(
      service,
      segments.map((segment) => ({
        says: segment.slice(0, 30),
        asked: { ...validRequest(route), path: getPath(route, { [variable]: segment }) },
        answers: ["not_found"],
      })),
    ),
  );

  it("does not decode a slash inside a segment", () =>
    expectOutcomes(service, [
      {
        says: "one more segment",
        asked: { ...validRequest(route), path: getPath(route, { [variables.at(-1)!]: "a/b/c/d/e/f" }) },
        answers: ["not_found"],
      },
    ]));

  it(`survives any text in its variables (seed ${seed})`, () =>
    fc.assert(
      fc.asyncProperty(fc.array(anyText, { minLength: 3, maxLength: 3 }), async (texts) => {
        const given = variables.map((variable, i) => [variable, encodeURIComponent(texts[i]!)]);
        const asked = { ...validRequest(route), path: getPath(route, Object.fromEntries(given)) };
        expect(await service.outcomeOf(asked)).toBe("not_found");
      }),
      { seed, numRuns: 8 },
    ));
});

describe.each(everyRoute)("the path of %s", (route) => {
  it("matches exactly, and no similar path", () => {
    const { path } = validRequest(route);
    const [, head] = path.split("?")[0]!.split("/");
    const { cookie: _, ...headers } = validRequest(route).headers;
    const near = [
      path.replace("/", "//"),
      path.replace(/(\?|$)/, "/$1"),
      path.replace(`/${head}`, `/${head}/.`),
      path.replace(`/${head}`, `/${head}/../${head}`),
      path.replace(`/${head}`, `/${head}%2F`),
      path.replace(`/${head}`, "/API"),
      path.replace(`/${head}`, `/${head}\\`),
      path.replace(/(\?|$)/, "%00$1"),
      path.replace(/(\?|$)/, ";$1"),
      `${path.replace(/\?.*/, "")}%3Flimit=1`,
    ];
    return expectOutcomes(
      service,
      near.map((path) => ({
        says: path,
        asked: { ...validRequest(route), host: "api", path: path, headers: { ...headers, authorization: "Bearer mock_full" } },
        // such a path ends in a variable, so it exists; a key may not read the key routes
        answers: ["not_found", "method_not_allowed", ...(headers.authorization ? [] : ["permission_denied"])],
      })),
    );
  });

  it("accepts only its own methods", () =>
    expectOutcomes(
      service,
      ["PUT", "OPTIONS", "TRACE", "PURGE", "PROPFIND", "M-SEARCH"].map((method) => ({
        says: method,
        asked: { host: "api", method, path: validRequest(route).path, headers: { authorization: "Bearer mock_full" } },
        answers: ["method_not_allowed"],
      })),
    ));
});
