import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { JobRow, KeyRow, ObservationRow, RowPage, WorldState } from "../../../src/mock/control/state.js";
import { type Mock, startMock } from "../../../src/mock/server.js";
import { send } from "../client.js";

let mock: Mock;
let here: string;

beforeAll(async () => {
  mock = await startMock({ clock: "frozen" });
  here = `${mock.control_url}/worlds/default/state`;
});
afterAll(() => mock.close());

const read = async <Value>(path: string) => (await send(`GET ${here}${path}`)).json as Value;
const viewer = async () => (await read<RowPage<KeyRow>>("/keys")).rows.find(({ name }) => name === "viewer")!;

describe("the state of a world", () => {
  it("has counts that equal its rows", async () => {
    const { jobs, observations, schedule } = await read<WorldState>("");
    const { rows } = (await send(`GET ${mock.control_url}/worlds/default`)).json;
    const sum = (counts: Record<string, number>) => Object.values(counts).reduce((all, one) => all + one, 0);
    expect([sum(jobs), sum(observations)]).toEqual([rows.jobs, rows.observations]);
    expect(schedule[0]).toMatchObject({ at: "2026-01-05T09:00:30.000Z", event: "dispatch" });
  });

  it("has pages, newest first, with each row once, and a filter by status", async () => {
    const { jobs, observations } = await read<WorldState>("");
    const observationRows: ObservationRow[] = [];
    for (let after: string | null = ""; after !== null; ) {
      const page: RowPage<ObservationRow> = await read(`/observations?limit=100${after && `&after=${after}`}`);
      observationRows.push(...page.rows);
      after = page.next;
    }
    expect(new Set(observationRows.map(({ ref }) => ref)).size).toBe(
      Object.values(observations).reduce((all, one) => all + one, 0),
    );
    const times = observationRows.map(({ created_at }) => created_at);
    expect(times).toEqual(times.toSorted().reverse());
    const rowPage = await read<RowPage<JobRow>>("/jobs?status=failed");
    expect(rowPage).toMatchObject({ total: jobs.failed, next: null });
    expect(rowPage.rows.every(({ status }) => status === "failed")).toBe(true);
  });

  it("finds rows by a text in any field, and sorts all of them before it cuts a page", async () => {
    const found = await read<RowPage<ObservationRow>>("/observations?search=COOKIE&limit=200");
    expect(found.rows.map(({ ref }) => ref)).toContain("SERVICE-1");
    expect(found.rows.every((row) => JSON.stringify(row).toLowerCase().includes("cookie"))).toBe(true);
    expect((await read<RowPage<ObservationRow>>("/observations?search=service-38")).rows[0]).toMatchObject({ ref: "SERVICE-38" });
    const { total } = await read<RowPage<ObservationRow>>("/observations?search=acme/web/main&limit=1");
    expect(total).toBeGreaterThan(1);
    const all = await read<RowPage<ObservationRow>>("/observations?limit=200");
    for (const [order, last] of [
      ["sort=ref", 1],
      ["sort=ref&descending=true", all.total],
    ] as const) {
      const [first] = (await read<RowPage<ObservationRow>>(`/observations?${order}&limit=1`)).rows;
      expect(first!.ref).toBe(`SERVICE-${last}`);
    }
    const titles = (await read<RowPage<ObservationRow>>("/observations?sort=title&limit=200")).rows.map(({ title }) => title);
    expect(titles).toEqual(titles.toSorted());
  });

  it("shows the scopes, networks and expiry of a key", async () => {
    const { rows } = await read<RowPage<KeyRow>>("/keys?limit=200");
    const keys = new Map(rows.map((row) => [row.name, row]));
    expect(keys.get("viewer")).toMatchObject({
      scopes: ["view_repositories", "view_jobs"],
      allowed_cidrs: null,
      expires_at: null,
    });
    expect(keys.get("fenced")!.allowed_cidrs).toEqual(["203.0.113.0/24"]);
    expect(keys.get("expired")!.expires_at).toMatch(/^2026-01-0/);
  });

  it("shows the level of each bucket of a key, and when its window ends", async () => {
    await send(`GET ${mock.api_url}/api/jobs`, { key: "mock_viewer" });
    await send(`GET ${mock.api_url}/api/repos`, { key: "mock_viewer" });
    const held = ({ buckets }: KeyRow) => buckets.filter(({ used }) => used > 0);
    const freesAt = "2026-01-05T09:01:00.000Z";
    expect(held(await viewer())).toEqual([
      { bucket: "plan", requests_per_minute: 3000, used: 2, frees_at: freesAt },
      { bucket: "list_repos", requests_per_minute: 60, used: 1, frees_at: freesAt },
    ]);
    mock.advance("1m");
    expect(held(await viewer())).toEqual([]);
  });

  it("shows each key by its id, and whether it is still valid", async () => {
    const { rows } = await read<RowPage<KeyRow>>("/keys?limit=200");
    const dead = rows.filter((row) => row.dead !== null).map(({ id, dead: why }) => `${id}: ${why}`);
    expect(dead).toEqual(["key_expired: expired", "key_revoked: revoked", "key_suspended: suspended"]);
    expect(JSON.stringify(rows)).not.toContain("mock_");
  });

  it.each([
    ["an unknown status", "/jobs?status=done", "status"],
    ["a page after the last row", "/jobs?after=job_x", "after"],
    ["a page of unlimited size", "/observations?limit=100000", "limit"],
    ["an unknown order", "/jobs?sort=cost", "sort"],
    ["another filter", "/keys?status=dead", "status"],
  ])("refuses %s, and names the field", async (_, path, field) => {
    expect((await send(`GET ${here}${path}`)).json).toMatchObject({ status: 400, field });
  });

  it("lists every event with arguments that this world accepts", async () => {
    const { events } = (await send(`GET ${mock.control_url}/worlds/default/drive`)).json;
    const { event, examples } = events.find((row: { event: string }) => row.event === "push-commit");
    const [args] = Object.values(examples);
    expect((await send(`POST ${mock.control_url}/worlds/default/drive/${event}`, { json: args })).status).toBe(200);
  });
});
