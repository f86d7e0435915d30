import { describe, expect, test } from "vitest";
import type { RouteName } from "../../../src/contract/types.js";
import { advance } from "../../../src/service/advance.js";
import { finishJobDrive } from "../../../src/service/drives/jobs.js";
import { createObservation } from "../../../src/service/observations/observations.js";
import { perform } from "../../../src/service/perform.js";
import type { Repo, World } from "../../../src/service/world/world.js";
import { type CallParts, call, demoWorld } from "../world.js";

const triple = "/api/repos/{owner}/{repo}/{branch}";
const web = { owner: "acme", repo: "web", branch: "main" };
const unknown = { owner: "acme", repo: "nobody", branch: "main" };
const foreign = { owner: "free-co", repo: "site", branch: "main" };
const slugs = ["web@main", "api@main", "tools@main"];

const everyRoute: [RouteName, object?][] = [
  [`GET ${triple}`],
  [`DELETE ${triple}`],
  [`POST ${triple}/reset`, {}],
  [`GET ${triple}/discovery`],
  [`GET ${triple}/knowledge`],
  [`GET ${triple}/fix-prs`],
  [`GET ${triple}/forecasts`],
  [`GET ${triple}/jobs`],
  [`POST ${triple}/jobs`, { workflow: "audit", params: {} }],
];

describe("repositories", () => {
  test("are listed in the order of registration, only those of the workspace", () => {
    expect(listNames(demoWorld())).toEqual(slugs);
  });

  test("are paginated", () => {
    const world = demoWorld();
    const first = send(world, "GET /api/repos", { query: { limit: 2 } }).body;
    expect(first).toMatchObject({ data: [{ repo: "web" }, { repo: "api" }], has_more: true });
    const last = send(world, "GET /api/repos", { query: { limit: 2, cursor: first.next_cursor } }).body;
    expect(last).toMatchObject({ data: [{ repo: "tools" }], next_cursor: null, has_more: false });
  });

  test("are shown with their triple", () => {
    expect(send(demoWorld(), `GET ${triple}`, { params: web })).toMatchObject({
      status: 200,
      body: { ...web, access_mode: "installed" },
    });
  });

  test.each(everyRoute)("of another workspace, or unknown, are 404 for %s", (route, body) => {
    const world = demoWorld();
    for (const params of [unknown, foreign]) expect(send(world, route, { params, body }), params.owner).toMatchObject(notFound);
  });
});

describe("a deleted repository", () => {
  test("answers 204 once", () => {
    const world = demoWorld();
    expect(send(world, `DELETE ${triple}`, { params: web })).toMatchObject({ status: 204, body: undefined });
    expect(send(world, `DELETE ${triple}`, { params: web })).toMatchObject(notFound);
  });

  test.each(everyRoute)("is 404 for %s", (route, body) => {
    expect(send(withoutWeb(), route, { params: web, body })).toMatchObject(notFound);
  });

  test("leaves the lists with its jobs and observations, in lists read before too", () => {
    for (const seenBefore of [true, false]) {
      const world = demoWorld();
      if (seenBefore)
        for (const route of ["GET /api/repos", "GET /api/jobs", "GET /api/observations"] as const) send(world, route);
      send(world, `DELETE ${triple}`, { params: web });
      expect(listNames(world)).toEqual(["api@main", "tools@main"]);
      for (const route of ["GET /api/jobs", "GET /api/observations"] as const) {
        const rows: { repo_name: string }[] = send(world, route, { query: { limit: 200 } }).body.data;
        expect(new Set(rows.map((row) => row.repo_name)), route).toEqual(new Set(["api@main", "tools@main"]));
      }
    }
  });

  test("its jobs stay readable by id, but cannot be retried", () => {
    const world = demoWorld();
    const job = Object.values(world.jobs).find(({ status, repo_name }) => status === "failed" && repo_name === "web@main")!;
    send(world, `DELETE ${triple}`, { params: web });
    expect(send(world, "GET /api/jobs/{job_id}", { params: { job_id: job.id } })).toMatchObject({ status: 200 });
    expect(send(world, "POST /api/jobs/{job_id}/retry", { params: { job_id: job.id } })).toMatchObject(notFound);
  });

  test("its observations are not readable", () => {
    const world = demoWorld();
    const ref = Object.values(world.observations).find((row) => row.repo === getRepo(world).id)!.ref;
    expect(send(world, "GET /api/observations/{ref}", { params: { ref } }).status).toBe(200);
    send(world, `DELETE ${triple}`, { params: web });
    expect(send(world, "GET /api/observations/{ref}", { params: { ref } })).toMatchObject(notFound);
  });

  test("is empty after it is registered again", () => {
    const world = withoutWeb();
    expect(send(world, "POST /api/repos", { body: web })).toMatchObject({ status: 201 });
    expect(listNames(world)).toEqual(["api@main", "tools@main", "web@main"]);
    expect(send(world, `GET ${triple}/jobs`, { params: web }).body.data).toEqual([]);
    expect(send(world, "GET /api/observations", { query: { repo: "web@main" } }).body.data).toEqual([]);
  });

  test("is not deleted by a key whose creator may not delete", () => {
    const world = demoWorld();
    expect(send(world, `DELETE ${triple}`, { as: "no_delete", params: web })).toMatchObject({ status: 403 });
    expect(listNames(world)).toEqual(slugs);
  });
});

