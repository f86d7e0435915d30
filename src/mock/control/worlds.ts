import type { Snapshot } from "../../service/fixture/snapshot.js";
import { copyOfWorld } from "../../service/world/copies.js";
import type { CreationReply } from "../cluster/other-workers.js";
import { listWorlds } from "../cluster/ownership.js";
import type { MockContext } from "../context.js";
import { schemaOf } from "../input/option-kinds.js";
import { unknownName } from "../input/problems.js";
import { addWorld } from "../worlds/configuration.js";
import { bundledFixtures } from "../worlds/fixtures.js";
import { worldKinds } from "../worlds/option-validation.js";
import type { WorldOptions } from "../worlds/options.js";
import { removeWorld, replaceWorld, resetWorld, type WorldEntry, worldInfoOf } from "../worlds/worlds.js";
import type { Endpoint } from "./endpoint.js";
import { takeSnapshot, unfit } from "./snapshot.js";

/** The endpoints that create, read, reset and delete worlds. */
export const worldEndpoints: Endpoint[] = [
  {
    on: "POST /worlds",
    says: "Creates a world with its own keys, clock, buckets, faults and journal. Its keys select it.",
    status: 201,
    examples: () => ({
      "as the default one": {},
      "with a name": { id: "ci-42", fixture: "empty" },
      "for a test": { fixture: "demo", seed: 7, clock: "frozen", skip: "at-once" },
      "with nothing in it, on the Free plan": { fixture: "empty", plan: "free" },
      "without limits, all work done at once": { limits: "off", work: "at-once" },
      "of other choices where the contract is silent": { options: { rate_window: "sliding", run_findings: "always" } },
      "with every legal variation": { variations: true },
      "with two of them": { variations: ["extra-fields", "early-429"] },
    }),
    body: schemaOf(worldKinds),
    options: worldKinds,
    async run({ context, body }) {
      const given = body as WorldOptions;
      // names only, so that the control plane cannot read files
      if (typeof given.fixture === "string" && !bundledFixtures().includes(given.fixture))
        return { ...unknownName("fixture", given.fixture, bundledFixtures()), field: "fixture" };
      return context.otherWorkers ? context.otherWorkers.create(given, (named) => found(context, named)) : found(context, given);
    },
  },
  {
    on: "GET /worlds",
    says: "The ids of all worlds; `unresponsive_workers` when a worker did not answer, whose worlds are missing then.",
    status: 200,
    run: async ({ context }) => ({ status: 200, body: await listWorlds(context) }),
  },
  {
    on: "GET /worlds/{id}",
    says: "A world: its keys, sessions and repositories, its clock, options and sizes.",
    status: 200,
    run: ({ worldEntry }) => ({ status: 200, body: describe(worldEntry) }),
  },
  {
    on: "DELETE /worlds/{id}",
    says: "Takes a world off the mock; the default one stays.",
    status: 204,
    run({ context, worldEntry }) {
      if (worldEntry.id === context.worlds.default.id)
        return { status: 409, problem: "The default world stays; reset it instead.", field: "id" };
      if (context.cluster) return context.cluster.remove(worldEntry).then(() => ({ status: 204 }));
      removeWorld(context.worlds, worldEntry);
      return { status: 204 };
    },
  },
  {
    on: "POST /worlds/{id}/reset",
    says: "Creates the world again as it was at first. Its journal and faults are deleted.",
    status: 200,
    begins: "configuration",
    run({ context, worldEntry }) {
      resetWorld(context.worlds, worldEntry, playedAt(worldEntry) ?? Date.now());
      return { status: 200, body: describe(worldEntry) };
    },
  },
  {
    on: "GET /worlds/{id}/snapshot",
    says: "A world's whole state.",
    status: 200,
    run: ({ worldEntry }) => ({ status: 200, body: takeSnapshot(worldEntry) }),
  },
  {
    on: "PUT /worlds/{id}/snapshot",
    says: "Replaces the state of this world by a snapshot of it.",
    status: 200,
    begins: "state",
    exampleFrom: "/worlds/{id}/snapshot",
    body: { type: "object" },
    run({ worldEntry, body }) {
      const problem = unfit(worldEntry, body as object);
      if (problem !== null) return problem;
      replaceWorld(worldEntry, copyOfWorld((body as Snapshot).world));
      return { status: 200, body: describe(worldEntry) };
    },
  },
];

async function found(context: MockContext, given: WorldOptions): Promise<CreationReply> {
  const worldEntry = await addWorld(context, given);
  return "problem" in worldEntry ? worldEntry : { status: 201, body: worldInfoOf(worldEntry) };
}

/** The wall's time at which the world began when this happened first. */
function playedAt({ log: { playing } }: WorldEntry): number | undefined {
  return playing && "control" in playing ? playing.wall : undefined;
}

function describe(worldEntry: WorldEntry): object {
  const { world, clock, configuration, journal } = worldEntry;
  const counts = {
    repos: Object.keys(world.repos).length,
    jobs: Object.keys(world.jobs).length,
    observations: Object.keys(world.observations).length,
  };
  return {
    ...worldInfoOf(worldEntry),
    seed: configuration.seed,
    now: new Date(world.now).toISOString(),
    clock: clock.mode,
    skip: clock.skip,
    options: world.options,
    variations: worldEntry.variations && { seed: worldEntry.variations.seed, names: worldEntry.variations.names },
    rows: counts,
    calls: journal.total,
  };
}
