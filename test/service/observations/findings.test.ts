import { describe, expect, it } from "vitest";
import { advance } from "../../../src/service/advance.js";
import { drives } from "../../../src/service/drives/index.js";
import { perform } from "../../../src/service/perform.js";
import type { Options, World } from "../../../src/service/world/world.js";
import { call, demoWorld } from "../world.js";

const web = { owner: "acme", repo: "web", branch: "main" };

/** Returns the observations that a run adds; it ends by time or by a drive. */
function runAndFind(world: World, workflow: string, params: object = {}, drive?: "success" | "failure") {
  advance(world, { until: "idle" }); // jobs that the fixture has started
  const known = new Set(Object.keys(world.observations));
  const response = perform(
    world,
    call("POST /api/repos/{owner}/{repo}/{branch}/jobs", { params: web, body: { workflow, params } }),
  );
  const { id } = response.body as { id: string };
  if (drive) drives["finish-job"]!.run(world, { job_id: id, outcome: drive });
  else advance(world, { until: "idle" });
  return Object.values(world.observations).filter(({ ref }) => !known.has(ref));
}

describe("a completed audit", () => {
  it.each([1, 2, 3, 4, 5, 6, 7, 8])("adds a fixable finding, the same for the same seed: %i", (seed) => {
    const [first, again] = [runAndFind(demoWorld({ seed }), "audit"), runAndFind(demoWorld({ seed }), "audit")];
    expect(again).toEqual(first);
    expect(first.length).toBeGreaterThanOrEqual(1);
    expect(first.length).toBeLessThanOrEqual(4);
    expect(first[0]).toMatchObject({ kind: "finding", status: "new", fix_pr: null });
    expect(first[0]!.locations[0]!.file_path).not.toMatch(/^\.github/);
  });

  it("lists its findings in the changes of the clock", () => {
    const world = demoWorld();
    perform(
      world,
      call("POST /api/repos/{owner}/{repo}/{branch}/jobs", { params: web, body: { workflow: "audit", params: {} } }),
    );
    const kinds = advance(world, { until: "idle" }).map(({ kind, to }) => `${kind} ${to}`);
    expect(kinds).toContain("observation new");
  });

  it.each<[string, Options["run_findings"], "success" | "failure" | undefined, boolean]>([
    ["ended by time", "timed", undefined, true],
    ["ended by time where none is to find anything", "none", undefined, false],
    ["driven to success", "timed", "success", false],
    ["driven to success where driven ones find too", "always", "success", true],
    ["driven to failure", "always", "failure", false],
  ])("%s (%s)", (_, run_findings, drive, finds) => {
    expect(runAndFind(demoWorld({ options: { run_findings } }), "audit", {}, drive).length > 0).toBe(finds);
  });

  it("adds nothing to a deleted repository, and other workflows add nothing", () => {
    const world = demoWorld();
    expect(runAndFind(world, "discover")).toEqual([]); // and nothing else is under way
    perform(
      world,
      call("POST /api/repos/{owner}/{repo}/{branch}/jobs", { params: web, body: { workflow: "audit", params: {} } }),
    );
    perform(world, call("DELETE /api/repos/{owner}/{repo}/{branch}", { params: web }));
    const countBefore = Object.keys(world.observations).length;
    advance(world, { until: "idle" });
    expect(Object.keys(world.observations)).toHaveLength(countBefore);
  });
});

it("without drives an audit adds findings and a fix opens its pull request", () => {
  const world = demoWorld();
  const [finding] = runAndFind(world, "audit");
  perform(world, call("POST /api/observations/{ref}/fix", { params: { ref: finding!.ref } }));
  advance(world, { until: "idle" });
  expect(world.observations[finding!.ref]).toMatchObject({ status: "new", fix_pr: { status: "in_review" } });
});
