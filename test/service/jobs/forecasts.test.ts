import { describe, expect, test } from "vitest";
import { estimateForecast } from "../../../src/service/jobs/forecasts.js";
import { createJob, dispatch, finishJob } from "../../../src/service/jobs/jobs.js";
import { perform } from "../../../src/service/perform.js";
import { createRepo } from "../../../src/service/repositories/repos.js";
import type { Repo, World } from "../../../src/service/world/world.js";
import { type CallParts, call, demoWorld } from "../world.js";

const lookup = "GET /api/forecasts/lookup";
const list = "GET /api/repos/{owner}/{repo}/{branch}/forecasts";

describe("a forecast", () => {
  test("without runs uses the workflow's profile ± 20 %, with low confidence", () => {
    const world = demoWorld();
    world.runs.publish = { seconds: 100, cost_usd: 2 };
    expect(estimateForecast(world, "acme", [quietRepo(world)], "publish")).toEqual({
      cost_low: 1.6,
      cost_mid: 2,
      cost_high: 2.4,
      duration_low: 80,
      duration_mid: 100,
      duration_high: 120,
      sample_size: 0,
      confidence: "low",
    });
  });

  test.each([
    { took: [50], duration: [50, 50, 50], confidence: "low" },
    { took: [30, 10], duration: [10, 20, 30], confidence: "low" },
    { took: [30, 10, 25], duration: [10, 25, 30], confidence: "medium" },
    { took: [9, 8, 7, 6, 5, 4, 3, 2, 1], duration: [1, 5, 9], confidence: "medium" },
    { took: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10], duration: [1, 5.5, 10], confidence: "high" },
  ])(
    "of runs that took $took s is their least, median and most: $duration, confidence $confidence",
    ({ took, duration, confidence }) => {
      const world = demoWorld();
      const repo = quietRepo(world);
      for (const seconds of took) runOnce(world, repo, seconds);
      const { duration_low, duration_mid, duration_high, cost_low, cost_mid, cost_high, ...rest } = estimateForecast(
        world,
        "acme",
        [repo],
        "publish",
      );
      expect([duration_low, duration_mid, duration_high]).toEqual(duration);
      expect([cost_low, cost_mid, cost_high]).toEqual(duration.map((seconds) => seconds / 10));
      expect(rest).toEqual({ sample_size: took.length, confidence });
    },
  );

  test("uses only the newest 50 completed runs of its workflow and repository", () => {
    const world = demoWorld();
    const repo = quietRepo(world);
    for (let i = 0; i < 10; i++) runOnce(world, repo, 1000);
    for (let i = 0; i < 50; i++) runOnce(world, repo, 10);
    runOnce(world, repo, 5000, "failure");
    runOnce(world, repo, 5000, "success", "review");
    runOnce(world, quietRepo(world, "louder"), 5000);
    expect(estimateForecast(world, "acme", [repo], "publish")).toMatchObject({
      duration_low: 10,
      duration_high: 10,
      sample_size: 50,
    });
  });

  test("does not use runs of the next workflow in the contract", () => {
    const world = demoWorld();
    const repo = quietRepo(world);
    runOnce(world, repo, 10, "success", "review");
    runOnce(world, repo, 5000);
    expect(estimateForecast(world, "acme", [repo], "review")).toMatchObject({ duration_high: 10, sample_size: 1 });
  });

  test("changes after a later run ends", () => {
    const world = demoWorld();
    const repo = quietRepo(world);
    expect(estimateForecast(world, "acme", [repo], "publish").sample_size).toBe(0);
    runOnce(world, repo, 10);
    expect(estimateForecast(world, "acme", [repo], "publish").sample_size).toBe(1);
  });
});

