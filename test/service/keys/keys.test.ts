import { describe, expect, test } from "vitest";
import { advance } from "../../../src/service/advance.js";
import { revokeKey } from "../../../src/service/keys/keys.js";
import { perform } from "../../../src/service/perform.js";
import type { Key, World } from "../../../src/service/world/world.js";
import { type CallParts, call, demoWorld } from "../world.js";

const day = 86_400_000;

interface Created {
  key_id: string;
  key: string;
  [field: string]: unknown;
}

describe("a new key", () => {
  test("has by default two view scopes, no ceiling, no expiry and no allowed networks", () => {
    const world = demoWorld();
    const { status, body } = create(world);
    expect(status).toBe(201);
    expect(body).toMatchObject({
      scopes: ["view_repositories", "view_jobs"],
      requests_per_minute: null,
      dollars_per_hour: null,
      expires_at: null,
      allowed_cidrs: null,
    });
  });

  test("has all the fields that it was created with", () => {
    const world = demoWorld();
    const wanted = {
      name: "ci",
      scopes: ["view_jobs", "submit_audit_jobs"],
      requests_per_minute: 7,
      dollars_per_hour: 2.5,
      expires_at: "2026-03-01T12:00:00+02:00",
      allowed_cidrs: ["203.0.113.0/24", "192.0.2.7", "2001:db8::/32", "::1"],
    };
    expect(create(world, { body: wanted })).toMatchObject({
      status: 201,
      body: { ...wanted, expires_at: "2026-03-01T10:00:00.000Z" },
    });
  });

  test.each([
    ["2026-03-01T10:00:00", "2026-03-01T10:00:00.000Z"],
    ["2026-03-01T10:00:00.123456Z", "2026-03-01T10:00:00.123Z"],
    ["20260301T100000Z", "2026-03-01T10:00:00.000Z"],
    ["2026-03-01T10", "2026-03-01T10:00:00.000Z"],
    ["2026-03", "2026-03-01T00:00:00.000Z"],
  ])("accepts an expiry in ISO 8601: %s", (expires_at, shown) => {
    expect(create(demoWorld(), { body: { expires_at } })).toMatchObject({ status: 201, body: { expires_at: shown } });
  });

  test("works, and acts only in its workspace", () => {
    const world = demoWorld();
    const { key } = create(world).body;
    const asked = (params: Record<string, string>) =>
      perform(world, { ...call("GET /api/repos/{owner}/{repo}/{branch}", { params }), authorization: `Bearer ${key}` }).status;
    expect(asked({ owner: "acme", repo: "web", branch: "main" })).toBe(200);
    expect(asked({ owner: "free-co", repo: "site", branch: "main" })).toBe(404);
  });

  test.each(["owner", "admin"])("of the %s may delete repositories, as its creator may", (session) => {
    const world = demoWorld();
    const { key } = create(world, { session, body: { scopes: ["manage_repos"] } }).body;
    const web = { owner: "acme", repo: "web", branch: "main" };
    const remove = { ...call("DELETE /api/repos/{owner}/{repo}/{branch}", { params: web }), authorization: `Bearer ${key}` };
    expect(perform(world, remove).status).toBe(204);
  });

  test("contains the id of its world, and its key_id does not reveal it", () => {
    const { key, key_id } = create(demoWorld()).body;
    expect(key).toMatch(/^mock_[0-9a-z]{24}$/);
    expect(key).not.toContain(key_id.replace("key_", ""));
    const otherWorld = demoWorld({ id: "w7" });
    const session = call("POST /api/keys", { session: "w7_owner", body: {} });
    expect((perform(otherWorld, session).body as Created).key).toMatch(/^mock_w7_[0-9a-z]{24}$/);
  });

  test.each([
    { who: "a key", parts: { as: "full" }, status: 403 },
    { who: "a member", parts: { session: "member" }, status: 403 },
    { who: "nobody", parts: { as: null }, status: 401 },
  ])("is refused to $who", ({ parts, status }) => {
    expect(perform(demoWorld(), call("POST /api/keys", { ...parts, body: {} })).status).toBe(status);
  });

  const perField = true;
  test.each([
    { body: { requests_per_minute: 0 }, perField },
    { body: { requests_per_minute: 1.5 }, perField },
    { body: { requests_per_minute: "5" }, perField },
    { body: { dollars_per_hour: 0 }, perField },
    { body: { dollars_per_hour: -1 }, perField },
    { body: { scopes: ["fly"] }, perField },
    { body: { expires_at: "tomorrow" }, perField },
    { body: { allowed_cidrs: "10.0.0.0/8" }, perField },
    { body: { expires_at: "2026-01-05T08:59:59Z" }, perField: false },
    { body: { expires_at: "2026-01-05T09:00:00Z" }, perField: false },
    { body: { allowed_cidrs: ["10.0.0.0/8", "10.0.0.0/33"] }, perField: false },
    { body: { allowed_cidrs: ["example.org"] }, perField: false },
    { body: { allowed_cidrs: ["10.1"] }, perField: false },
  ])("is refused with $body: 422, per field $perField", ({ body, perField }) => {
    const world = demoWorld();
    const before = Object.keys(world.keys);
    const response = create(world, { body });
    expect(response).toMatchObject({ status: 422, body: { error: { type: "validation_error", code: "invalid_payload" } } });
    expect("errors" in (response.body.error as object)).toBe(perField);
    expect(Object.keys(world.keys)).toEqual(before);
  });
});

