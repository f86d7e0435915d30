import { Ajv2020 } from "ajv/dist/2020.js";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { readSpec } from "../../../src/contract/load.js";
import { endpoints } from "../../../src/mock/control/endpoints.js";
import type { IsolatedWorld } from "../../../src/mock/in-process/mock-world.js";
import { type Mock, startMock } from "../../../src/mock/server.js";
import { drives } from "../../../src/service/drives/index.js";
import { send } from "../client.js";

let mock: Mock;
let world: IsolatedWorld;
let here: string;

beforeAll(async () => {
  mock = await startMock({ clock: "frozen" });
});
afterAll(() => mock.close());
beforeEach(async () => {
  world = await mock.world();
  here = `${mock.control_url}/worlds/${world.id}`;
});

const call = (path: string) => send(`GET ${mock.api_url}${path}`, { key: world.keys.full });
const submit = (workflow: string) =>
  send(`POST ${mock.api_url}/api/repos/${world.repos[0]}/jobs`, { key: world.keys.full, json: { workflow, params: {} } });

describe("the control plane", () => {
  it("returns its health, and the catalogue with the header that forces each code", async () => {
    expect((await send(`GET ${mock.control_url}/health`)).json.status).toBe("ok");
    const { errors } = (await send(`GET ${mock.control_url}/errors`)).json;
    const row = errors.find((error: { code: string }) => error.code === "repo_already_registered");
    expect(row).toMatchObject({ type: "conflict", status: 409, prefer: "code=409, error=repo_already_registered" });
    expect(row.description).toMatch(/\w+ \w+/);
  });

  it("describes itself as a valid target file, with an event for each hook and the current addresses", async () => {
    const target = (await send(`GET ${mock.control_url}/target`)).json;
    const ajv = new Ajv2020({ strict: false });
    expect(ajv.validate(readSpec("schema/target.json") as object, target), JSON.stringify(ajv.errors)).toBe(true);
    expect(target).toMatchObject({
      base_url: mock.api_url,
      keys: { full: { value: "mock_full" } },
      sessions: { owner: { value: "session=owner" } },
    });
    expect(Object.keys(target.drive).sort()).toEqual(Object.keys(drives).sort());
  });

  const mistakes: [string, string, object, number, RegExp][] = [
    ["an unknown path", "GET /nowhere", {}, 404, /no such path/],
    ["a wrong method", "PATCH /health", {}, 405, /PATCH/],
    ["an unknown world", "GET /worlds/w999", {}, 404, /w999/],
    ["a body that is not JSON", "POST /worlds", { body: "{" }, 400, /not JSON/],
    ["an unknown key", "POST /worlds", { json: { sead: 1 } }, 400, /no option 'sead'; nearest: seed/],
    ["a file as fixture", "POST /worlds", { json: { fixture: "/etc/passwd" } }, 400, /fixture/],
    ["an unknown event", "POST /worlds/default/drive/explode", { json: {} }, 400, /explode/],
    ["an event's missing argument", "POST /worlds/default/drive/finish-job", { json: {} }, 400, /job_id/],
    [
      "an event that cannot happen",
      "POST /worlds/default/drive/finish-job",
      { json: { job_id: "job_x", outcome: "success" } },
      400,
      /job_x/,
    ],
    [
      "two moves of the clock at once",
      "POST /worlds/default/clock/advance",
      { json: { by: "1s", until: "idle" } },
      400,
      /properties/,
    ],
    ["an invalid duration", "POST /worlds/default/clock/advance", { json: { by: "soon" } }, 400, /soon/],
    [
      "a time that has passed",
      "POST /worlds/default/clock/advance",
      { json: { to: "2001-01-01T00:00:00Z" } },
      400,
      /moves only forward/,
    ],
    ["a time beyond the calendar", "POST /worlds/default/clock/advance", { json: { by: "99999999d" } }, 400, /9999/],
    ["a mode the clock does not have", "POST /worlds/default/clock", { json: { mode: "fast" } }, 400, /mode/],
    [
      "a fault on an unknown route",
      "POST /worlds/default/faults",
      { json: { on: "GET /api/job", status: 500 } },
      400,
      /GET \/api\/job'/,
    ],
    ["a fault without effect", "POST /worlds/default/faults", { json: { on: "GET /api/jobs" } }, 400, /Give an effect/],
    [
      "a fault with two counts",
      "POST /worlds/default/faults",
      { json: { on: "GET /api/jobs", status: 500, first: 1, nth: 2 } },
      400,
      /one of/,
    ],
    ["an unknown fault", "DELETE /worlds/default/faults/fault_9", {}, 404, /fault_9/],
    ["an unknown journal filter", "GET /worlds/default/journal?rout=x", {}, 400, /'rout'/],
    [
      "a bucket of an unknown key",
      "PUT /worlds/default/buckets",
      { json: { key: "key_x", bucket: "plan", used: 1 } },
      400,
      /key_x/,
    ],
    ["an unknown bucket", "PUT /worlds/default/buckets", { json: { key: "key_full", bucket: "pail", used: 1 } }, 400, /pail/],
    ["an invalid snapshot", "PUT /worlds/default/snapshot", { json: { snapshot: 1, world: {} } }, 400, /missing/],
    ["deleting the default world", "DELETE /worlds/default", {}, 409, /default/],
  ];
  it.each(mistakes)("refuses %s: %s", async (_, line, sent, status, description) => {
    const [method, path] = line.split(" ");
    const response = await send(`${method} ${mock.control_url}${path}`, sent);
    expect(response.status).toBe(status);
    expect(response.json.error.message).toMatch(description);
  });

  const noEndpoint = { on: "PUT /worlds/{id}/faults/snapshot", limit: undefined };
  it.each([...endpoints.filter(({ body }) => body), noEndpoint])(
    "refuses a body above the limit of $on",
    async ({ on, limit }) => {
      const [method, path] = on.replace("{id}", "default").replace("{event}", "find").split(" ");
      const max = limit?.maxBytes ?? 1_048_576;
      expect(max).toBeLessThanOrEqual(2_097_152);
      const response = await send(`${method} ${mock.control_url}${path}`, { body: `{}${" ".repeat(max - 1)}` });
      expect([response.status, response.json.detail]).toEqual([413, expect.stringContaining(`larger than ${max} bytes`)]);
    },
  );

  it("lists the allowed names", async () => {
    const response = await send(`POST ${mock.control_url}/worlds/default/drive/explode`, { json: {} });
    expect(response.json.error.allowed).toContain("finish-job");
    const options = await send(`POST ${mock.control_url}/worlds`, { json: { clock: "fast" } });
    expect(options.json.error.allowed).toEqual(["real", "frozen", "30x"]);
  });
});