describe("the lookup", () => {
  test("estimates the workspace without a repository", () => {
    const world = demoWorld();
    const [one, other] = [quietRepo(world), quietRepo(world, "louder")];
    runOnce(world, one, 1, "success", "revalidate");
    runOnce(world, other, 9999, "success", "revalidate");
    expect(ask(world, { workflow: "revalidate" })).toMatchObject({ status: 200, body: { duration_low: 1, duration_high: 9999 } });
    expect(ask(world, { workflow: "revalidate", repo_name: other.slug }).body).toMatchObject({
      duration_low: 9999,
      sample_size: 1,
    });
  });

  test("combines the repositories of two owners with equal slugs", () => {
    const world = demoWorld();
    runOnce(world, quietRepo(world, "twin", "acme"), 10);
    runOnce(world, quietRepo(world, "twin", "other"), 30);
    expect(ask(world, { workflow: "publish", repo_name: "twin@main" }).body).toMatchObject({
      duration_low: 10,
      duration_high: 30,
    });
  });

  test.each([
    { why: "no workflow", query: {}, status: 422, code: "invalid_payload" },
    { why: "a workflow that nobody knows", query: { workflow: "dance" }, status: 422, code: "invalid_payload" },
    { why: "a name that every object has", query: { workflow: "toString" }, status: 422, code: "invalid_payload" },
    { why: "a retired workflow", query: { workflow: "mini_audit" }, status: 422, code: "invalid_payload" },
    { why: "a value that is not a slug", query: { workflow: "audit", repo_name: "web" }, status: 422, code: "invalid_payload" },
    {
      why: "a slug that nobody registered",
      query: { workflow: "audit", repo_name: "none@main" },
      status: 404,
      code: "not_found",
    },
    { why: "another workspace's slug", query: { workflow: "audit", repo_name: "lab@main" }, status: 404, code: "not_found" },
  ])("refuses $why: $status", ({ query, status, code }) => {
    expect(ask(demoWorld(), query)).toMatchObject({ status, body: { error: { code } } });
  });

  test("accepts a key with any scopes", () => {
    expect(ask(demoWorld(), { workflow: "audit" }, "triage").status).toBe(200);
  });
});

describe("a repository's forecasts", () => {
  const params = { owner: "acme", repo: "web", branch: "main" };

  test("have one row for each workflow that the workspace may submit", () => {
    const { data, has_more } = read(demoWorld(), { params });
    expect(has_more).toBe(false);
    expect(data.map((row) => row.workflow)).toEqual([
      "standard_audit",
      "audit",
      "discover",
      "revalidate",
      "review",
      "fix",
      "publish",
    ]);
    for (const row of data) {
      expect(row.cost_low).toBeLessThanOrEqual(row.cost_mid as number);
      expect(row.cost_mid).toBeLessThanOrEqual(row.cost_high as number);
      expect(row.duration_low).toBeLessThanOrEqual(row.duration_mid as number);
      expect(row.duration_mid).toBeLessThanOrEqual(row.duration_high as number);
    }
  });

  test("are fewer on Free and more with a beta", () => {
    const names = (as: string, owner: string, repo: string) =>
      read(demoWorld(), { as, params: { owner, repo, branch: "main" } }).data.map((row) => row.workflow);
    expect(names("free", "free-co", "site")).toEqual(["standard_audit", "audit", "discover", "review", "fix"]);
    expect(names("beta", "beta-co", "lab")).toEqual(expect.arrayContaining(["task", "suggest"]));
  });

  test("are paginated", () => {
    const world = demoWorld();
    const first = read(world, { params, query: { limit: 6 } });
    expect(first.has_more).toBe(true);
    const last = read(world, { params, query: { limit: 6, cursor: first.next_cursor! } });
    expect(last).toMatchObject({ data: [{ workflow: "publish" }], next_cursor: null, has_more: false });
  });
});

interface Page {
  data: Record<string, unknown>[];
  next_cursor: string | null;
  has_more: boolean;
}

function ask(world: World, query: Record<string, string>, as = "full") {
  return perform(world, call(lookup, { as, query }));
}

function read(world: World, parts: CallParts): Page {
  return perform(world, call(list, parts)).body as Page;
}

function quietRepo(world: World, repo = "quiet", owner = "acme"): Repo {
  return createRepo(world, { workspace: "acme", owner, repo, branch: "main" });
}

/** Runs one job of a given length that costs 0.10 dollars a second. */
function runOnce(
  world: World,
  repo: Repo,
  seconds: number,
  outcome: "success" | "failure" = "success",
  workflow: "publish" | "review" | "revalidate" = "publish",
) {
  const job = createJob(world, { repo, workflow, params: {} });
  job.cost_usd = seconds / 10;
  dispatch(world, job);
  world.now += seconds * 1000;
  finishJob(world, job, outcome);
}