describe("the number of live keys", () => {
  test("is at most 25: expired, revoked and other workspaces' keys do not count", () => {
    const world = demoWorld();
    const liveKeys = Object.values(world.keys).filter(
      (key) => key.workspace === "acme" && !["expired", "revoked"].includes(key.name),
    );
    for (let i = liveKeys.length; i < 25; i++) expect(create(world).status).toBe(201);
    expect(create(world)).toMatchObject({ status: 409, body: { error: { type: "conflict", code: "key_limit_reached" } } });
    revokeKey(world, liveKeys[0] as Key);
    expect(create(world, { body: { expires_at: "2026-01-05T10:00:00Z" } }).status).toBe(201);
    expect(create(world).status).toBe(409);
    advance(world, { to: world.now + day });
    expect(create(world).status).toBe(201);
  });
});

describe("the warning before a key expires", () => {
  const week = 7 * day;
  test.each([
    { life: week + 1000, mails: 1 },
    { life: 30 * day, mails: 1 },
    { life: week, mails: 0 },
    { life: day, mails: 0 },
  ])("of a key living $life ms is sent $mails times, 7 days ahead", ({ life, mails }) => {
    const world = demoWorld();
    const { key_id } = create(world, { body: { expires_at: new Date(world.now + life).toISOString() } }).body;
    const warned = () => world.mails.filter((mail) => mail.to.includes(key_id)).length;
    const end = world.now + life;
    advance(world, { to: Math.max(world.now, end - week - 1) });
    expect(warned()).toBe(0);
    advance(world, { to: end + day });
    expect(warned()).toBe(mails);
  });

  test("is not sent for a key that was revoked", () => {
    const world = demoWorld();
    const { key_id } = create(world, { body: { expires_at: new Date(world.now + 30 * day).toISOString() } }).body;
    revokeKey(world, world.keys[key_id]!);
    advance(world, { to: world.now + 40 * day });
    expect(world.mails.filter((mail) => mail.to.includes(key_id))).toEqual([]);
  });
});

describe("tightening a key", () => {
  const had = { scopes: ["view_jobs", "register_repo"], requests_per_minute: 10, dollars_per_hour: 5 };

  test.each([
    { change: {}, becomes: {} },
    { change: { requests_per_minute: 9 }, becomes: { requests_per_minute: 9 } },
    { change: { requests_per_minute: 10, dollars_per_hour: 5 }, becomes: {} },
    { change: { dollars_per_hour: 0.5 }, becomes: { dollars_per_hour: 0.5 } },
    { change: { scopes: ["view_jobs"] }, becomes: { scopes: ["view_jobs"] } },
    { change: { scopes: [] }, becomes: { scopes: [] } },
  ])("accepts $change", ({ change, becomes }) => {
    const world = demoWorld();
    const { key_id, key } = create(world, { body: had }).body;
    const response = patch(world, key_id, change);
    expect(response).toMatchObject({ status: 200, body: { key_id, ...had, ...becomes } });
    expect(JSON.stringify(response.body)).not.toContain(key);
  });

  test("sets a ceiling on a key without one, and enforces it", () => {
    const world = demoWorld();
    const { key_id, key } = create(world).body;
    expect(patch(world, key_id, { requests_per_minute: 1 })).toMatchObject({ status: 200, body: { requests_per_minute: 1 } });
    const listing = { ...call("GET /api/jobs"), authorization: `Bearer ${key}` };
    expect([perform(world, listing).status, perform(world, listing).status]).toEqual([200, 429]);
  });

  test.each([
    { change: { requests_per_minute: 11 } },
    { change: { dollars_per_hour: 5.01 } },
    { change: { requests_per_minute: null } },
    { change: { dollars_per_hour: null } },
    { change: { scopes: ["view_jobs", "view_repositories"] } },
    { change: { expires_at: "2026-02-01T00:00:00Z" } },
    { change: { expires_at: null } },
    { change: { allowed_cidrs: ["10.0.0.0/8"] } },
    { change: { requests_per_minute: 5, dollars_per_hour: 6 } },
  ])("refuses $change with 400 and changes nothing", ({ change }) => {
    const world = demoWorld();
    const { key_id } = create(world, { body: had }).body;
    const keyBefore = structuredClone(world.keys[key_id]);
    const refused = { status: 400, body: { error: { type: "invalid_request_error", code: "bad_request" } } };
    expect(patch(world, key_id, change)).toMatchObject(refused);
    expect(world.keys[key_id]).toEqual(keyBefore);
  });

  test("refuses to clear a ceiling that was never set", () => {
    const world = demoWorld();
    expect(patch(world, create(world).body.key_id, { requests_per_minute: null }).status).toBe(400);
  });

  test.each(["key_nobody", "key_free", "toString"])("of %s is 404: unknown, or of another workspace", (keyId) => {
    expect(patch(demoWorld(), keyId, {})).toMatchObject({ status: 404, body: { error: { code: "not_found" } } });
  });

  test("refuses a caller with a key", () => {
    const parts = { as: "full", params: { key_id: "key_slow" }, body: { requests_per_minute: 1 } };
    expect(perform(demoWorld(), call("PATCH /api/keys/{key_id}", parts)).status).toBe(403);
  });
});

function create(world: World, parts: CallParts = {}): { status: number; body: Created } {
  const { status, body } = perform(world, call("POST /api/keys", { session: "owner", ...parts }));
  return { status, body: body as Created };
}

function patch(world: World, keyId: string, body: object) {
  return perform(world, call("PATCH /api/keys/{key_id}", { session: "admin", params: { key_id: keyId }, body }));
}
