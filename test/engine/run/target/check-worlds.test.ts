import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createHookContext } from "../../../../src/engine/execute/clock.js";
import { runWithTarget, startRun } from "../../../../src/engine/run/connect.js";
import type { VerifyOptions } from "../../../../src/engine/run/options.js";
import { checkWorlds } from "../../../../src/engine/run/target/check-worlds.js";
import { openEnvironment } from "../../../../src/engine/target/environment.js";
import { suite } from "../../../../src/suite/suite.js";
import { serve } from "../../server.js";
import { directory, removeDirectories } from "../execution.js";

removeDirectories();

/** Checks the worlds of a server that answers the key of a removed world with a status. */
async function check(afterRemoval: number, { hasRemove = true, ...more }: VerifyOptions & { hasRemove?: boolean } = {}) {
  const keys: string[] = [];
  const server = await serve(({ method, path, headers }, answer) => {
    const key = headers.authorization?.replace("Bearer ", "") ?? "";
    if (method === "DELETE") {
      keys.splice(keys.indexOf(`key-of-${path.split("/").at(-1)}`), 1);
      answer(204, "");
    } else if (path === "/worlds") {
      const id = `world-${keys.length + 1}`;
      keys.push(`key-of-${id}`);
      answer(200, { id, keys: { full: `key-of-${id}` }, repos: [] });
    } else answer(keys.includes(key) ? 200 : afterRemoval, { data: [] });
  });
  const worlds = {
    create: { http: `POST ${server.url}/worlds` },
    ...(hasRemove && { remove: { http: `DELETE ${server.url}/worlds/{world}` } }),
  };
  const file = join(directory({ "target.json": JSON.stringify({ base_url: server.url, worlds }) }), "target.json");
  const options: VerifyOptions = { target: file, profile: "safe", maxWait: 0.1, ...more };
  const result = await runWithTarget(suite, options, async (target, wire) => {
    const run = { ...startRun(suite, options, target, wire), sleep: () => Promise.resolve(0) };
    const first = await openEnvironment(target, undefined, createHookContext(run, { world: "" }));
    if (!first.ok) throw new Error(first.why);
    return { entries: await checkWorlds(suite, run, first.environment), leftovers: run.leftovers.map(({ id }) => id) };
  }).finally(() => server.close());
  if (!("entries" in result)) throw new Error(result.messages.join("\n"));
  const entries = Object.fromEntries(result.entries.map(({ entry, state, message }) => [entry, `${state}: ${message}`]));
  return { entries, leftovers: result.leftovers, worlds: server.received.filter(({ path }) => path === "/worlds").length };
}

describe("the removal of a world", () => {
  test.each([
    [401, /^works: after it, the key of the world is answered with 401$/],
    [404, /^works: .*404$/],
    [200, /^wrong: it did nothing that a caller sees/],
    [429, /^unclear: .* could not be tried: The server is at its rate limit/],
    [503, /^unclear: .* could not be tried: The server is not available/],
    [500, /^unclear: after it, the key of the world is answered with 500 instead of 401, 403, 404$/],
  ])("with the answer %s", async (status, message) => {
    const { entries, leftovers } = await check(status);
    expect(entries["worlds.remove"]).toMatch(message);
    expect(leftovers).toEqual([]);
  });
});

test("names the worlds that stay on the server", async () => {
  const { entries, leftovers } = await check(401, { hasRemove: false });
  expect(Object.keys(entries)).toEqual(["worlds.create"]);
  expect(leftovers).toEqual(["world-1", "world-2"]);
});

test("creates no second world under read-only", async () => {
  const { entries, worlds } = await check(401, { profile: "read-only" });
  const message = "not tried: the profile read-only creates no second world";
  expect(entries).toEqual({ "worlds.create": message, "worlds.remove": message });
  expect(worlds).toBe(1);
});
