import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { packageRoot, readSpec } from "../../src/contract/load.js";
import { requests } from "../../src/suite/request-rules.js";
import { changedKinds } from "../../src/suite/statements/frames.js";
import { findOperationStatement, type Operation, operations } from "../../src/suite/statements/operations.js";

interface Tool {
  name: string;
  kind: "read" | "write";
  arguments: { properties: object };
}

const { tools } = readSpec("tools.json") as { tools: Record<string, Tool> };
const { bindings } = parse(readFileSync(join(packageRoot, "fixtures/mock.yaml"), "utf8")) as {
  bindings: { tools: Record<string, string>; tool_args: Record<string, Record<string, string>> };
};

test("the suite and the contract have the same tools, and the same read-only tools", () => {
  const kinds = Object.entries(requests.tools).map(([purpose, { effect }]) => [purpose, effect === "read" ? "read" : "write"]);
  expect(Object.fromEntries(kinds)).toEqual(
    Object.fromEntries(Object.entries(tools).map(([purpose, { kind }]) => [purpose, kind])),
  );
});

test("the mock's target file binds every tool and every argument of it", () => {
  expect(bindings.tools).toEqual(Object.fromEntries(Object.entries(tools).map(([purpose, { name }]) => [purpose, name])));
  for (const [purpose, tool] of Object.entries(tools))
    expect({ purpose, arguments: Object.keys(bindings.tool_args[purpose] ?? {}) }).toEqual({
      purpose,
      arguments: Object.keys(tool.arguments.properties),
    });
});

test.each([
  ["GET", "/api/jobs", "read"],
  ["HEAD", "/api/nothing", "read"],
  ["POST", "/api/repos", "paid"],
  ["POST", "/api/repos/o/r/b/jobs", "paid"],
  ["POST", "/api/jobs/x/retry", "paid"],
  ["POST", "/api/jobs/x/cancel", "write"],
  ["POST", "/api/repos/o/r/b/reset", "destructive"],
  ["DELETE", "/api/repos/o/r/b", "destructive"],
  ["DELETE", "/api/repos/o/r", "destructive"],
  ["PATCH", "/api/keys/x", "write"],
  ["POST", "/api/nothing", "write"],
])("what %s %s does to the server is %s", (method, path, effect) => {
  expect(requests.effectOf(method, path)).toBe(effect);
});

describe("a variable of the contract", () => {
  const repo = "acme/web/feature/one";
  test.each([
    ["repo", 1, repo, "acme/web/feature%2Fone"],
    ["repo2", 2, repo, "acme/web/feature%2Fone"],
    ["repo.owner", 1, "acme", "acme"],
    ["repo.branch", 1, "feature/one", "feature%2Fone"],
    ["slug", 1, "web@feature/one", "web%40feature%2Fone"],
  ])("{%s} is of the repository with the number %i", (name, number, value, inPath) => {
    const variable = requests.variable(name);
    expect([variable?.number, variable?.valueIn(repo), variable?.inPath(value)]).toEqual([number, value, inPath]);
  });

  test.each(["repository", "repo.slug", "slug.owner", "repo10", "job"])("{%s} is not a variable of the contract", (name) => {
    expect(requests.variable(name)).toBeUndefined();
  });
});

describe("the kinds of resources that a request changes", () => {
  const writes = (Object.keys(operations) as Operation[]).filter(
    (operation) => findOperationStatement(operation).effect !== "read",
  );

  test("are stated for every operation that writes, and for no other", () => {
    expect(Object.keys(changedKinds).sort()).toEqual(writes.sort());
  });

  test.each([
    ["a route", { method: "POST", path: "/api/jobs/x/cancel", tool: false }, ["job"]],
    ["a tool", { method: "POST", path: "", tool: true, purpose: "register_repository" }, ["repository", "job"]],
    ["an invalid path", { method: "POST", path: "/api/no-such", tool: false }, undefined],
    ["an invalid tool", { method: "POST", path: "", tool: true, purpose: "no_such" }, undefined],
  ])("are known for %s", (_, request, kinds) => expect(requests.changedBy(request)).toEqual(kinds));
});
