import { afterAll, beforeAll, expect, it } from "vitest";
import { acquire, create, release, renew } from "../../../../../src/mock/cluster/store/scripts.js";
import { describeWith } from "../../../../meta/needs.js";
import { debian, endAll, type Program, redis, startRedis } from "../programs.js";

/** No lease and no place of a waiting mock ends during the test. */
const [long, never] = ["1000000", String(2 ** 52)];
const [meta, settings] = ["world", "settings"];

describeWith(debian, "the mocks that wait for a world", () => {
  let store: Program;
  const run = async ({ text }: { text: string }, keys: string[], ...args: string[]) =>
    (await redis(store.port, "EVAL", text, String(keys.length), ...keys, ...args)).split("\n");
  const request = (mock: string, place = long) => run(acquire, [meta, settings], mock, never, long, place, "attempt", "");
  const outcome = async (mock: string, place?: string) => (await request(mock, place))[0];
  const releaseAs = async (fence: string) => (await run(release, [meta], fence, never, "9", "w", "channel:"))[0];

  beforeAll(async () => {
    store = await startRedis(undefined, "--appendonly", "no");
    await run(create, [meta, settings], "a", never, long, "{}", "", "attempt");
    await redis(store.port, "PERSIST", meta);
  });
  afterAll(endAll);

  it("get it in the order of their first requests, and its last owner gets it after all of them", async () => {
    const [first, , fence] = await request("a");
    expect(first).toBe("mine");
    // the last request of c is later than that of b, and b repeats its request most often
    for (const mock of ["b", "c", "b", "b", "c", "b"]) expect(await outcome(mock)).toBe("held");
    const [, , response] = await run(renew, [meta], long, never, long, fence!);
    expect(response).toBe("wanted");
    expect(await releaseAs(fence!)).toBe("kept");
    let owner = fence!;
    for (const next of ["b", "c", "a"]) {
      for (const mock of ["a", "c", "b"]) if (mock !== next) expect([next, await outcome(mock)]).toEqual([next, "held"]);
      const [status, , newer] = await request(next);
      expect([next, status]).toEqual([next, "mine"]);
      expect(Number(newer)).toBeGreaterThan(Number(owner));
      owner = newer!;
      await releaseAs(owner);
    }
  });

  it("are passed over while they do not repeat their request", async () => {
    await redis(store.port, "HSET", meta, "waiters", '[["silent",1],["b",1]]');
    expect(await outcome("c")).toBe("mine");
    await redis(store.port, "HDEL", meta, "until");
    const now = (await redis(store.port, "TIME")).split("\n")[0]!;
    await redis(store.port, "HSET", meta, "waiters", `[["b",${now}000]]`);
    expect([await outcome("d"), await outcome("d", "-1")]).toEqual(["held", "mine"]);
  });
});
