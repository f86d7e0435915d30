const { startMock } = require("counterpart-kit");

let mock;
let world;
beforeAll(async () => {
  mock = await startMock({ clock: "frozen" });
});
afterAll(() => mock.close());
beforeEach(async () => {
  world = await mock.world();
});
afterEach(() => world.remove());

const headers = () => ({ authorization: `Bearer ${world.keys.full}` });

test("a client that knows one address only is answered there", async () => {
  const interception = world.intercept("https://api.example.com");
  expect((await fetch("https://api.example.com/api/jobs", { headers: headers() })).status).toBe(200);
  interception.restore();
  expect(world.verify({ match: { route: "GET /api/jobs" }, exactly: 1 }).verified).toBe(true);
});

test("a lost connection is one", async () => {
  world.fault({ on: "*", nth: 1, socket: "CONNECTION_RESET_BY_PEER" });
  await expect(world.fetch("/api/jobs", { headers: headers() })).rejects.toThrow("fetch failed");
  expect((await fetch(`${mock.api_url}/api/jobs`, { headers: headers() })).status).toBe(200);
});
