import { visibleLine } from "../../common/escape/visible.js";
import type { Fixture } from "../../service/fixture/fixture.js";
import { isSnapshot } from "../../service/fixture/snapshot.js";
import type { MockContext } from "../context.js";
import type { Problem } from "../input/problems.js";
import type { FixtureResult } from "./fixture-file.js";
import { loadFixture } from "./fixtures.js";
import { worldOptionsProblem } from "./option-validation.js";
import type { WorldOptions } from "./options.js";
import { createWorld, mostWorlds, type WorldConfiguration, type WorldEntry, type Worlds } from "./worlds.js";

/** Founds one more world as wished, or says why not; `status` where that is no mistake of the wish itself. */
export async function addWorld(
  context: MockContext,
  wishes: WorldOptions,
): Promise<WorldEntry | (Problem & { status?: number })> {
  const slip = worldOptionsProblem(wishes);
  if (slip) return slip;
  const configuration = await configurationOf(wishes, context.worlds.default.configuration);
  if ("problem" in configuration) return configuration;
  const taken = wishes.id === undefined ? null : takenName(context.worlds, wishes.id);
  if (taken) return { ...taken, status: 409 };
  const room = { problem: `There are ${mostWorlds} worlds already; delete some.`, status: 409 };
  if (context.cluster) return context.cluster.create(configuration, wishes.id);
  return createWorld(context.worlds, configuration, wishes.id) ?? room;
}

/** Keys select their world by its name, so no other world's key may begin as the keys of this one will. */
function takenName(worlds: Worlds, id: string): Problem | null {
  if (worlds.byId.has(id)) return { problem: `There is a world '${id}' already.`, field: "id" };
  const { keys, sessions } = worlds.default.world;
  const like = [
    ...Object.values(keys).flatMap(({ token }) => (token.startsWith(`mock_${id}_`) ? [token] : [])),
    ...Object.values(sessions).flatMap(({ token }) => (token.startsWith(`${id}_`) ? [token] : [])),
  ];
  return like[0] ? { problem: `No world can be called '${id}': ${like[0]} is of the default one.`, field: "id" } : null;
}

/** What a world has that nobody wished otherwise; without a fixture, that of `demo`. */
type Base = Omit<WorldConfiguration, "fixture"> & Partial<Pick<WorldConfiguration, "fixture">>;

/** Makes the parts of a world out of a user's wishes and, for the rest, a base. A snapshot brings its own seed, options and plan. */
export async function configurationOf(wishes: WorldOptions, base: Base): Promise<WorldConfiguration | Problem> {
  const read: FixtureResult =
    base.fixture && !wishes.fixture ? { fixture: base.fixture } : await readFixture(wishes.fixture ?? "demo");
  if ("mistakes" in read) return problemOf(read);
  const { fixture } = read;
  const brings = wishes.fixture !== undefined && isSnapshot(fixture);
  const plan = wishes.plan ?? (brings ? undefined : base.plan);
  return {
    fixture,
    seed: wishes.seed ?? (brings ? fixture.world.random : base.seed),
    clock: wishes.clock ?? base.clock,
    skip: wishes.skip ?? base.skip,
    options: {
      ...(!brings && base.options),
      ...wishes.options,
      ...(wishes.limits && { limits: wishes.limits }),
      ...(wishes.work && { work: wishes.work }),
    },
    ...(plan && { plan }),
    variations: wishes.variations ?? base.variations,
  };
}

function problemOf({ mistakes, pointer }: Extract<FixtureResult, { mistakes: string[] }>): Problem {
  const place = pointer === undefined ? {} : { field: `fixture${pointer.replaceAll("/", ".")}`, pointer: `/fixture${pointer}` };
  return { problem: mistakes.map(visibleLine).join("\n"), ...place };
}

async function readFixture(wish: string | object): Promise<FixtureResult> {
  if (typeof wish === "string") return loadFixture(wish);
  const { takeFixture } = await import("./fixture-file.js"); // loads what checks it
  return takeFixture(wish as Fixture);
}