describe("a reset", () => {
  const flags: { flags: object | undefined; drops: string[] }[] = [
    { flags: undefined, drops: [] },
    { flags: {}, drops: [] },
    { flags: { findings: false, wipe: false }, drops: [] },
    { flags: { findings: true }, drops: ["findings"] },
    { flags: { suggestions: true }, drops: ["suggestions"] },
    { flags: { history: true }, drops: ["jobs"] },
    { flags: { findings: true, history: true }, drops: ["findings", "jobs"] },
    { flags: { wipe: true, findings: false }, drops: ["findings", "suggestions", "advisories", "jobs", "discovery_files"] },
  ];

  test.each(flags)("with $flags deletes only $drops", ({ flags, drops }) => {
    const world = demoWorld();
    const before = getCounts(world);
    const others = getCounts(world, "api");
    const response = send(world, `POST ${triple}/reset`, { params: web, body: flags });
    const dropped = Object.entries(before).map(([name, count]) => [name, drops.includes(name) ? count : 0]);
    expect(response).toMatchObject({ status: 200, body: { repo_name: "web@main", dropped: Object.fromEntries(dropped) } });
    for (const [name, count] of Object.entries(getCounts(world)))
      expect(count, name).toBe(drops.includes(name) ? 0 : before[name as Kind]);
    expect(getCounts(world, "api")).toEqual(others);
  });

  test("changes lists that were read before", () => {
    const world = demoWorld();
    const query = { repo: "web@main", kind: "finding" };
    expect(send(world, "GET /api/observations", { query }).body.data).not.toEqual([]);
    send(world, `POST ${triple}/reset`, { params: web, body: { findings: true, history: true } });
    expect(send(world, "GET /api/observations", { query }).body.data).toEqual([]);
    const statuses = send(world, `GET ${triple}/jobs`, { params: web }).body.data.map((job: { status: string }) => job.status);
    expect(statuses.filter((status: string) => status !== "pending" && status !== "running")).toEqual([]);
  });

  test("of everything keeps a job in flight", () => {
    const world = demoWorld();
    const { id } = send(world, `POST ${triple}/jobs`, {
      params: web,
      body: { workflow: "audit", params: { paths: ["src"] } },
    }).body;
    send(world, `POST ${triple}/reset`, { params: web, body: { wipe: true } });
    advance(world, { until: "idle" });
    expect(send(world, "GET /api/jobs/{job_id}", { params: { job_id: id } })).toMatchObject({
      status: 200,
      body: { status: "completed" },
    });
  });

  test("of the history lets an identical submission start a new job", () => {
    const world = demoWorld();
    const submission = { params: web, body: { workflow: "audit", params: { paths: ["src"] } } };
    const { id } = send(world, `POST ${triple}/jobs`, submission).body;
    finishJobDrive.run(world, { job_id: id, outcome: "success" });
    expect(send(world, `POST ${triple}/jobs`, submission)).toMatchObject({ status: 200, body: { id } });
    send(world, `POST ${triple}/reset`, { params: web, body: { history: true } });
    expect(send(world, `POST ${triple}/jobs`, submission)).toMatchObject({ status: 201 });
    advance(world, { until: "idle" });
  });

  test("refuses a flag that is not a boolean", () => {
    expect(send(demoWorld(), `POST ${triple}/reset`, { params: web, body: { wipe: "yes" } })).toMatchObject({ status: 422 });
  });
});

