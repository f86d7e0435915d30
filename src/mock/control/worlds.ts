import { contract } from "../../contract/load.js";
import { switches } from "../check-options.js";
import { clockModes, skipSchema, workSchema } from "../clock.js";
import { bundledFixtures } from "../fixtures.js";
import { addWorld } from "../founding.js";
import { greaseSchema } from "../grease/wish.js";
import type { WorldOptions } from "../options.js";
import { type HostedWorld, introduce, replaceWorld, resetWorld } from "../worlds.js";
import { closed, type Endpoint } from "./endpoint.js";
import { type Snapshot, takeSnapshot, unfit } from "./snapshot.js";

/** Founding, reading and ending worlds. */
export const worldEndpoints: Endpoint[] = [
  {
    on: "POST /worlds",
    says: "Founds a world of its own, with its own keys, clock, buckets, faults and journal; its keys select it.",
    status: 201,
    examples: () => ({
      "as the default one": {},
      "for a test": { fixture: "demo", seed: 7, clock: "frozen", skip: "at-once" },
      "with nothing in it, on the Free plan": { fixture: "empty", plan: "free" },
      "without limits, all work done at once": { options: { limits: "off" }, work: "at-once" },
      "of other choices where the contract is silent": { options: { rate_window: "sliding", run_findings: "always" } },
      "with every legal variation": { grease: true },
      "with two of them": { grease: ["extra-fields", "early-429"] },
    }),
    body: closed({
      // names only: whoever reaches the control plane cannot read files through it
      fixture: { enum: bundledFixtures() },
      seed: { type: "integer" },
      clock: { enum: clockModes },
      skip: skipSchema,
      work: workSchema,
      plan: { enum: Object.keys(contract.limits.plans) },
      grease: greaseSchema,
      options: closed({ limits: { enum: ["text", "off"] }, work: workSchema, ...switchSchemas() }),
    }),
    async run({ site, body }) {
      const hosted = await addWorld(site, body as WorldOptions);
      return "problem" in hosted ? { ...hosted, status: 409 } : { status: 201, body: introduce(hosted) };
    },
  },
  {
    on: "GET /worlds",
    says: "The ids of all worlds.",
    status: 200,
    run: ({ site }) => ({ status: 200, body: { worlds: [...site.worlds.byId.keys()] } }),
  },
  {
    on: "GET /worlds/{id}",
    says: "A world: its keys, sessions and repositories, its clock, options and sizes.",
    status: 200,
    run: ({ hosted }) => ({ status: 200, body: describe(hosted) }),
  },
  {
    on: "DELETE /worlds/{id}",
    says: "Takes a world off the mock; the default one stays.",
    status: 204,
    run({ site, hosted }) {
      if (hosted === site.worlds.default)
        return { status: 409, problem: "The default world stays; reset it instead.", field: "id" };
      site.worlds.byId.delete(hosted.id);
      return { status: 204 };
    },
  },
  {
    on: "POST /worlds/{id}/reset",
    says: "Founds a world again as it was at first; its journal and faults go.",
    status: 200,
    run({ site, hosted }) {
      resetWorld(site.worlds, hosted);
      return { status: 200, body: describe(hosted) };
    },
  },
  {
    on: "GET /worlds/{id}/snapshot",
    says: "A world's whole state.",
    status: 200,
    run: ({ hosted }) => ({ status: 200, body: takeSnapshot(hosted) }),
  },
  {
    on: "PUT /worlds/{id}/snapshot",
    says: "Puts a state that was taken of this world in the place of its own.",
    status: 200,
    exampleFrom: "/worlds/{id}/snapshot",
    body: { type: "object" },
    run({ hosted, body }) {
      const problem = unfit(hosted, body as Record<string, unknown>);
      if (problem !== null) return problem;
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
    clock: { mode: clock.mode, skip: clock.skip, now: new Date(world.now).toISOString() },
    options: world.options,
    grease: hosted.grease && { seed: hosted.grease.seed, variations: hosted.grease.names },
    rows: counts,
    calls: journal.total,
  };
}
