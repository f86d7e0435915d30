import type { Problem } from "../../common/problem.js";
import type { Fixture } from "../../service/fixture/fixture.js";
import { isSnapshot } from "../../service/fixture/snapshot.js";
import type { MockContext } from "../context.js";
import type { FixtureResult } from "./fixture-file.js";
import { loadFixture } from "./fixtures.js";
import { findWorldOptionsProblem } from "./option-validation.js";
import type { WorldOptions } from "./options.js";
import { createWorld, maxWorlds, type WorldConfiguration, type WorldEntry, type Worlds } from "./worlds.js";

/** Creates a world with these options, or returns the problem. `status` is set if the options are not the cause. */
export async function addWorld(
  context: MockContext,
  worldOptions: WorldOptions,
): Promise<WorldEntry | (Problem & { status?: number })> {
  const mistake = findWorldOptionsProblem(worldOptions);
  if (mistake) return mistake;
  const configuration = await readConfiguration(worldOptions, context.worlds.default.configuration);
  if ("problem" in configuration) return configuration;
  const problem = worldOptions.id === undefined ? null : findTakenName(context.worlds, worldOptions.id);
  if (problem) return { ...problem, status: 409 };
  const room = { problem: `There are ${maxWorlds} worlds already; delete some.`, status: 409 };
  if (context.cluster) return context.cluster.create(configuration, worldOptions.id);
  return createWorld(context.worlds, configuration, worldOptions.id) ?? room;
}

/** Refuses a name whose keys could select another world. */
function findTakenName(worlds: Worlds, id: string): Problem | null {
  if (worlds.byId.has(id)) return { problem: `There is a world '${id}' already.`, field: "id" };
  const { keys, sessions } = worlds.default.world;
  const like = [
    ...Object.values(keys).flatMap(({ token }) => (token.startsWith(`mock_${id}_`) ? [token] : [])),
    ...Object.values(sessions).flatMap(({ token }) => (token.startsWith(`${id}_`) ? [token] : [])),
  ];
  return like[0] ? { problem: `A world cannot have the name '${id}': the default world has ${like[0]}.`, field: "id" } : null;
}

/** The configuration to which the options of a user apply. Without `fixture`, the fixture is `demo`. */
type Base = Omit<WorldConfiguration, "fixture"> & Partial<Pick<WorldConfiguration, "fixture">>;

/** Returns the configuration of a world from the options of a user. A snapshot contains its seed, options and plan. */
export async function readConfiguration(worldOptions: WorldOptions, base: Base): Promise<WorldConfiguration | Problem> {
  const fixtureResult: FixtureResult =
    base.fixture && !worldOptions.fixture ? { fixture: base.fixture } : await readFixture(worldOptions.fixture ?? "demo");
  if ("mistakes" in fixtureResult) return describeProblem(fixtureResult);
  const { fixture } = fixtureResult;
  const brings = worldOptions.fixture !== undefined && isSnapshot(fixture);
  const plan = worldOptions.plan ?? (brings ? undefined : base.plan);
  return {
    fixture,
    seed: worldOptions.seed ?? (brings ? fixture.world.random : base.seed),
    clock: worldOptions.clock ?? base.clock,
    skip: worldOptions.skip ?? base.skip,
    options: {
      ...(!brings && base.options),
      ...worldOptions.options,
      ...(worldOptions.limits && { limits: worldOptions.limits }),
      ...(worldOptions.work && { work: worldOptions.work }),
    },
    ...(plan && { plan }),
    variations: worldOptions.variations ?? base.variations,
  };
}

function describeProblem({ mistakes, pointer }: Extract<FixtureResult, { mistakes: string[] }>): Problem {
  const place = pointer === undefined ? {} : { field: `fixture${pointer.replaceAll("/", ".")}`, pointer: `/fixture${pointer}` };
  return { problem: mistakes.join("; "), sentences: mistakes, ...place };
}

async function readFixture(fixture: string | object): Promise<FixtureResult> {
  if (typeof fixture === "string") return loadFixture(fixture);
  const { takeFixture } = await import("./fixture-file.js"); // loads the validator
  return takeFixture(fixture as Fixture);
}
