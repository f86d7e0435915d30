import { expect, test } from "vitest";
import type { Fixture } from "../../src/service/fixture.js";
import { fixtureFaults } from "../../src/service/fixture-faults.js";
import { readFixture } from "./world.js";

test.each(["demo", "empty", "free"] as const)("finds nothing in %s.json", (name) => {
  expect(fixtureFaults(readFixture(name))).toEqual([]);
});

const faults: [mistake: string, change: Partial<Fixture>, path: (string | number)[], says: string][] = [
  ["a clock between two ticks", { clock: "2026-01-05T09:00:01Z" }, ["clock"], "30 seconds"],
  ["a role of no workspace", { roles: { full: { workspace: "acne", scopes: "all" } } }, ["roles", "full", "workspace"], "acne"],
  [
    "a role of an inherited name",
    { roles: { full: { workspace: "toString", scopes: "all" } } },
    ["roles", "full", "workspace"],
    "toString",
  ],
  [
    "a session of no workspace",
    { sessions: { owner: { workspace: "x", role: "owner" } } },
    ["sessions", "owner", "workspace"],
    "acme",
  ],
  [
    "a fence that is no network",
    { roles: { full: { workspace: "acme", scopes: "all", allowed_cidrs: ["10.0.0.0/8", "10.0.0.0/64"] } } },
    ["roles", "full", "allowed_cidrs", 1],
    "10.0.0.0/64",
  ],
  [
    "a job of no repository",
    { jobs: [{ repo: "acme/web/dev", workflow: "audit", status: "pending", age_minutes: 0 }] },
    ["jobs", 0, "repo"],
    "acme/web/dev",
  ],
  ["an observation of no repository", { observations: [{ repo: "a/b/c", title: "x" }] }, ["observations", 0, "repo"], "a/b/c"],
  ["rows for no repository", { generate: { observations: { "a/b/c": 3 } } }, ["generate", "observations", "a/b/c"], "a/b/c"],
  [
    "params that the workflow refuses",
    { jobs: [{ repo: "acme/web/main", workflow: "fix", status: "failed", age_minutes: 9 }] },
    ["jobs", 0, "params"],
    "ref",
  ],
];

test.each(faults)("finds %s", (_, change, path, says) => {
  const found = fixtureFaults({ ...readFixture("demo"), ...change });
  expect(found.map((fault) => fault.path)).toEqual([path]);
  expect(found[0]?.problem).toContain(says);
});

test("finds a repository of no workspace and one listed twice", () => {
  const fixture = readFixture("demo");
  const [first] = fixture.repositories!;
  fixture.repositories!.push({ ...first!, workspace: "nobody" }, { ...first! }, { ...first!, workspace: "free-co" });
  const paths = fixtureFaults(fixture).map(({ path }) => path.join("."));
  expect(paths).toEqual(["repositories.8.workspace", "repositories.9"]);
});
