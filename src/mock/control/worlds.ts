import { createSchema } from "../../common/option-kinds.js";
import { describeUnknownName } from "../../common/problem.js";
import type { Fixture } from "../../service/fixture/fixture.js";
import type { Snapshot } from "../../service/fixture/snapshot.js";
import { copyWorld } from "../../service/world/copies.js";
import type { CreationResponse } from "../cluster/other-workers.js";
import { listWorlds } from "../cluster/ownership.js";
import type { MockContext } from "../context.js";
import { addWorld } from "../worlds/configuration.js";
import { listBundledFixtures } from "../worlds/fixtures.js";
import { worldKinds } from "../worlds/option-validation.js";
import type { WorldOptions } from "../worlds/options.js";
import { buildWorldInfo, removeWorld, replaceWorld, resetWorld, type WorldEntry } from "../worlds/worlds.js";
import type { Endpoint } from "./endpoint.js";
import { findImportProblem, takeSnapshot } from "./snapshot.js";

/**
 * Limits of the body of a world. A larger one stops the mock for more than 100 ms while it is validated. A snapshot with 2,000 observations
 * fits.
 */
const limit = { maxBytes: 2_097_152, instead: "Start a mock with --fixture <file> for a larger world." };

/** Maximum number of generated observations of a new world. */
const maxGenerated = 5000;

/** The endpoints that create, read, reset and delete worlds. */
export const worldEndpoints: Endpoint[] = [
  {
    on: "POST /worlds",
    description: "Creates a world with its own keys, clock, buckets, faults and journal. Its keys select it.",
    status: 201,
    limit,
    examples: () => ({
      "like the default world": {},
      "with a name": { id: "ci-42", fixture: "empty" },
      "for a test": { fixture: "demo", seed: 7, clock: "frozen", skip: "at-once" },
      "empty, on the Free plan": { fixture: "empty", plan: "free" },
      "without limits, with immediate jobs": { limits: "off", work: "at-once" },
      "with other choices where the contract is silent": { options: { rate_window: "sliding", run_findings: "always" } },
      "with every legal variation": { variations: true },
      "with two variations": { variations: ["extra-fields", "early-429"] },
    }),
    body: createSchema(worldKinds),
    options: worldKinds,
    async run({ context, body }) {
      const worldOptions = body as WorldOptions;
      // only names of fixtures, so that the control plane cannot read files
      if (typeof worldOptions.fixture === "string" && !listBundledFixtures().includes(worldOptions.fixture))
        return { ...describeUnknownName("fixture", worldOptions.fixture, listBundledFixtures()), field: "fixture" };
      if (findGeneratedIn(worldOptions.fixture) > maxGenerated) return tooManyGenerated;
      return context.otherWorkers
        ? context.otherWorkers.create(worldOptions, (namedWorldOptions) => createWorldFrom(context, namedWorldOptions))
        : createWorldFrom(context, worldOptions);
    },
  },
  {
    on: "GET /worlds",
    description:
      "Lists the ids of all worlds. `unresponsive_workers`: the workers that did not answer, whose worlds are missing.",
    status: 200,
    run: async ({ context }) => ({ status: 200, body: await listWorlds(context) }),
  },
  {
    on: "GET /worlds/{id}",
    description: "Returns a world: its keys, sessions, repositories, clock, options and sizes.",
    status: 200,
    run: ({ worldEntry }) => ({ status: 200, body: describe(worldEntry) }),
  },
  {
    on: "DELETE /worlds/{id}",
    description: "Deletes a world. The default world cannot be deleted.",
    status: 204,
    deletes: true,
    run({ context, worldEntry }) {
      if (worldEntry.id === context.worlds.default.id)
        return { status: 409, problem: "The default world cannot be deleted. Reset it instead.", field: "id" };
      if (context.cluster) return context.cluster.remove(worldEntry).then(() => ({ status: 204 }));
      removeWorld(context.worlds, worldEntry);
      return { status: 204 };
    },
  },
  {
    on: "POST /worlds/{id}/reset",
    description: "Resets the world to its first state. Deletes its journal and faults.",
    status: 200,
    begins: "configuration",
    run({ context, worldEntry }) {
      resetWorld(context.worlds, worldEntry, findReplayTime(worldEntry) ?? Date.now());
      return { status: 200, body: describe(worldEntry) };
    },
  },
  {
    on: "GET /worlds/{id}/snapshot",
    description: "Returns the whole state of a world.",
    status: 200,
    isLong: true,
    run: ({ worldEntry }) => ({ status: 200, body: takeSnapshot(worldEntry) }),
  },
  {
    on: "PUT /worlds/{id}/snapshot",
    description: "Replaces the state of this world with a snapshot.",
    status: 200,
    begins: "state",
    limit,
    exampleFrom: "/worlds/{id}/snapshot",
    body: { type: "object" },
    run({ worldEntry, body }) {
      const problem = findImportProblem(worldEntry, body as object);
      if (problem !== null) return problem;
      replaceWorld(worldEntry, copyWorld((body as Snapshot).world));
      return { status: 200, body: describe(worldEntry) };
    },
  },
];

const tooManyGenerated = {
  problem: `The fixture generates more than ${maxGenerated} observations. Start a mock with --fixture <file>, or send the event seed-observations.`,
  field: "fixture.generate.observations",
  pointer: "/fixture/generate/observations",
};

/** Returns the number of observations that a fixture generates. The fixture need not be valid. */
function findGeneratedIn(fixture: WorldOptions["fixture"]): number {
  const { observations } = ((fixture as Partial<Fixture> | undefined)?.generate ?? {}) as { observations?: object };
  return Object.values(observations ?? {}).reduce((sum: number, count: unknown) => sum + Number(count), 0);
}

async function createWorldFrom(context: MockContext, worldOptions: WorldOptions): Promise<CreationResponse> {
  const worldEntry = await addWorld(context, worldOptions);
  return "problem" in worldEntry ? worldEntry : { status: 201, body: buildWorldInfo(worldEntry) };
}

/** The real time at which the world began, when this entry was made. */
function findReplayTime({ log: { replayedEntry: playing } }: WorldEntry): number | undefined {
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
    ...buildWorldInfo(worldEntry),
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
