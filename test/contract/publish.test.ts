import { describe, expect, test } from "vitest";
import { compileSchema, contract } from "../../src/contract/load.js";
import { publishOpenApi } from "../../src/contract/publish.js";
import { routes } from "../../src/contract/routes.js";

interface Published {
  openapi: string;
  paths: Record<string, Record<string, Record<string, unknown>>>;
  components: { schemas: Record<string, object> };
}

const document = publishOpenApi() as Published;
const methods = ["get", "post", "put", "patch", "delete"];
const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item)
    .filter(([method]) => methods.includes(method))
    .map(([method, operation]) => ({ name: `${method.toUpperCase()} ${path}`, path, item, operation })),
);

describe("the published document", () => {
  test("is OpenAPI 3.1 and made once", () => {
    expect(document.openapi).toMatch(/^3\.1\./);
    expect(publishOpenApi()).toBe(document);
  });

  test("holds every operation of the contract, matched by position", () => {
    const withoutComments = (name: string) => name.replaceAll(/\{\w+\}/g, "{}");
    expect(operations.map(({ name }) => withoutComments(name)).sort()).toEqual(Object.keys(routes).map(withoutComments).sort());
  });

  test("carries x-rate-limit on the bucketed operations and nowhere else", () => {
    const published = operations
      .filter(({ operation }) => "x-rate-limit" in operation)
      .map(({ operation }) => [operation.operationId, operation["x-rate-limit"]]);
    const bucketed = Object.values(contract.limits.buckets).flatMap(({ rpm, routes: names }) =>
      names.map((name) => [routes[name].operation.operationId, { rpm }]),
    );
    expect(Object.fromEntries(published)).toEqual(Object.fromEntries(bucketed));
    expect(published.length).toBe(12);
  });

  test("renames the three segments of a repository, but not fields with the same names", () => {
    const ofRepos = Object.keys(document.paths).filter((path) => path.startsWith("/api/repos/"));
    for (const path of ofRepos) expect(path).toMatch(/^\/api\/repos\/\{org\}\/\{repository\}\/\{ref_name\}(\/[a-z-]+)?$/);
    expect(ofRepos.length).toBeGreaterThan(5);
    const body = resolve("#/components/schemas/RepositoryRegistration") as { required: string[] };
    expect(body.required).toEqual(["owner", "repo", "branch"]);
    const filters = (document.paths["/api/observations"]!.get!.parameters as { name?: string }[]).map(({ name }) => name);
    expect(filters).toContain("repo");
  });

  test.each(operations)("declares exactly the path parameters of $name", ({ path, item, operation }) => {
    expect(item).not.toHaveProperty("parameters"); // some generators read the parameters of operations only
    const declared = ((operation.parameters ?? []) as object[])
      .map(
        (parameter) =>
          ("$ref" in parameter ? resolve(parameter.$ref as string) : parameter) as {
            in: string;
            name: string;
            required?: boolean;
          },
      )
      .filter((parameter) => parameter.in === "path");
    expect(declared.map(({ name }) => name)).toEqual([...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name));
    expect(declared.every(({ required }) => required)).toBe(true);
  });

  test("keeps x-not-shown and x-rate-limit, and removes the other extensions", () => {
    const marks = new Set<string>();
    visit(document, (object) => {
      for (const key of Object.keys(object)) if (key.startsWith("x-")) marks.add(key);
    });
    expect([...marks].sort()).toEqual(["x-not-shown", "x-rate-limit"]);
    expect(JSON.stringify(document)).not.toContain("x-assumed");
  });

  test("has no broken reference, and its schemas compile", () => {
    visit(document, (object) => typeof object.$ref === "string" && expect(resolve(object.$ref), object.$ref).toBeDefined());
    for (const name of Object.keys(document.components.schemas))
      compileSchema({ $ref: `#/components/schemas/${name}`, components: document.components });
  });

  test("does not modify the contract", () => {
    expect(contract.openapi.paths).toHaveProperty(["/api/repos/{owner}/{repo}/{branch}"]);
    expect(JSON.stringify(contract.openapi)).not.toContain('"x-rate-limit"');
  });
});

function resolve(reference: string): unknown {
  const keys = reference
    .slice(2)
    .split("/")
    .map((key) => key.replaceAll("~1", "/"));
  return keys.reduce<unknown>((node, key) => (node as Record<string, unknown> | undefined)?.[key], document);
}

function visit(node: unknown, parsePage: (object: Record<string, unknown>) => unknown): void {
  if (node === null || typeof node !== "object") return;
  if (!Array.isArray(node)) parsePage(node as Record<string, unknown>);
  for (const inner of Object.values(node)) visit(inner, parsePage);
}
