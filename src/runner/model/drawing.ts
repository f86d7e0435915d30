import fc from "fast-check";
import type { Coverage } from "../property/coverage.js";
import type { Command, Drawn } from "./command.js";
import { type CommandName, commands } from "./commands/index.js";
import { recipes } from "./recipes/index.js";

/** Most parts that a case is made of; a part is one command or a recipe. */
const MOST_PARTS = 10;
const MOST_PICK = 40;
/** How likely a recipe is that leads to nothing new. */
const USUAL = 6;
/** How much likelier a recipe is for every point that it may be first to reach; twice that while it was never played. */
const EAGER = 40;

/** Cases as lists of commands: any command at any time, and recipes for points that earlier cases have not reached. */
export function drawCases(coverage: Coverage): fc.Arbitrary<Drawn[]> {
  const part = fc.oneof(
    ...Object.keys(commands).map((name) => ({ weight: weightOf(name as CommandName), arbitrary: one(name as CommandName) })),
    ...recipes.map((recipe) => ({ weight: eagerness(coverage, recipe), arbitrary: whole(recipe) })),
  );
  return fc.array(part, { minLength: 1, maxLength: MOST_PARTS, size: "max" }).map((parts) => parts.flat());
}

function weightOf(name: CommandName): number {
  return (commands[name] satisfies Command).weight * 4;
}

/** Recipes are spliced in now and then, and often while they lead to something new. */
function eagerness(coverage: Coverage, { name, points }: (typeof recipes)[number]): number {
  const unreached = points.filter((point) => {
    const slash = point.indexOf("/");
    return coverage.visits(point.slice(0, slash), point.slice(slash + 1)) === 0;
  });
  return USUAL + EAGER * (unreached.length + (coverage.visits("recipes", name) === 0 ? 2 : 0));
}

/** One command with numbers for its choices; small ones are likelier, as they are the plain choices. */
function one(name: CommandName): fc.Arbitrary<Drawn[]> {
  const { picks } = commands[name] satisfies Command;
  const number = fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, { weight: 2, arbitrary: fc.nat(MOST_PICK) });
  const record = fc.record(Object.fromEntries(picks.map((pick) => [pick, number])));
  return record.map((drawn) => [{ command: name, picks: drawn }]);
}

/** A recipe, from which a shrink can take commands one by one. */
function whole({ commands: list }: (typeof recipes)[number]): fc.Arbitrary<Drawn[]> {
  const kept = (drawn: Drawn) =>
    fc.oneof(
      { withCrossShrink: true },
      { weight: 1, arbitrary: fc.constant<Drawn[]>([]) },
      { weight: 10_000, arbitrary: fc.constant<Drawn[]>([drawn]) },
    );
  return fc.tuple(...list.map(kept)).map((parts) => parts.flat());
}