describe("worlds", () => {
  it("are isolated: keys, rows, clock, limits and journal", async () => {
    const other = (await send(`POST ${mock.control_url}/worlds`, { json: { clock: "frozen", seed: 7 } })).json;
    const { json: job } = await submit("audit");
    expect((await send(`GET ${mock.api_url}/api/jobs/${job.id}`, { key: other.keys.full })).status).toBe(404);
    expect((await send(`GET ${mock.api_url}/api/jobs/${job.id}`, { key: "mock_full" })).status).toBe(404);
    world.advance("1h");
    expect((await send(`GET ${mock.control_url}/worlds/${other.id}/clock`)).json.now).toBe("2026-01-05T09:00:00.000Z");
    expect((await send(`GET ${mock.control_url}/worlds/${other.id}/journal`)).json.total).toBe(1);
  });

  it("differ by seed, and are equal byte for byte with the same seed and calls", async () => {
    const run = async (seed: number) => {
      const ownMock = await startMock({ clock: "frozen", seed });
      const key = ownMock.keys.full;
      const job = await send(`POST ${ownMock.api_url}/api/repos/${ownMock.repos[0]}/jobs`, {
        key,
        json: { workflow: "audit", params: {} },
      });
      ownMock.advance({ until: "idle" });
      const list = await send(`GET ${ownMock.api_url}/api/observations?limit=200`, { key });
      await ownMock.close();
      return job.text + list.text + list.headers["x-request-id"];
    };
    const [first, again, other] = [await run(3), await run(3), await run(4)];
    expect(again).toBe(first);
    expect(other).not.toBe(first);
  });

  it("accept another fixture, plan and options", async () => {
    const response = await send(`POST ${mock.control_url}/worlds`, {
      json: { fixture: "empty", clock: "frozen", plan: "free", limits: "off" },
    });
    expect(response.status).toBe(201);
    const shown = (await send(`GET ${mock.control_url}/worlds/${response.json.id}`)).json;
    expect(shown).toMatchObject({ options: { limits: "off" }, rows: { observations: 0, jobs: 0 } });
  });

  it("disappear when deleted, with their keys", async () => {
    expect((await send(`DELETE ${here}`)).status).toBe(204);
    expect((await send(`GET ${here}`)).status).toBe(404);
    expect((await call("/api/jobs")).json.error.code).toBe("invalid_key");
  });

  it("start again when reset, with the same ids", async () => {
    const first = (await submit("audit")).json;
    world.advance("1h");
    expect((await send(`POST ${here}/reset`)).json.now).toBe("2026-01-05T09:00:00.000Z");
    expect((await call(`/api/jobs/${first.id}`)).status).toBe(404);
    expect((await submit("audit")).json).toEqual(first);
  });

  it("are the same after a snapshot is restored, and continue in the same way", async () => {
    await submit("audit");
    const snapshot = (await send(`GET ${here}/snapshot`)).json;
    const next = (await submit("discover")).json;
    world.advance("1h");
    expect((await send(`PUT ${here}/snapshot`, { json: snapshot })).status).toBe(200);
    expect((await call(`/api/jobs/${next.id}`)).status).toBe(404);
    expect((await submit("discover")).json).toEqual(next);
  });

  it("refuse a snapshot with keys of another world", async () => {
    const snapshot = (await send(`GET ${mock.control_url}/worlds/default/snapshot`)).json;
    const response = await send(`PUT ${here}/snapshot`, { json: snapshot });
    expect([response.status, response.json.error.message]).toEqual([400, expect.stringContaining("'default'")]);
  });
});

