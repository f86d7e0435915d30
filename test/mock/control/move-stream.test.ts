import { expect, test } from "vitest";
import { pieceEvents } from "../../../src/mock/control/move-stream.js";
import { startMock } from "../../../src/mock/server.js";
import { send } from "../client.js";

test("a move with thousands of events gives the same answer over the wire as in the process", async () => {
  await using mock = await startMock({ clock: "frozen", limits: "off" });
  const headers = { authorization: `Bearer ${mock.keys.full}`, "content-type": "application/json" };
  for (let i = 0; i < 2.5 * pieceEvents; i++) {
    const body = JSON.stringify({ workflow: "audit", params: { paths: [`src/${i}.ts`] } });
    await mock.fetch(`/api/repos/${mock.repos[0]}/jobs`, { method: "POST", headers, body });
  }
  const snapshotBefore = mock.snapshot();
  const inProcess = mock.advance("30s");
  const snapshotAfter = mock.snapshot();
  mock.restore(snapshotBefore);
  const overTheWire = await send(`POST ${mock.control_url}/worlds/default/clock/advance`, { json: { by: "30s" } });
  expect(inProcess.events.length).toBeGreaterThan(2 * pieceEvents);
  expect(overTheWire.json).toEqual(inProcess);
  expect(mock.snapshot()).toEqual(snapshotAfter);
});
