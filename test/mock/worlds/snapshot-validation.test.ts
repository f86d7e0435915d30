import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Mock, startMock } from "../../../src/mock/server.js";
import { findSnapshotProblem } from "../../../src/mock/worlds/snapshot-validation.js";
import { send } from "../client.js";
import { mixedTraffic } from "../replay/mixed-traffic.js";

// biome-ignore lint/suspicious/noExplicitAny: what is altered has every shape
type Json = any;

/** Tables of rows that others name, and of observations one that is. */
const tables = { workspaces: "", keys: "", repos: "", jobs: "", observations: "SERVICE-9", attempts: "" };
const ids = new Set<string>();
let mock: Mock;
let snapshot: Json;
beforeAll(async () => {
  mock = await startMock({ clock: "frozen" });
  const world = await mock.world();
  await mixedTraffic(mock, world);
  world.setClock({ clock: "frozen", skip: "off", work: "time" });
  const [repo = ""] = world.repos;
  const job = (
    await send(`POST ${mock.api_url}/api/repos/${repo}/jobs`, {
      key: world.keys.full!,
      json: { workflow: "discover", params: {} },
    })
  ).json;
  world.advance("30s");
  world.drive("finish-job", { job_id: job.id, outcome: "failure" });
  await send(`POST ${mock.api_url}/api/jobs/${job.id}/retry`, { key: world.keys.full! });
  world.advance("30s");
  world.drive("fail-verification", { on: true, retry_after: 3 });
  snapshot = JSON.parse(JSON.stringify(world.snapshot()));
  for (const table of Object.keys(tables)) for (const id of Object.keys(snapshot.world[table])) ids.add(id);
});
afterAll(() => mock.close());

/** Fields with free content of a user. */
const freePattern = /\/(params|settings|metadata|profile)(\/|$)/;
/** Fields that a world may lack. */
const optional = /\/(doc_reads|polls)$/;

/** Fields that may be null in every row. */
const nullable =
  /\/(repo_cap|outage|retry_after|requests_per_minute|dollars_per_hour|expires_at|allowed_cidrs|revoked_at|fix_pr_url|symbol|acknowledged_at|completion|url|note|attempt|fix_pr)$/;
/** Texts that may be any, where there is one. */
const texts = /\/(reopen_reason|ticket_url)$/;

/** One path for each kind of place: ids and indexes of rows count as the same. */
function places(value: Json, path: string[] = [], seen = new Map<string, string[]>()): Map<string, string[]> {
  const shape = `/${path.map((name, i) => (/^\d+$/.test(name) || getTable(path, i) ? "*" : name)).join("/")}`;
  if (!seen.has(shape) || at(seen.get(shape)!) === null) seen.set(shape, path);
  if (value !== null && typeof value === "object" && !freePattern.test(`/${path.join("/")}`))
    for (const [name, inner] of Object.entries(value)) places(inner, [...path, name], seen);
  return seen;
}

function getTable(path: string[], i: number): boolean {
  const rows = [
    "workspaces",
    "keys",
    "sessions",
    "repos",
    "jobs",
    "observations",
    "attempts",
    "rates",
    "spend",
    "submissions",
    "serials",
    "runs",
  ];
  return (i === 2 && rows.includes(path[1]!)) || (i === 3 && path[1] === "rates");
}

function at(path: string[], root: Json = snapshot): Json {
  return path.reduce((value, name) => value[name], root);
}

/** Returns the problem of the snapshot with one change. Undoes the change. */
function problemWith(path: string[], change: (parent: Json, name: string) => void) {
  const parent = at(path.slice(0, -1));
  const name = path.at(-1)!;
  const before = parent[name];
  change(parent, name);
  const problem = findSnapshotProblem(snapshot);
  parent[name] = before;
  return problem;
}

const others: Json[] = [null, true, "x?", -1.5, [0], { "?": 0 }];

