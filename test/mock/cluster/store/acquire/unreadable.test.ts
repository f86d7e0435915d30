import { afterAll, beforeAll, expect, it } from "vitest";
import { describeWith } from "../../../../meta/needs.js";
import { send } from "../../../client.js";
import { debian, endAll, freePort, type Program, redis, startRedis, startReplica, waitUntil } from "../programs.js";
import { foundWorld } from "../writer.js";

const parts: [part: string, damage: (key: string) => string[], why: string][] = [
  ["entry", (key) => ["LSET", `${key}:log`, "0", '{"number":1,'], "entry 1 of its log is not JSON"],
  ["state", (key) => ["HSET", `${key}:states`, "1", "AAAA"], "state 1 is not JSON"],
  ["configuration", (key) => ["HSET", key, "beginning", "?"], "its configuration is not JSON"],
];
const kinds = ["another", "default"];

describeWith(debian, "a world whose data in the store cannot be read", () => {
  let store: Program;
  const urls: string[] = [];
  beforeAll(async () => {
    store = await startRedis(undefined, "--appendonly", "no");
    for (let i = 0; i < 2; i++) urls.push(`http://127.0.0.1:${(await startReplica(store.port, await freePort())).port}`);
  });
  afterAll(endAll);

  const all = kinds.flatMap((kind) => parts.map((part) => [kind, ...part] as const));
  it.each(all)(
    "%s world with a damaged %s: each answer has the reason and the remedy, and DELETE works",
    async (kind, part, damage, why) => {
      const [first, second] = urls as [string, string];
      const world = kind === "default" ? kind : `damaged-${part}`;
      if (kind !== "default") await foundWorld(first, world);
      const path = `/__mock/worlds/${world}`;
      await waitUntil(async () => (await send(`POST ${first}${path}/clock/advance`, { json: { by: "1s" } })).status === 200);
      await redis(store.port, ...damage(`counterpart:world:{${world}}`));
      await redis(store.port, "HDEL", `counterpart:world:{${world}}`, "releases"); // no mock continues from its copy
      const call = () => send(`GET ${second}/api/jobs`, { key: kind === "default" ? "mock_full" : `mock_${world}_full` });
      await waitUntil(async () => (await call()).status === 500);
      const advice = `${why}. Delete it with DELETE ${path}, then create it again.`;
      expect((await call()).json.error.message).toContain(advice);
      const control = await send(`GET ${second}${path}`);
      expect([control.status, control.json.detail]).toEqual([500, expect.stringContaining(advice)]);
      expect((await send(`DELETE ${second}${path}`)).status).toBe(204);
      if (kind !== "default") {
        expect((await send(`GET ${second}${path}`)).status).toBe(404);
        await foundWorld(first, world);
      }
      await waitUntil(async () => (await call()).status === 200);
    },
  );
});
