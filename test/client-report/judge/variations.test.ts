import { afterAll, beforeAll, expect, test } from "vitest";
import { type Mock, startMock } from "../../../src/mock/server.js";
import { followContract, getPlace } from "../conforming-client.js";

let mock: Mock;
beforeAll(async () => {
  mock = await startMock({ clock: "frozen" });
});
afterAll(() => mock.close());

test.each(Array.from({ length: 5 }, (_, i) => i + 1))(
  "a conforming client gets no finding in a world with variations, seed %i",
  async (seed) => {
    const world = await mock.world({ seed, variations: true });
    await followContract(getPlace(world));
    expect(world.clientReport()).toMatchObject({ verdict: "clean", findings: [] });
  },
);