describe("a snapshot", () => {
  test("is valid after any session", () => {
    expect(findSnapshotProblem(snapshot)).toBe(null);
  });

  test("is refused without any of its fields", () => {
    const passed = [...places(snapshot)].filter(
      ([shape, path]) =>
        path.length > 0 &&
        !/\*$/.test(shape) &&
        !freePattern.test(`${shape}/`.replace(/(params|settings|metadata|profile)\/$/, "")) &&
        !optional.test(shape) &&
        problemWith(path, (parent, name) => delete parent[name]) === null,
    );
    expect(passed.map(([shape]) => shape)).toEqual([]);
  });

  test("is refused with a value of another type in any field, with the place", () => {
    const passed: string[] = [];
    for (const [shape, path] of places(snapshot)) {
      if (path.length === 0) continue;
      const value = at(path);
      for (const other of others) {
        if (getKind(other) === getKind(value) || (freePattern.test(shape) && shape.split("/").length > 5)) continue;
        if ((other === null && nullable.test(shape)) || (typeof other === "string" && texts.test(shape))) continue;
        const problem = problemWith(path, (parent, name) => (parent[name] = structuredClone(other)));
        const pointer = problem?.pointer ?? "";
        if (!problem) passed.push(`${shape}: ${JSON.stringify(value)} -> ${JSON.stringify(other)}`);
        else if (!pointer.startsWith(`/${path[0]}`)) passed.push(`${shape} told at ${pointer}`);
      }
    }
    expect(passed).toEqual([]);
  });

  test("is refused with any reference to a missing row", () => {
    const names = [...places(snapshot)].filter(
      ([, path]) => typeof at(path) === "string" && ids.has(at(path)) && path.length > 2 && path.at(-1) !== "owner",
    );
    expect(names.length).toBeGreaterThan(15);
    const passedNames = names.filter(([, path]) => {
      const dangling = at(path).startsWith("SERVICE-") ? "SERVICE-999" : `${at(path)}x`;
      return problemWith(path, (parent, name) => (parent[name] = dangling)) === null;
    });
    expect(passedNames.map(([shape]) => shape)).toEqual([]);
  });

  test.each(Object.keys(tables))("is refused with a row of %s under another name, or without a referenced one", (table) => {
    const [id = ""] = Object.keys(snapshot.world[table]).filter(
      (name) => table !== "observations" || name === tables.observations,
    );
    const renamed = structuredClone(snapshot);
    renamed.world[table][`${id}x`] = renamed.world[table][id];
    delete renamed.world[table][id];
    expect(findSnapshotProblem(renamed)).not.toBe(null);
  });

  test.each<[string, string, (world: Json) => void]>([
    ["a number after the last one", "/world/repos/repo_1/serial", (world) => (world.repos.repo_1.serial = 1e6)],
    ["a count below the given numbers", "/world/observations/SERVICE-91/number", (world) => (world.serials.observation = 90)],
    ["a time in the future", "/world/repos/repo_1/created_at", (world) => (world.repos.repo_1.created_at = world.now + 1)],
    ["an old name of its repository", "/world/repos/repo_1/slug", (world) => (world.repos.repo_1.slug = "web@dev")],
    [
      "a schedule out of order",
      "/world/schedule/1/at",
      (world) => (world.schedule = [1, 0].map((n) => ({ at: world.now + n, serial: n + 1, event: "dispatch" }))),
    ],
    ["a missing option", "/world/options/work", (world) => delete world.options.work],
    ["an option with an invalid value", "/world/options/rate_window", (world) => (world.options.rate_window = "hourly")],
    ["two keys with one token", "/world/keys/key_viewer/token", (world) => (world.keys.key_viewer.token = "mock_w1_full")],
    ["a key of another world", "/world/keys/key_full/token", (world) => (world.keys.key_full.token = "mock_full")],
    [
      "an invalid network",
      "/world/keys/key_fenced/allowed_cidrs/0",
      (world) => (world.keys.key_fenced.allowed_cidrs = ["10.0.0.0/99"]),
    ],
  ])("is refused with %s, with the place", (_, pointer, alter) => {
    const copy = structuredClone(snapshot);
    alter(copy.world);
    expect(findSnapshotProblem(copy)).toMatchObject({ pointer });
  });

  test("may be edited by hand if it stays consistent", async () => {
    const copy = structuredClone(snapshot);
    const observation = copy.world.observations["SERVICE-1"];
    Object.assign(observation, { title: "Mine", priority: "P0" });
    copy.world.workspaces.acme.credit_usd = 3;
    const url = `${mock.control_url}/worlds/w1/snapshot`;
    expect((await send(`PUT ${url}`, { json: copy })).status).toBe(200);
    expect((await send(`GET ${url}`)).json).toEqual(copy);
  });

  test("that is refused changes nothing, and gives a problem with a pointer", async () => {
    const url = `${mock.control_url}/worlds/w1/snapshot`;
    const before = (await send(`GET ${url}`)).text;
    const copy = structuredClone(snapshot);
    copy.world.jobs[Object.keys(copy.world.jobs)[0]!].repo = "repo_99";
    const { status, headers, json } = await send(`PUT ${url}`, { json: copy });
    expect([status, headers["content-type"]]).toEqual([400, expect.stringContaining("application/problem+json")]);
    expect(json).toMatchObject({ status: 400, pointer: expect.stringMatching(/^\/world\/jobs\/job_\w+\/repo$/) });
    expect(json.detail).toContain("There is no repo_99 in repos.");
    expect((await send(`GET ${url}`)).text).toBe(before);
  });
});

function getKind(value: Json): string {
  return Array.isArray(value) ? "array" : value === null ? "null" : typeof value;
}
