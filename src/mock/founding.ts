import type { Fixture } from "../service/fixture.js";
import { slipInWorld } from "./check-options.js";
import type { FixtureResult } from "./fixture-file.js";
import { loadFixture } from "./fixtures.js";
import type { WorldOptions } from "./options.js";
import type { Problem } from "./problems.js";
import type { Site } from "./site.js";
import { createWorld, type Founding, type HostedWorld, mostWorlds } from "./worlds.js";

/** Founds one more world as wished, or says why not. */
export async function addWorld(site: Site, wishes: WorldOptions): Promise<HostedWorld | Problem> {
  const slip = slipInWorld(wishes);
  if (slip) return slip;
  const founding = await foundingOf(wishes, site.worlds.default.founding);
  if ("problem" in founding) return founding;
  const room: Problem = { problem: `There are ${mostWorlds} worlds already; delete some.` };
  return createWorld(site.worlds, founding) ?? room;
}

/** What a world has that nobody wished otherwise; without a fixture, that of `demo`. */
type Base = Omit<Founding, "fixture"> & { fixture?: Fixture };

/** Makes the parts of a world out of a user's wishes and, for the rest, a base. */
export async function foundingOf(wishes: WorldOptions, base: Base): Promise<Founding | Problem> {
  const read = base.fixture && !wishes.fixture ? { fixture: base.fixture } : await readFixture(wishes.fixture ?? "demo");
  if ("mistakes" in read) return { problem: read.mistakes.join("\n") };
  const plan = wishes.plan ?? base.plan;
  return {
    fixture: read.fixture,
    seed: wishes.seed ?? base.seed,
    mode: wishes.clock ?? base.mode,
    skip: wishes.skip ?? base.skip,
    options: { ...base.options, ...wishes.options, ...(wishes.work && { work: wishes.work }) },
    ...(plan && { plan }),
    grease: wishes.grease ?? base.grease,
  };
}

async function readFixture(wish: string | Fixture): Promise<FixtureResult> {
  if (typeof wish === "string") return loadFixture(wish);
  const { takeFixture } = await import("./fixture-file.js"); // loads what checks it
  return takeFixture(wish);
}
