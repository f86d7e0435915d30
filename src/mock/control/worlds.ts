import { contract } from "../../contract/load.js";
import { switches } from "../check-options.js";
import { clockModes } from "../clock.js";
import { bundledFixtures } from "../fixtures.js";
import { addWorld } from "../founding.js";
import type { WorldOptions } from "../options.js";
import { type HostedWorld, introduce, replaceWorld, resetWorld } from "../worlds.js";
import { closed, type Endpoint } from "./endpoint.js";
import { type Snapshot, takeSnapshot, unfit } from "./snapshot.js";

/** Founding, reading and ending worlds. */
export const worldEndpoints: Endpoint[] = [
  {
    on: "POST /worlds",
    body: closed({
      // names only: whoever reaches the control plane cannot read files through it
      fixture: { enum: bundledFixtures() },
      seed: { type: "integer" },
      clock: { enum: clockModes },
      plan: { enum: Object.keys(contract.limits.plans) },
      options: closed({ limits: { enum: ["text", "off"] }, ...switchSchemas() }),
    }),
    async run({ site, body }) {
      const hosted = await addWorld(site, body as WorldOptions);
      return "problem" in hosted ? { ...hosted, status: 409 } : { status: 201, body: introduce(hosted) };
    },
  },
  { on: "GET /worlds", run: ({ site }) => ({ status: 200, body: { worlds: [...site.worlds.byId.keys()] } }) },
  { on: "GET /worlds/{id}", run: ({ hosted }) => ({ status: 200, body: describe(hosted) }) },
  {
    on: "DELETE /worlds/{id}",
    run({ site, hosted }) {
      if (hosted === site.worlds.default) return { status: 409, problem: "The default world stays; reset it instead." };
      site.worlds.byId.delete(hosted.id);
      return { status: 204 };
    },
  },
  {
    on: "POST /worlds/{id}/reset",
    run({ site, hosted }) {
      resetWorld(site.worlds, hosted);
      return { status: 200, body: describe(hosted) };
    },
  },
  { on: "GET /worlds/{id}/snapshot", run: ({ hosted }) => ({ status: 200, body: takeSnapshot(hosted) }) },
  {
    on: "PUT /worlds/{id}/snapshot",
    body: { type: "object" },
    run({ hosted, body }) {
      const problem = unfit(hosted, body as Record<string, unknown>);
      if (problem !== null) return { problem };
      replaceWorld(hosted, (body as Snapshot).world);
      return { status: 200, body: describe(hosted) };
    },
  },
];

/** The schema of each option by which the assumptions can be switched. */
function switchSchemas(): Record<string, object> {
  return Object.fromEntries(
    switches.map(({ name, values, minimum }) => [name, values ? { enum: values } : { type: "number", minimum }]),
  );
}

function describe(hosted: HostedWorld): object {
  const { world, clock, founding, journal } = hosted;
  const counts = {
    repos: Object.keys(world.repos).length,
    jobs: Object.keys(world.jobs).length,
    observations: Object.keys(world.observations).length,
  };
  return {
    ...introduce(hosted),
    seed: founding.seed,
    clock: { mode: clock.mode, now: new Date(world.now).toISOString() },
    options: world.options,
    rows: counts,
    calls: journal.total,
  };
}
