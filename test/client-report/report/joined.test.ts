import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { type Mock, startMock } from "../../../src/mock/server.js";
import { send } from "../../mock/client.js";

let mock: Mock;
beforeEach(async () => {
  await mock?.close();
  mock = await startMock({ clock: "frozen" });
});
afterAll(() => mock.close());

const breakRule = (key: string | undefined) => send(`GET ${mock.api_url}/api/jobs?cursor=made-up`, { key });
const joined = async () => (await send(`GET ${mock.control_url}/client-report`)).json;
const requests = async () => (await joined()).requests;

describe("the joined client report", () => {
  test("is inconclusive without a request", async () => {
    expect(await joined()).toMatchObject({ verdict: "inconclusive", requests: 0, findings: [] });
    expect(await joined()).toEqual(await mock.joinedClientReport());
  });

  test("contains every world, also deleted and reset ones, and names the world of each call", async () => {
    const deletedIsolatedWorld = await mock.world();
    await breakRule(deletedIsolatedWorld.keys.full);
    deletedIsolatedWorld.remove();
    const gone = (await send(`POST ${mock.control_url}/worlds`, { json: { id: "gone" } })).json;
    await breakRule(gone.keys.full);
    await send(`DELETE ${mock.control_url}/worlds/gone`);
    await breakRule(mock.keys.full);
    mock.reset();
    const openIsolatedWorld = await mock.world();
    await breakRule(openIsolatedWorld.keys.full);
    const report = await joined();
    expect([report.requests, report.verdict, report.findings.length, report.findings[0].count]).toEqual([4, "findings", 1, 4]);
    const places = report.findings[0].examples.map(
      ({ world, entry }: { world: string; entry: number | null }) => `${world} ${entry}`,
    );
    expect(places.sort()).toEqual(
      [`${deletedIsolatedWorld.id} null`, `${openIsolatedWorld.id} 1`, "default null", "gone null"].sort(),
    );
    expect(await mock.joinedClientReport()).toEqual(report);
  });

  test("keeps calls from before a rewind, without their number, and counts each once", async () => {
    await send(`GET ${mock.api_url}/api/jobs`, { key: mock.keys.full });
    await breakRule(mock.keys.full);
    await mock.rewind(2);
    const { requests: all, findings } = await joined();
    expect([all, findings[0].examples[0].entry]).toEqual([2, null]);
    await mock.rewind(1);
    expect(await requests()).toBe(2);
  });

  test("stays small with many worlds", async () => {
    for (let i = 0; i < 30; i++) {
      const world = await mock.world();
      await breakRule(world.keys.full);
      world.remove();
    }
    const { requests: all, findings } = await joined();
    expect([all, findings[0].count, findings[0].examples.length]).toEqual([30, 30, 5]);
  });

  test("restarts on request, and a client may continue with its cursors", async () => {
    const page = await send(`GET ${mock.api_url}/api/jobs?limit=1`, { key: mock.keys.full });
    expect((await send(`DELETE ${mock.control_url}/client-report`)).status).toBe(204);
    expect(await requests()).toBe(0);
    await send(`GET ${mock.api_url}/api/jobs?limit=1&cursor=${encodeURIComponent(page.json.next_cursor)}`, {
      key: mock.keys.full,
    });
    expect(await joined()).toMatchObject({ verdict: "clean", requests: 1 });
  });
});
