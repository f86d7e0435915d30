import { expect, test } from "vitest";
import { advance } from "../../../src/service/advance.js";
import { drives } from "../../../src/service/drives/index.js";
import { perform } from "../../../src/service/perform.js";
import { copyWorld } from "../../../src/service/world/copies.js";
import type { World } from "../../../src/service/world/world.js";
import { call, demoWorld } from "../world.js";

test("a copy equals its world and does not change with it", () => {
  const world = busy();
  const [asItWas, text] = [structuredClone(world), JSON.stringify(world)];
  const copy = copyWorld(world);
  expect(JSON.stringify(copy)).toBe(text);
  changeMuch(world);
  expect(copy).toEqual(asItWas);
  // and the other way round
  const [left, other] = [structuredClone(world), copy];
  changeMuch(other);
  expect(world).toEqual(left);
  expect(other).toEqual(world);
});

function busy(): World {
  const world = demoWorld();
  submit(world, "one");
  advance(world, { to: world.now + 30_000 });
  submit(world, "two");
  return world;
}

/** Writes to every table, and to rows in every state. */
function changeMuch(world: World): void {
  submit(world, "three");
  const [observation, closed] = Object.values(world.observations).filter(({ kind, fix_pr }) => kind === "finding" && !fix_pr);
  const { ref } = observation!;
  perform(world, call("POST /api/observations/{ref}/fix", { params: { ref } }));
  advance(world, { until: "idle" });
  for (const event of ["revise-fix-pr", "merge-fix-pr"]) drives[event]!.run(world, { ref });
  drives["expire-observation"]!.run(world, { ref: closed!.ref });
  drives["push-commit"]!.run(world, { repo: "acme/web/main" });
  drives["set-credit"]!.run(world, { usd: 5 });
  for (const job_id of Object.keys(world.jobs)) {
    perform(world, call("POST /api/jobs/{job_id}/cancel", { params: { job_id } }));
    perform(world, call("POST /api/jobs/{job_id}/retry", { params: { job_id } }));
  }
  advance(world, { to: world.now + 90_000_000 });
  for (let i = 0; i < 100; i++) submit(world, `key-${i}`);
}

function submit(world: World, idempotencyKey: string): void {
  const params = { owner: "acme", repo: "web", branch: "main" };
  const body = { workflow: "audit", params: { paths: [idempotencyKey] } };
  perform(world, call("POST /api/repos/{owner}/{repo}/{branch}/jobs", { params, body, idempotencyKey }));
}
