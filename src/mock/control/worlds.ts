import type { Snapshot } from "../../service/fixture/snapshot.js";
import { copyOfWorld } from "../../service/world/copies.js";
import type { FoundingReply } from "../cluster/other-workers.js";
import { listWorlds } from "../cluster/ownership.js";
import type { MockContext } from "../context.js";
import { schemaOf } from "../input/option-kinds.js";
import { unknownName } from "../input/problems.js";
import { addWorld } from "../worlds/configuration.js";
import { bundledFixtures } from "../worlds/fixtures.js";
import { worldKinds } from "../worlds/option-validation.js";
import type { WorldOptions } from "../worlds/options.js";
import { type HostedWorld, introduce, removeWorld, replaceWorld, resetWorld } from "../worlds/worlds.js";
import type { Endpoint } from "./endpoint.js";
import { takeSnapshot, unfit } from "./snapshot.js";

/** Founding, reading and ending worlds. */
export const worldEndpoints: Endpoint[] = [
  {
    on: "POST /worlds",
    says: "Founds a world of its own, with its own keys, clock, buckets, faults and journal; its keys select it.",
    status: 201,
    examples: () => ({
      "as the default one": {},
      "of its own name": { id: "ci-42", fixture: "empty" },
      "for a test": { fixture: "demo", seed: 7, clock: "frozen", skip: "at-once" },
      "with nothing in it, on the Free plan": { fixture: "empty", plan: "free" },
      "without limits, all work done at once": { limits: "off", work: "at-once" },
      "of other choices where the contract is silent": { options: { rate_window: "sliding", run_findings: "always" } },
      "with every legal variation": { grease: true },
      "with two of them": { grease: ["extra-fields", "early-429"] },
    }),
    body: schemaOf(worldKinds),
    options: worldKinds,
    async run({ site, body }) {
      const wishes = body as WorldOptions;
      // names only: whoever reaches the control plane cannot read files through it
      if (typeof wishes.fixture === "string" && !bundledFixtures().includes(wishes.fixture))
        return { ...unknownName("fixture", wishes.fixture, bundledFixtures()), field: "fixture" };
      return site.siblings ? site.siblings.found(wishes, (named) => found(site, named)) : found(site, wishes);
    },
  },
  {
    on: "GET /worlds",
    says: "The ids of all worlds; `unresponsive_workers` when a worker did not answer, whose worlds are missing then.",
    status: 200,
    run: async ({ site }) => ({ status: 200, body: await listWorlds(site) }),
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
      if (hosted.id === site.worlds.default.id)
        return { status: 409, problem: "The default world stays; reset it instead.", field: "id" };
      if (site.fleet) return site.fleet.remove(hosted).then(() => ({ status: 204 }));
      removeWorld(site.worlds, hosted);
      return { status: 204 };
    },
  },
  {
    on: "POST /worlds/{id}/reset",
    says: "Founds a world again as it was at first; its journal and faults go.",
    status: 200,
    begins: "founding",
    run({ site, hosted }) {
      resetWorld(site.worlds, hosted, playedAt(hosted) ?? Date.now());
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
    begins: "state",
    exampleFrom: "/worlds/{id}/snapshot",
    body: { type: "object" },
    run({ hosted, body }) {
      const problem = unfit(hosted, body as object);
      if (problem !== null) return problem;
      replaceWorld(hosted, copyOfWorld((body as Snapshot).world));
      return { status: 200, body: describe(hosted) };
    },
  },
];

async function found(site: MockContext, wishes: WorldOptions): Promise<FoundingReply> {
  const hosted = await addWorld(site, wishes);
  return "problem" in hosted ? hosted : { status: 201, body: introduce(hosted) };
}

/** The wall's time at which the world began when this happened first. */
function playedAt({ log: { playing } }: HostedWorld): number | undefined {
  return playing && "control" in playing ? playing.wall : undefined;
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
    now: new Date(world.now).toISOString(),
    clock: clock.mode,
    skip: clock.skip,
    options: world.options,
    grease: hosted.grease && { seed: hosted.grease.seed, variations: hosted.grease.names },
    rows: counts,
    calls: journal.total,
  };
}
