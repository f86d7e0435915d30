import { afterEach, describe, expect, it } from "vitest";
import { type Mock, type MockOptions, startMock } from "../../src/index.js";
import { send } from "./client.js";

const mocks: Mock[] = [];
const start = async (options: MockOptions = {}) => {
  const mock = await startMock(options);
  mocks.push(mock);
  return mock;
};
afterEach(() => Promise.all(mocks.splice(0).map((mock) => mock.close())));

describe("the public API", () => {
  it("starts a mock, submits a job, moves the clock, and reads the job completed", async () => {
    const mock = await start();
    const { json: job } = await send(`POST ${mock.api_url}/api/repos/${mock.repos[0]}/jobs`, {
      key: mock.keys.full,
      json: { workflow: "audit", params: {} },
    });
    const { events } = mock.advance({ until: "idle" });
    expect(events).toContainEqual(expect.objectContaining({ id: job.id, to: "completed" }));
    expect((await send(`GET ${mock.api_url}/api/jobs/${job.id}`, { key: mock.keys.full })).json.status).toBe("completed");
  });

  it("gives each world its own keys, and deletes the world", async () => {
    const mock = await start({ clock: "frozen" });
    const world = await mock.world({ fixture: "empty" });
    expect(world.api_url).toBe(mock.api_url);
    expect(world.keys.full).not.toBe(mock.keys.full);
    expect((await send(`GET ${world.api_url}/api/repos`, { key: world.keys.full })).json.data).toEqual([]);
    world.remove();
    expect((await send(`GET ${world.api_url}/api/repos`, { key: world.keys.full })).status).toBe(401);
  });

  it("says in a sentence why it refuses something", async () => {
    const mock = await start({ clock: "frozen" });
    expect(() => mock.advance("soon")).toThrow(/'soon' is not a duration/);
    // @ts-expect-error there is no such event
    expect(() => mock.drive("explode")).toThrow(/no event 'explode'.*Allowed: finish-job/);
    expect(() => mock.fault({ on: "GET /nowhere", status: 500 })).toThrow(/no route or tool 'GET \/nowhere'/);
    await expect(mock.world({ fixture: "nowhere" })).rejects.toThrow(/no fixture 'nowhere'/);
  });

  it("exceeds no limit when the limits are off", async () => {
    const mock = await start({ clock: "frozen", limits: "off" });
    const statuses = new Set<number>();
    for (let i = 0; i < 8; i++)
      statuses.add((await send(`GET ${mock.api_url}/api/jobs?limit=1`, { key: mock.keys.slow })).status);
    expect([...statuses]).toEqual([200]);
  });

  it("refuses a port that is in use, opens none of the others, and names it", async () => {
    const mock = await start();
    const taken = Number(new URL(mock.docs_url).port);
    await expect(startMock({ docsPort: taken })).rejects.toThrow(`Port ${taken} of 127.0.0.1 is in use`);
  });

  it("refuses a host that others can reach, unless an admin token protects the control plane", async () => {
    await expect(startMock({ host: "0.0.0.0" })).rejects.toThrow(/admin token/);
    const mock = await start({ host: "0.0.0.0", adminToken: "t0ken" });
    const url = mock.control_url.replace("0.0.0.0", "127.0.0.1");
    expect((await send(`GET ${url}/health`)).status).toBe(401);
    expect((await send(`GET ${url}/health`, { key: "t0ken" })).status).toBe(200);
  });

  it("stops listening when closed", async () => {
    const mock = await startMock();
    await mock.close();
    await expect(send(`GET ${mock.api_url}/api/jobs`)).rejects.toThrow();
  });
});
