import { startMock } from "../../../src/mock/server.js";

// Runs this many tests at once on one mock (default 1000), in a separate process because of their memory. Prints data of other tests that a test received.
const tests = Number(process.argv[2] ?? 1000);
await using mock = await startMock({ clock: "frozen" });
const created = performance.now();
const worlds = await Promise.all(Array.from({ length: tests }, () => mock.world()));
const millisecondsEach = (performance.now() - created) / tests;
const completedRuns: string[] = [];

await Promise.all(
  worlds.map(async (world, i) => {
    const headers = { authorization: `Bearer ${world.keys.full}`, "content-type": "application/json" };
    const send = (path: string, init = {}) =>
      i % 10 === 0 ? fetch(mock.api_url + path, { headers, ...init }) : world.fetch(path, { headers, ...init });
    const note = (what: string, seen: unknown, wanted: unknown) => {
      if (seen !== wanted) completedRuns.push(`${i} ${what}: ${seen}, not ${wanted}`);
    };
    const body = JSON.stringify({ workflow: "audit", params: { paths: [`src/${i}.ts`] } });
    const job = (await (await send("/api/repos/acme/web/main/jobs", { method: "POST", body })).json()) as { id: string };
    world.advance(`${i + 1}s`);
    if (i % 3 === 0) world.fault({ on: "GET /api/jobs", status: 503 });
    if (i % 3 === 1) world.setBucket({ key: "key_full", bucket: "plan", used: "all" });
    note("status", (await send("/api/jobs")).status, [503, 429, 200][i % 3]);
    note("unknown key", (await send("/api/observations", { headers: { authorization: "Bearer mock_nobody" } })).status, 401);
    note("time", Date.parse(world.clock().now) - Date.parse(mock.clock().now), (i + 1) * 1000);
    note("submissions", world.journal({ method: "POST" }).length, 1);
    const [submission] = world.journal({ method: "POST" });
    note("job", submission?.changes.find(({ kind }) => kind === "job")?.id, job.id);
    note("faults", world.faults().length, i % 3 === 0 ? 1 : 0);
  }),
);
for (const world of worlds) world.remove();
console.log(JSON.stringify({ met: completedRuns, worlds: mock.worlds(), millisecondsEach }));