describe("the knowledge of a repository", () => {
  test("includes discovery files, paginated", () => {
    const world = demoWorld();
    const first = send(world, `GET ${triple}/discovery`, { params: web, query: { limit: 2 } }).body;
    expect(first).toMatchObject({ data: [{ path: "discovery/overview.md" }, { path: "discovery/build.md" }], has_more: true });
    const last = send(world, `GET ${triple}/discovery`, { params: web, query: { limit: 2, cursor: first.next_cursor } }).body;
    expect(last).toMatchObject({ data: [{ path: "discovery/risks.md" }], next_cursor: null, has_more: false });
    const elsewhere = { params: { ...web, repo: "api" }, query: { cursor: first.next_cursor } };
    expect(send(world, `GET ${triple}/discovery`, elsewhere)).toMatchObject({
      status: 400,
      body: { error: { code: "invalid_cursor" } },
    });
  });

  test("includes a knowledge bundle with four parts", () => {
    const { body } = send(demoWorld(), `GET ${triple}/knowledge`, { params: web });
    expect(Object.keys(body)).toEqual(["profile", "principles", "conventions", "open_directives"]);
  });
});

describe("the fix PR lane", () => {
  test.each([
    { status: "in_review", shown: true },
    { status: "revising", shown: true },
    { status: "merged", shown: true },
    { status: "closed", shown: false },
  ] as const)("of a fix PR that is $status shows it: $shown", ({ status, shown }) => {
    const world = demoWorld();
    const { ref } = createObservation(world, getRepo(world, "tools"), {
      title: "Shell injection",
      fix_pr: { url: "https://code.example/1", status },
    });
    const { data } = send(world, `GET ${triple}/fix-prs`, { params: { ...web, repo: "tools" } }).body;
    const entry = { ref, title: "Shell injection", pr_url: "https://code.example/1", status };
    if (shown) expect(data).toContainEqual(entry);
    else expect(data.map((row: { ref: string }) => row.ref)).not.toContain(ref);
  });
});

const notFound = { status: 404, body: { error: { code: "not_found" } } };
type Kind = keyof ReturnType<typeof getCounts>;

function send(world: World, route: RouteName, parts: CallParts = {}) {
  const { status, body } = perform(world, call(route, parts));
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers of every shape
  return { status, body: body as any };
}

function withoutWeb(): World {
  const world = demoWorld();
  send(world, `DELETE ${triple}`, { params: web });
  return world;
}

function listNames(world: World): string[] {
  return send(world, "GET /api/repos").body.data.map((repo: { repo_name: string }) => repo.repo_name);
}

function getRepo(world: World, name = "web"): Repo {
  return Object.values(world.repos).find((repo) => repo.owner === "acme" && repo.repo === name)!;
}

function getCounts(world: World, name = "web") {
  const repo = getRepo(world, name);
  const observations = Object.values(world.observations).filter((row) => row.repo === repo.id);
  return {
    findings: observations.filter((row) => row.kind === "finding").length,
    suggestions: observations.filter((row) => row.kind === "suggestion").length,
    advisories: observations.filter((row) => row.kind === "advisory").length,
    jobs: Object.values(world.jobs).filter((job) => job.repo === repo.id && job.finished_at !== null).length,
    discovery_files: repo.discovery.length,
  };
}