describe("the clock", () => {
  it("moves by a duration, to a time, to the next event and until idle, and returns the events", async () => {
    const { json: job } = await submit("audit");
    const move = async (json: object) => (await send(`POST ${here}/clock/advance`, { json })).json;
    const started = await move({ by: "30s" });
    expect(started.now).toBe("2026-01-05T09:00:30.000Z");
    expect(started.events).toContainEqual({
      at: "2026-01-05T09:00:30.000Z",
      kind: "job",
      id: job.id,
      from: "pending",
      to: "running",
    });
    expect((await move({ to: "2026-01-05T09:00:31Z" })).now).toBe("2026-01-05T09:00:31.000Z");
    expect((await move({ until: "next-event" })).events).toHaveLength(1);
    await move({ until: "idle" });
    expect((await call(`/api/jobs/${job.id}`)).json.status).toBe("completed");
    expect((await send(`GET ${here}/clock`)).json).toMatchObject({ clock: "frozen" });
  });

  it("runs by itself in the modes real and 30x, and stands still when frozen", async () => {
    const now = async () => Date.parse((await send(`GET ${here}/clock`)).json.now);
    const passes = async () => {
      const before = await now();
      await expect.poll(now, { interval: 5 }).toBeGreaterThan(before);
    };
    await send(`POST ${here}/clock`, { json: { mode: "30x" } });
    await passes();
    await send(`POST ${here}/clock`, { json: { mode: "real" } });
    await passes();
    await send(`POST ${here}/clock`, { json: { mode: "frozen" } });
    expect(await now()).toBe(await now());
  });

  it("shows the real time in a world with a real clock", async () => {
    const real = await mock.world({ clock: "real" });
    const asked = Date.now();
    const { json } = await send(`GET ${mock.control_url}/worlds/${real.id}/clock`);
    const [now, answered] = [Date.parse(json.now), Date.now()];
    expect([now > asked - 1000, now < answered + 1000]).toEqual([true, true]);
    real.remove();
  });
});

describe("external events", () => {
  it("end a job, and return the result and the changes", async () => {
    const { json: job } = await submit("audit");
    const driven = (await send(`POST ${here}/drive/finish-job`, { json: { job_id: job.id, outcome: "failure" } })).json;
    expect(driven.result).toMatchObject({ id: job.id, status: "failed" });
    expect(driven.events.map((event: { to: string }) => event.to)).toEqual(["running", "failed"]);
    expect((await call(`/api/jobs/${job.id}`)).json.status).toBe("failed");
  });

  it("change nothing if they are not possible", async () => {
    const { json: job } = await submit("audit");
    await send(`POST ${here}/drive/finish-job`, { json: { job_id: job.id, outcome: "success" } });
    const repeatedClientResponse = await send(`POST ${here}/drive/finish-job`, { json: { job_id: job.id, outcome: "failure" } });
    expect(repeatedClientResponse.status).toBe(409);
    expect((await call(`/api/jobs/${job.id}`)).json.status).toBe("completed");
  });
});

describe("rate buckets", () => {
  it("can be read and drained", async () => {
    await submit("audit");
    expect((await send(`GET ${here}/buckets`)).json.rates.key_full.submit.used).toBe(1);
    const drainResponse = await send(`PUT ${here}/buckets`, { json: { key: "key_full", bucket: "submit", used: "all" } });
    expect(drainResponse.json).toMatchObject({ requests_per_minute: 30, used: 30 });
    const clientResponse = await submit("discover");
    expect([clientResponse.status, clientResponse.json.error.code, clientResponse.headers["retry-after"]]).toEqual([
      429,
      "rate_limit_qps",
      "60",
    ]);
    world.advance("60s");
    expect((await submit("discover")).status).toBe(201);
  });

  it.each(["fixed", "sliding", "token_bucket"] as const)(
    "can be preset to one request before the end of a %s window",
    async (rate_window) => {
      const ownIsolatedWorld = await mock.world({ options: { rate_window } });
      await send(`PUT ${mock.control_url}/worlds/${ownIsolatedWorld.id}/buckets`, {
        json: { key: "key_full", bucket: "plan", used: 2999 },
      });
      const statuses = [];
      for (let i = 0; i < 2; i++)
        statuses.push((await send(`GET ${mock.api_url}/api/jobs?limit=1`, { key: ownIsolatedWorld.keys.full })).status);
      expect(statuses).toEqual([200, 429]);
      ownIsolatedWorld.remove();
    },
  );
});
